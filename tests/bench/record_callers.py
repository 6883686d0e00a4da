"""Records the callers of gateway/bench/callers.toml that Kokoro speaks: `python -m tests.bench.record_callers [NAME…]`.

Without names it records those that have no recording yet. A silence in the text, [milliseconds], is put where the
engine says that the word before it ends, so that the voice goes on as one who has not finished.
"""

import argparse
import asyncio
import re
import tempfile
from pathlib import Path

import numpy as np

import gateway.bench
from gateway.bench.caller_set import Caller, every_caller
from gateway.bench.caller_sounds import RATE_HZ, Samples
from gateway.commands.stack import worker_stack
from gateway.tts.base import SpeechAudio, SpeechDone, SpeechFailed, SpeechWords
from gateway.tts.websocket import DEFAULT_RATE_HZ, WebSocketSpeech
from media import g711
from media.resample import StreamResampler
from media.tts_wire import Word

_PAUSE = re.compile(r"\[(\d+)\]\s*")
# A voice at rest leaves this much and less.
_QUIET = 150
_FADE = RATE_HZ // 100


def plain_text(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text without its marks, and each silence as (characters before it, milliseconds)."""
    pauses, removed = [], 0
    for mark in _PAUSE.finditer(text):
        pauses.append((mark.start() - removed, int(mark[1])))
        removed += len(mark[0])
    return _PAUSE.sub("", text), pauses


def with_pauses(pcm: Samples, words: tuple[Word, ...], pauses: list[tuple[int, int]]) -> Samples:
    """Put silence behind words; what silence the voice left there counts."""
    for at_char, pause_ms in reversed(pauses):
        before = [word for word in words if word.end_char <= at_char][-1]
        behind = next((word.start_s for word in words if word.start_char >= at_char), before.end_s)
        middle = round((before.end_s + behind) / 2 * RATE_HZ)
        start = end = middle
        while start > 0 and abs(pcm[start - 1]) < _QUIET:
            start -= 1
        while end < len(pcm) and abs(pcm[end]) < _QUIET:
            end += 1
        head, tail = pcm[:middle].copy(), pcm[middle:].copy()
        head[-_FADE:] *= np.linspace(1, 0, _FADE)
        tail[:_FADE] *= np.linspace(0, 1, _FADE)
        missing = max(0, pause_ms * RATE_HZ // 1000 - (end - start))
        pcm = np.concatenate([head, np.zeros(missing), tail])
    return pcm


async def record(speech: WebSocketSpeech, caller: Caller) -> bytes:
    """Return the caller's words as µ-law."""
    text, pauses = plain_text(caller.text)
    session = speech.session(caller.voice, caller.language, 1.0)
    await session.open()
    session.speak(text)
    pcm = b""
    words: tuple[Word, ...] = ()
    async for event in session.events():
        match event:
            case SpeechWords():
                words = event.words
            case SpeechAudio():
                pcm += event.pcm
            case SpeechFailed():
                raise SystemExit(f"{caller.name}: {event.code} {event.detail}")
            case SpeechDone():
                break
    await session.close()
    resampler = StreamResampler(DEFAULT_RATE_HZ, RATE_HZ)
    narrow = np.frombuffer(resampler.feed(pcm) + resampler.flush(), "<i2").astype(np.float64)
    return g711.pcm_to_ulaw(with_pauses(narrow, words, pauses).astype("<i2").tobytes())


async def record_all(names: list[str]) -> None:
    folder = Path(gateway.bench.__path__[0]) / "callers"
    spoken = [caller for caller in every_caller() if caller.voice]
    wanted = [c for c in spoken if c.name in names or (not names and not (folder / f"{c.name}.ulaw").exists())]
    with tempfile.TemporaryDirectory() as logs:
        async with worker_stack(Path(logs)) as stack:
            speech = WebSocketSpeech(stack.url.replace("http", "ws", 1))
            for caller in wanted:
                payload = await record(speech, caller)
                (folder / f"{caller.name}.ulaw").write_bytes(payload)
                print(f"{caller.name}: {len(payload) / RATE_HZ:.1f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    asyncio.run(record_all(parser.parse_args().names))
