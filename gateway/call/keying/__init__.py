"""What the caller keys in: presses and tones in, entries out."""
