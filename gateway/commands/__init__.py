"""What the commands of `voicebot` do; cli.py names them."""
