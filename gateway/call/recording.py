"""Call recordings, opt-in: what the line carried in true time, caller left and bot right.

Audio is streamed to disk, a second at a time and off the loop, so an hour's call costs no memory (F-112). When the
call is over the two sides become one stereo WAV; what a crash leaves behind are the raw sides beside it.
"""

import asyncio
import re
import time
from contextlib import suppress
from pathlib import Path

import structlog
from pydub import AudioSegment

from media.formats import BYTES_PER_SAMPLE_PCM16, AudioFormat
from media.transcode import Inbound

log = structlog.get_logger(__name__)

# Every phone platform carries at least this rate, and recordings are for people's ears.
RATE_HZ = 8000
FLUSH_EVERY_S = 1.0
# Frames jitter by a few of their own length; a longer hole on the line is a silence.
HOLE_S = 0.1
_DAY_S = 86_400.0
# How often old recordings are looked for.
EXPIRE_EVERY_S = 3600.0
_SAFE_NAME = re.compile(r"[^A-Za-z0-9._-]")


class _Side:
    """One voice: raw PCM in a file, silence where the line carried nothing."""

    def __init__(self, path: Path, wire_format: AudioFormat) -> None:
        self.path = path
        self._decoder = Inbound(wire_format, RATE_HZ)
        self._samples = 0
        self._waiting = bytearray()

    def add(self, payload: bytes, at_s: float) -> None:
        hole_samples = round(at_s * RATE_HZ) - self._samples
        pcm = self._decoder.feed(payload)
        if hole_samples > HOLE_S * RATE_HZ:
            pcm = bytes(hole_samples * BYTES_PER_SAMPLE_PCM16) + pcm
        self._samples += len(pcm) // BYTES_PER_SAMPLE_PCM16
        self._waiting += pcm

    def take(self) -> bytes:
        taken, self._waiting = bytes(self._waiting), bytearray()
        return taken


class Recording:
    """One call's recording. `run` writes while the call is on; `finish` makes the WAV."""

    def __init__(
        self, folder: Path, call_id: str, began_at: str, format_in: AudioFormat, format_out: AudioFormat
    ) -> None:
        name = _SAFE_NAME.sub("_", f"{began_at}_{call_id}")[:200]
        self.path = folder / f"{name}.wav"
        self._caller = _Side(folder / f"{name}.caller.raw", format_in)
        self._bot = _Side(folder / f"{name}.bot.raw", format_out)

    def caller(self, payload: bytes, at_s: float) -> None:
        """Take audio that arrived at `at_s` of the call."""
        self._caller.add(payload, at_s)

    def bot(self, payload: bytes, at_s: float) -> None:
        """Take a frame that begins to sound at `at_s` of the call."""
        self._bot.add(payload, at_s)

    async def run(self) -> None:
        """Write what has come, once a second, until cancelled. A full disk ends the recording, never the call."""
        while True:
            await asyncio.sleep(FLUSH_EVERY_S)
            await self._flush()

    async def finish(self) -> None:
        """Write the rest and make the stereo WAV. Raises nothing: a lost recording is logged."""
        await self._flush()
        try:
            await asyncio.to_thread(self._combine)
        except OSError as error:
            log.error("recording_lost", error=str(error))

    async def _flush(self) -> None:
        try:
            await asyncio.to_thread(self._write, self._caller.take(), self._bot.take())
        except OSError as error:
            log.error("recording_failed", error=str(error))

    def _write(self, caller: bytes, bot: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for side, pcm in ((self._caller, caller), (self._bot, bot)):
            with side.path.open("ab") as file:
                file.write(pcm)

    def _combine(self) -> None:
        sides = [side.path.read_bytes() for side in (self._caller, self._bot)]
        longest = max(len(pcm) for pcm in sides)
        left, right = (
            AudioSegment(pcm.ljust(longest, b"\0"), frame_rate=RATE_HZ, sample_width=BYTES_PER_SAMPLE_PCM16, channels=1)
            for pcm in sides
        )
        AudioSegment.from_mono_audiosegments(left, right).export(self.path, format="wav").close()
        for side in (self._caller, self._bot):
            side.path.unlink()


async def expire_for_ever(folder: Path, keep_days: int) -> None:
    """Delete recordings older than `keep_days`, once an hour, until cancelled."""
    while True:
        await asyncio.to_thread(expire, folder, time.time() - keep_days * _DAY_S)
        await asyncio.sleep(EXPIRE_EVERY_S)


def expire(folder: Path, before_s: float) -> int:
    """Delete recordings last written before `before_s` (seconds since the epoch); returns how many."""
    count = 0
    for path in (*folder.glob("*.wav"), *folder.glob("*.raw")):
        with suppress(OSError):  # somebody else's deletion is as good
            if path.stat().st_mtime < before_s:
                path.unlink()
                count += 1
    if count:
        log.info("recordings_expired", count=count)
    return count
