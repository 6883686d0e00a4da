"""Call recordings, opt-in: what the line carried, caller left and bot right, streamed to disk (F-58b, F-112)."""
