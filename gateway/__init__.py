"""The gateway: answers phone calls with a language model and a voice. Start reading at call/session.py."""
