"""Make recorded callers with a TTS worker: `python -m gateway.simulator.record --url ws://127.0.0.1:8081`.

Reads manifest.json of the callers' folder (file name → text, voice, speed, language) and writes the recordings that
are missing, as mono WAV at a telephone's rate.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.errors import TtsError
from gateway.tts.base import SpeechAudio, SpeechDone, SpeechFactory, SpeechFailed, SpeechSession
from gateway.tts.websocket import WebSocketSpeech
from media import wav
from media.formats import BYTES_PER_SAMPLE_PCM16
from media.resample import StreamResampler

CALLERS = Path(__file__).parent / "callers"
RATE_HZ = 8000
# A sentence takes a few seconds even on one busy core.
SENTENCE_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Line:
    """One recording to be made."""

    path: Path
    text: str
    voice: str
    speed: float = 1.0
    language: str = "en"


def missing_lines(folder: Path) -> list[Line]:
    """The manifest's lines that have no recording yet. OSError or ValueError when the manifest cannot be read."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    lines = [
        Line(folder / name, entry["text"], entry["voice"], entry.get("speed", 1.0), entry.get("language", "en"))
        for name, entry in manifest.items()
    ]
    return [line for line in lines if not line.path.exists()]


async def record(line: Line, speech: SpeechFactory) -> float:
    """Write one recording and return its seconds. TtsError when the worker cannot speak it in time."""
    session = speech.session(line.voice, line.language, line.speed)
    try:
        async with asyncio.timeout(SENTENCE_TIMEOUT_S):
            await session.open()
            pcm = await _spoken(session, line.text)
    except TimeoutError as error:
        raise TtsError("too_slow", f"{line.path.name} took longer than {SENTENCE_TIMEOUT_S:g} s") from error
    finally:
        await session.close()
    wav.save(line.path, pcm, RATE_HZ)
    return len(pcm) / BYTES_PER_SAMPLE_PCM16 / RATE_HZ


async def _spoken(session: SpeechSession, text: str) -> bytes:
    session.speak(text)
    resampler = StreamResampler(session.rate_hz, RATE_HZ)
    pcm = b""
    async for event in session.events():
        match event:
            case SpeechAudio():
                pcm += resampler.feed(event.pcm)
            case SpeechFailed():
                raise TtsError(event.code, event.detail)
            case SpeechDone():
                return pcm + resampler.flush()
    raise TtsError("session_ended", "the speech session ended before the sentence did")


async def record_missing(folder: Path, speech: SpeechFactory) -> None:
    """Write every missing recording of a folder, one after the other."""
    for line in missing_lines(folder):
        seconds = await record(line, speech)
        print(f"{line.path.name}: {seconds:.1f} s, {line.voice}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when every recording is there, 1 with one sentence when not."""
    parser = argparse.ArgumentParser(
        prog="python -m gateway.simulator.record",
        description="Makes the recorded callers that the manifest names and the folder lacks.",
        epilog="example: python -m gateway.simulator.record --url ws://127.0.0.1:8081",
    )
    parser.add_argument("--url", required=True, help="the TTS worker")
    parser.add_argument("--folder", type=Path, default=CALLERS, help="where manifest.json lies and the files go")
    options = parser.parse_args(arguments)
    try:
        asyncio.run(record_missing(options.folder, WebSocketSpeech(options.url)))
    except (OSError, ValueError, TtsError) as error:
        print(f"The recordings could not be made: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
