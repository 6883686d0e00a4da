"""Call recordings, opt-in: what the line carried in true time, caller left and bot right.

Audio is streamed to disk, a second at a time and off the loop, so an hour's call costs no memory (F-112). When the
call is over the two sides become one stereo WAV; what a crash leaves behind are the raw sides beside it.
"""

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from gateway.call.record import CallRecord
from media import wav
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
        self._writing: asyncio.Task[None] | None = None

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
        """Write behind what is being written: a write whose waiter was cancelled goes on in its thread."""
        if self._writing is not None:
            await asyncio.wait({self._writing})
        self._writing = asyncio.create_task(self._written(), name="write recording")
        await asyncio.shield(self._writing)

    async def _written(self) -> None:
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
        wav.join(self.path, self._caller.path, self._bot.path, RATE_HZ)
        for side in (self._caller, self._bot):
            side.path.unlink()


@dataclass(frozen=True, slots=True)
class Recordings:
    """Where this gateway's recordings are kept, and for how long."""

    folder: Path
    keep_days: int

    def of(self, record: CallRecord, format_in: AudioFormat, format_out: AudioFormat) -> Recording:
        """The recording of one call that begins now."""
        return Recording(self.folder, record.call_id, record.began_at, format_in, format_out)

    async def expire_for_ever(self) -> None:
        """Delete recordings older than `keep_days`, once an hour, until cancelled."""
        while True:
            await asyncio.to_thread(expire, self.folder, time.time() - self.keep_days * _DAY_S)
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
