"""What the bot says next: a reply from the question to its last word, and the tools it runs."""
