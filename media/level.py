"""How loud PCM is."""

import audioop
import math

from media.formats import BYTES_PER_SAMPLE_PCM16

# Below one step of 16 bits (-90.3 dBFS) everything is digital silence; a finite floor can be logged and compared.
FLOOR_DBFS = -96.0
_FULL_SCALE = 32_768.0


def rms_dbfs(pcm: bytes) -> float:
    """Return the root mean square of s16le samples in dB below full scale, FLOOR_DBFS for silence or no samples.

    0 dBFS is a full-scale square wave, so a full-scale sine has -3.0. A lone last byte is ignored.
    """
    odd_bytes = len(pcm) % BYTES_PER_SAMPLE_PCM16
    rms: int = audioop.rms(pcm[:-odd_bytes] if odd_bytes else pcm, BYTES_PER_SAMPLE_PCM16)
    return 20 * math.log10(rms / _FULL_SCALE) if rms else FLOOR_DBFS
