"""Speaking: TTS sessions behind one protocol (base.py)."""
