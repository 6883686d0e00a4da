"""Measures hearing: `python -m tests.bench.stt --model DIR --callers DIR`.

DIR of callers holds recordings and manifest.json (file name -> {"text"}). They are heard as in a call: through 8 kHz
µ-law, in frames of 20 ms, in real time, each followed by silence; a turn is committed after --end-silence-ms.
"""

import argparse
import asyncio
import json
import re
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import jiwer

from gateway.stt.base import STT_RATE_HZ, Final, Partial, Recogniser, SpeechPaused, SpeechStarted
from gateway.stt.energy import EnergyRecognisers
from gateway.stt.silero import FRAME_SAMPLES, SileroScore, load_silero
from gateway.stt.whisper import WhisperRecognisers
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw
from media.level import rms_dbfs
from media.transcode import Inbound
from media.wav import load

_FRAME_S = 0.02
_FRAME_BYTES = 640
_SILENCE_AFTER_S = 2.0
# Speech ends at the last frame this loud; the recordings are clean down to about -60.
_AUDIBLE_DBFS = -42.0
_SPOKEN_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of one recording."""

    name: str
    wanted: str
    text: str
    pause_after_end_ms: float
    final_after_commit_ms: float
    partials: int


def telephone(path: Path) -> bytes:
    """Return a recording as a call would deliver it to the recogniser: 16 kHz, with silence behind it."""
    silence = ULAW_8K.encoding.silence * round(_SILENCE_AFTER_S * ULAW_8K.rate_hz)
    return Inbound(ULAW_8K, STT_RATE_HZ).feed(pcm_to_ulaw(load(path, ULAW_8K.rate_hz)) + silence)


def plain_words(text: str) -> str:
    """Return the words alone, digits as words, so that spelling is no error."""
    spelt = re.sub(r"\d", lambda digit: f" {_SPOKEN_DIGITS[int(digit[0])]} ", text.lower())
    return " ".join(re.sub(r"[^\w' ]", " ", spelt).split())


def speech_end_s(pcm: bytes) -> float:
    frames = range(0, len(pcm), _FRAME_BYTES)
    return max((i / _FRAME_BYTES + 1) * _FRAME_S for i in frames if rms_dbfs(pcm[i : i + _FRAME_BYTES]) > _AUDIBLE_DBFS)


async def play(recogniser: Recogniser, pcm: bytes, began_s: float) -> None:
    for number, offset in enumerate(range(0, len(pcm), _FRAME_BYTES)):
        await asyncio.sleep(began_s + number * _FRAME_S - time.perf_counter())
        recogniser.feed(pcm[offset : offset + _FRAME_BYTES])


async def hear(recogniser: Recogniser, name: str, wanted: str, pcm: bytes, end_silence_s: float) -> Turn:
    """Play one recording as one turn; the caller is cut off when the final comes."""
    loop = asyncio.get_running_loop()
    began_s = time.perf_counter()
    playing = asyncio.create_task(play(recogniser, pcm, began_s))
    pause_s = committed_s = 0.0
    partials = 0
    ending: asyncio.TimerHandle | None = None

    def commit() -> None:
        nonlocal committed_s
        committed_s = time.perf_counter()
        recogniser.commit()

    try:
        async for event in recogniser.events():
            match event:
                case SpeechStarted() if ending is not None:
                    ending.cancel()
                case SpeechPaused(at_s):
                    pause_s = time.perf_counter() - began_s
                    ending = loop.call_later(at_s + end_silence_s - pause_s, commit)
                case Partial():
                    partials += 1
                case Final(text):
                    took_ms = 1000 * (time.perf_counter() - committed_s)
                    return Turn(name, wanted, text, 1000 * (pause_s - speech_end_s(pcm)), took_ms, partials)
    finally:
        playing.cancel()
        await recogniser.close()
    raise RuntimeError("the recogniser ended without a final")


async def loop_lateness_ms(late_ms: list[float]) -> None:
    while True:
        due_s = time.perf_counter() + 0.005
        await asyncio.sleep(0.005)
        late_ms.append(1000 * (time.perf_counter() - due_s))


async def hear_all(arguments: argparse.Namespace) -> None:
    factory = WhisperRecognisers(arguments.model, threads=arguments.threads)
    manifest = json.loads((arguments.callers / "manifest.json").read_text())
    while not await factory.ready():  # noqa: ASYNC110 - asked from outside, as /readyz is
        await asyncio.sleep(0.05)
    late_ms: list[float] = []
    watching = asyncio.create_task(loop_lateness_ms(late_ms))
    lines = asyncio.Semaphore(arguments.calls)

    async def one(name: str, wanted: str) -> Turn:
        async with lines:
            recogniser = factory.recogniser("en")
            await recogniser.open()
            pcm = telephone(arguments.callers / name)
            turn = await hear(recogniser, name, wanted, pcm, arguments.end_silence_ms / 1000)
            print_turn(turn)
            return turn

    turns = await asyncio.gather(*(one(name, entry["text"]) for name, entry in manifest.items()))
    watching.cancel()
    await factory.close()
    print_sums(turns, late_ms)


def print_sums(turns: list[Turn], late_ms: list[float]) -> None:
    finals = [turn.final_after_commit_ms for turn in turns]
    pauses = [turn.pause_after_end_ms for turn in turns]
    error_rate = jiwer.wer([plain_words(t.wanted) for t in turns], [plain_words(t.text) or "-" for t in turns])
    print(f"commit -> final: p50 {statistics.median(finals):.0f} ms, longest {max(finals):.0f} ms")
    print(f"end of speech -> pause noticed: p50 {statistics.median(pauses):.0f} ms, longest {max(pauses):.0f} ms")
    print(f"word error rate: {100 * error_rate:.1f} %")
    late_ms.sort()
    print(f"loop late while hearing: p99 {late_ms[len(late_ms) * 99 // 100]:.1f} ms, most {late_ms[-1]:.1f} ms")


def print_turn(turn: Turn) -> None:
    print(
        f"{turn.name:16} pause +{turn.pause_after_end_ms:4.0f} ms  final +{turn.final_after_commit_ms:4.0f} ms  "
        f"{turn.partials} partials  {turn.text}"
    )


def microseconds_each(call: Callable[[], object], times: int) -> float:
    began_s = time.perf_counter()
    for _ in range(times):
        call()
    return 1e6 * (time.perf_counter() - began_s) / times


def print_costs() -> None:
    """What hearing costs the media loop for each frame of a call."""
    score = SileroScore(load_silero())
    frame = bytes(2 * FRAME_SAMPLES)
    print(f"Silero: {microseconds_each(lambda: score(frame), 2000):.0f} us for 32 ms")
    ears = EnergyRecognisers(["Hello."]).recogniser("en")
    print(f"energy: {microseconds_each(lambda: ears.feed(frame[:_FRAME_BYTES]), 20_000):.1f} us for 20 ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="folder of a faster-whisper model")
    parser.add_argument("--callers", type=Path, required=True, help="folder of recordings with manifest.json")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of the recogniser")
    parser.add_argument("--calls", type=int, default=1, help="calls at once")
    parser.add_argument("--end-silence-ms", type=int, default=500, help="silence that ends a turn")
    arguments = parser.parse_args()
    print_costs()
    asyncio.run(hear_all(arguments))


if __name__ == "__main__":
    main()
