"""One call: session, turn-taking, playout, what was heard; and the set of live calls."""
