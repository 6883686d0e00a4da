"""What the caller says: audio in, words out, and what a sound or a silence means."""
