"""The other side of the wire: recorded callers in a platform's dialect. Shares no code with gateway.platforms."""
