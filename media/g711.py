"""G.711 companding: µ-law and A-law to linear PCM and back.

PCM is mono s16le throughout. `audioop` is in the standard library up to Python 3.12; from 3.13 on the
`audioop-lts` distribution installs the same module.
"""

import audioop

from media.formats import BYTES_PER_SAMPLE_PCM16


def ulaw_to_pcm(payload: bytes | memoryview) -> bytes:
    """Expand µ-law, one byte a sample; every byte is valid."""
    pcm: bytes = audioop.ulaw2lin(payload, BYTES_PER_SAMPLE_PCM16)
    return pcm


def pcm_to_ulaw(pcm: bytes | memoryview) -> bytes:
    """Compand whole samples to µ-law; audioop.error when `pcm` has an odd length."""
    payload: bytes = audioop.lin2ulaw(pcm, BYTES_PER_SAMPLE_PCM16)
    return payload


def alaw_to_pcm(payload: bytes | memoryview) -> bytes:
    """Expand A-law, one byte a sample; every byte is valid."""
    pcm: bytes = audioop.alaw2lin(payload, BYTES_PER_SAMPLE_PCM16)
    return pcm


def pcm_to_alaw(pcm: bytes | memoryview) -> bytes:
    """Compand whole samples to A-law; audioop.error when `pcm` has an odd length."""
    payload: bytes = audioop.lin2alaw(pcm, BYTES_PER_SAMPLE_PCM16)
    return payload
