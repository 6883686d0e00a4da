"""Text between model and voice: sentences out of deltas, and words a voice can say."""
