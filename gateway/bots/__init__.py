"""The bots of a gateway, and which of them answers a call."""
