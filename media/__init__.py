"""Audio as bytes: formats, companding, resampling, framing, pacing, files, and the TTS session's wire.

Everything here is pure and synchronous: no asyncio, clock, logger or environment, and nothing of ours.
"""
