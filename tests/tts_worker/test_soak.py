"""Many sentences through a worker's process: every one ends, and memory and threads stay where they were."""

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field

import aiohttp
import pytest

from gateway.bench.processes import Footprint, footprint
from media.tts_wire import STREAM_PATH
from tests.rig.worker import running_worker

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3_600)]

SESSIONS = 8
# Sixteen sentences wait, some a minute long, and the machine may have other work; a stuck one waits for ever.
ANSWER_S = 600.0
# Closed sockets linger for a moment.
SETTLE_S = 1.5
# Of the turns; both sentences of a turn are interrupted.
CANCELLED = 0.3
ENDS = ("synthesis_complete", "cancelled", "error")
WORDS = ["please", "hold", "the", "line", "while", "I", "look", "for", "your", "order", "on", "Tuesday", "at", "ten"]
# Allocators keep arenas of the longest text; a leak of one sentence's audio (100 kB) would be 25 times as much.
TONE_TOLERANCE_BYTES = 40_000_000
# The runtime's arena grows with the longest piece it has seen.
REAL_TOLERANCE_BYTES = 150_000_000


@dataclass
class Count:
    """How requests ended, and how many were asked for."""

    asked: int = 0
    ends: Counter[str] = field(default_factory=Counter)


def sentence(dice: random.Random) -> str:
    kind = dice.random()
    if kind < 0.03:
        return dice.choice(["👍", "…", "", "   "])
    words = dice.randint(1, 8) if kind < 0.93 else dice.randint(9, 60)
    return " ".join(dice.choices(WORDS, k=words)).capitalize() + dice.choice(".?!")


async def caller(
    url: str, sentences: int, choices: list[tuple[str, str]], seed: int, count: Count, patience_s: float
) -> None:
    """Send sentences two at a time and interrupt some within `patience_s`; return when each has ended."""
    dice = random.Random(seed)
    async with aiohttp.ClientSession() as http, http.ws_connect(url, max_msg_size=0) as socket:
        await socket.send_json({"type": "session", "protocol": 1, "framing": "tagged"})
        await socket.receive_str()
        for first in range(0, sentences, 2):
            waiting = min(2, sentences - first)
            for _ in range(waiting):
                voice, language = dice.choice(choices)
                rate, speed = dice.choice([8_000, 16_000, 24_000]), dice.choice([0.8, 1.0, 1.3])
                text = sentence(dice)
                await socket.send_json(
                    {"text": text, "voice": voice, "language": language, "sample_rate": rate, "speed": speed}
                )
                count.asked += 1
            if dice.random() < CANCELLED:
                await asyncio.sleep(dice.choice([0, patience_s * dice.random()]))
                await socket.send_json({"type": "cancel"})
            async with asyncio.timeout(ANSWER_S):
                while waiting:
                    message = await socket.receive()
                    assert message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY), message
                    if message.type is aiohttp.WSMsgType.TEXT and (kind := json.loads(message.data)["type"]) in ENDS:
                        count.ends[kind] += 1
                        waiting -= 1


async def talk(url: str, sentences: int, choices: list[tuple[str, str]], seed: int, patience_s: float) -> Count:
    count = Count()
    each = sentences // SESSIONS
    await asyncio.gather(*(caller(url, each, choices, seed + n, count, patience_s) for n in range(SESSIONS)))
    return count


def soak(
    engine: str, sentences: int, choices: list[tuple[str, str]], patience_s: float
) -> tuple[Count, Footprint, Footprint]:
    with running_worker(f"worker.engine={engine}") as worker:
        url = f"{worker.url}{STREAM_PATH}"
        asyncio.run(talk(url, max(sentences // 5, SESSIONS), choices, 1_000, patience_s))
        time.sleep(SETTLE_S)
        before = footprint(worker.pid)
        count = asyncio.run(talk(url, sentences, choices, 1, patience_s))
        time.sleep(SETTLE_S)
        after = footprint(worker.pid)
    print(f"\n{engine}: {count.asked} sentences, {dict(count.ends)}; {before} -> {after}")
    return count, before, after


def assert_flat(count: Count, before: Footprint, after: Footprint, tolerance_bytes: int) -> None:
    assert count.ends.total() == count.asked
    assert count.ends["error"] == 0
    assert count.ends["cancelled"] > 0.15 * count.asked  # some are spoken before the word arrives
    assert after.threads <= before.threads
    assert after.sockets <= before.sockets
    assert after.rss_bytes <= before.rss_bytes + tolerance_bytes


def test_ten_thousand_sentences_in_tones_leave_nothing_behind() -> None:
    choices = [(voice, language) for voice in ("af_heart", "low", "high") for language in ("en", "id", "")]
    assert_flat(*soak("tone", 10_000, choices, patience_s=0.002), TONE_TOLERANCE_BYTES)


@pytest.mark.models
def test_five_hundred_real_sentences_leave_nothing_behind() -> None:
    """F-98: the phonemizer neither leaks nor slows down."""
    choices = [("af_heart", "en"), ("am_michael", "en"), ("bf_emma", ""), ("ef_dora", "es"), ("ef_dora", "id")]
    assert_flat(*soak("kokoro_onnx", 500, choices, patience_s=3.0), REAL_TOLERANCE_BYTES)
