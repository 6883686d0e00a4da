"""Per-frame cost and fidelity of the media path; prints two tables: `python -m tests.bench.media`.

It measures and never judges: what must hold is in tests/media.
"""

import math
import time
from collections.abc import Callable

import numpy as np

from media.formats import ULAW_8K, AudioFormat, Encoding
from media.framing import Framer
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from media.level import rms_dbfs
from media.pacing import Schedule
from media.pcm import float_to_pcm16
from media.resample import StreamResampler
from media.transcode import Inbound, Outbound
from media.tts_wire import tag_audio, untag_audio
from tests.media.signals import level_db, middle, pieces_of, samples, tone

FRAME_MS = 20
# Enough calls for a stable figure, few enough for a second or two in all; the best of several rounds is the
# cost without the neighbours.
CALLS_PER_ROUND = 2000
ROUNDS = 7
PCM_24K = tone(1000, 24_000, FRAME_MS / 1000)
PCM_8K = tone(1000, 8000, FRAME_MS / 1000)
ULAW = pcm_to_ulaw(PCM_8K)


def cost_us(work: Callable[[], object]) -> float:
    """Microseconds per call."""
    best_s = math.inf
    for _ in range(ROUNDS):
        started_s = time.perf_counter()
        for _ in range(CALLS_PER_ROUND):
            work()
        best_s = min(best_s, time.perf_counter() - started_s)
    return best_s / CALLS_PER_ROUND * 1e6


def _pacing_step() -> Callable[[], None]:
    schedule = Schedule(FRAME_MS, 100)
    clock_s = [0.0]

    def step() -> None:
        clock_s[0] += FRAME_MS / 1000
        schedule.sent(schedule.due(clock_s[0]), clock_s[0])

    return step


def costs() -> list[tuple[str, float]]:
    """Cost of each step for one 20 ms frame."""
    down, up, odd = StreamResampler(24_000, 8000), StreamResampler(8000, 16_000), StreamResampler(22_050, 8000)
    framer = Framer(160, b"\xff")
    inbound = Inbound(ULAW_8K, 16_000)
    outbound = Outbound(24_000, ULAW_8K, FRAME_MS)
    wide = Outbound(24_000, AudioFormat(Encoding.L16, 16_000), FRAME_MS)
    floats = samples(PCM_24K).astype(np.float32) / 32768
    tagged = tag_audio(1, PCM_24K)
    return [
        ("resample 24 -> 8 kHz", cost_us(lambda: down.feed(PCM_24K))),
        ("resample 8 -> 16 kHz", cost_us(lambda: up.feed(PCM_8K))),
        ("resample 22.05 -> 8 kHz", cost_us(lambda: odd.feed(PCM_24K))),
        ("compand to µ-law", cost_us(lambda: pcm_to_ulaw(PCM_8K))),
        ("expand from µ-law", cost_us(lambda: ulaw_to_pcm(ULAW))),
        ("frame 160 bytes", cost_us(lambda: framer.feed(ULAW))),
        ("inbound µ-law 8 kHz -> 16 kHz, whole", cost_us(lambda: inbound.feed(ULAW))),
        ("outbound 24 kHz -> µ-law 8 kHz, whole", cost_us(lambda: outbound.feed(PCM_24K))),
        ("outbound 24 kHz -> L16 16 kHz, whole", cost_us(lambda: wide.feed(PCM_24K))),
        ("schedule one frame", cost_us(_pacing_step())),
        ("level", cost_us(lambda: rms_dbfs(PCM_8K))),
        ("float32 -> int16 at 24 kHz", cost_us(lambda: float_to_pcm16(floats))),
        ("tag and untag", cost_us(lambda: untag_audio(tagged) and tag_audio(1, PCM_24K))),
    ]


def _convert(pcm: bytes, from_hz: int, to_hz: int, *, piece_bytes: int = 1 << 20) -> bytes:
    resampler = StreamResampler(from_hz, to_hz)
    return b"".join(map(resampler.feed, pieces_of(pcm, piece_bytes))) + resampler.flush()


def held_back_ms(from_hz: int, to_hz: int) -> tuple[float, float]:
    """Mean and largest amount of audio the resampler keeps while fed 20 ms at a time."""
    resampler = StreamResampler(from_hz, to_hz)
    frame = bytes(2 * from_hz * FRAME_MS // 1000)
    returned_ms, held_ms = 0.0, []
    for fed_ms in range(FRAME_MS, 4000, FRAME_MS):
        returned_ms += len(resampler.feed(frame)) / (2 * to_hz / 1000)
        held_ms.append(fed_ms - returned_ms)
    return sum(held_ms) / len(held_ms), max(held_ms)


def fidelity() -> list[tuple[str, str]]:
    """What the conversion does to sound."""
    rows = []
    for from_hz in (24_000, 22_050):
        name = f"{from_hz} -> 8000 Hz"
        for frequency_hz in (3400, 4400, 5000):
            narrow = _convert(tone(frequency_hz, from_hz, 1.0), from_hz, 8000)
            rows.append((f"{frequency_hz} Hz tone, {name}", f"{level_db(middle(narrow, 8000)):.1f} dB"))
        whole = samples(_convert(tone(1000, from_hz, 2.0), from_hz, 8000))
        pieces = samples(_convert(tone(1000, from_hz, 2.0), from_hz, 8000, piece_bytes=37 * from_hz // 1000 * 2))
        rows.append((f"1 kHz in 37 ms pieces against one piece, {name}", f"{level_db(pieces - whole):.1f} dB"))
    for from_hz, to_hz in ((24_000, 8000), (8000, 16_000), (22_050, 8000)):
        mean_ms, most_ms = held_back_ms(from_hz, to_hz)
        rows.append((f"held back {from_hz} -> {to_hz} Hz", f"mean {mean_ms:.1f}, most {most_ms:.1f} ms"))
    ulaw_path = ulaw_to_pcm(pcm_to_ulaw(_convert(tone(1000, 24_000, 1.0), 24_000, 8000)))
    noise = samples(ulaw_path) - samples(tone(1000, 8000, 1.0))
    rows.append(("noise of the whole path to µ-law, 1 kHz", f"{level_db(noise[400:-400]):.1f} dB"))
    loud = float_to_pcm16(np.array([1.05, -1.05], np.float32))
    rows.append(("samples at +1.05 and -1.05", f"{samples(loud.pcm).tolist()}, {loud.clipped_samples} clipped"))
    return rows


def main() -> None:
    print(f"{'cost of one 20 ms frame':<52}{'µs':>8}")
    for name, microseconds in costs():
        print(f"{name:<52}{microseconds:>8.2f}")
    print(f"\n{'fidelity':<52}")
    for name, figure in fidelity():
        print(f"{name:<52}{figure}")


if __name__ == "__main__":
    main()
