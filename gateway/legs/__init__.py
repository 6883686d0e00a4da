"""A call's legs at the platform: placed, commanded, handed over."""
