"""The TTS worker: one process that turns sentences into audio for many sessions."""
