"""Phone platforms: one sans-IO file each, plus signatures and REST control."""
