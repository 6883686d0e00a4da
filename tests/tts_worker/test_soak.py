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
# Readings of what the worker holds, evenly over the run: growth that goes on is told from one that ends.
READINGS = 5
# Of the turns; both sentences of a turn are interrupted.
CANCELLED = 0.3
ENDS = ("synthesis_complete", "cancelled", "error")
LATIN = ["please", "hold", "the", "line", "while", "I", "look", "for", "your", "order", "on", "Tuesday", "at", "ten"]
WORDS = {
    "hi": ["नमस्ते", "कृपया", "रुकिए", "आपका", "आदेश", "कल", "सुबह", "दस", "बजे", "मिलेगा"],
    "ja": ["おでんわ", "ありがとう", "ございます", "しょうしょう", "おまち", "ください"],
    "zh": ["您好", "请稍等", "我们", "正在", "查找", "您的", "订单", "明天", "上午", "十点"],
}
SHORTEST_WORDS, LONGEST_WORDS = 1, 60
# A leak of one sentence's audio (100 kB) would be 60 times as much in tones.
TONE_TOLERANCE_BYTES = 15_000_000
# And here, of 250 kB each, twice as much.
REAL_TOLERANCE_BYTES = 60_000_000


@dataclass
class Count:
    """How requests ended, and how many were asked for."""

    asked: int = 0
    ends: Counter[str] = field(default_factory=Counter)


def sentence(dice: random.Random, language: str) -> str:
    kind = dice.random()
    if kind < 0.03:
        return dice.choice(["👍", "…", "", "   "])
    words = dice.randint(SHORTEST_WORDS, 8) if kind < 0.93 else dice.randint(9, LONGEST_WORDS)
    return spoken(dice.choices(WORDS.get(language, LATIN), k=words)) + dice.choice(".?!")


def spoken(words: list[str]) -> str:
    return " ".join(words).capitalize()


async def everything_once(url: str, choices: list[tuple[str, str]]) -> None:
    """Say the longest sentence in every voice and language, and a short one: what loads late is loaded then."""
    async with aiohttp.ClientSession() as http, http.ws_connect(url, max_msg_size=0) as socket:
        for voice, language in choices:
            words = WORDS.get(language, LATIN)
            for count in (SHORTEST_WORDS, LONGEST_WORDS):
                text = spoken([words[n % len(words)] for n in range(count)])
                await socket.send_json({"text": text, "voice": voice, "language": language})
                async with asyncio.timeout(ANSWER_S):
                    while (said := await socket.receive()).type is not aiohttp.WSMsgType.TEXT or (
                        json.loads(said.data)["type"] not in ENDS
                    ):
                        assert said.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY), said
                assert json.loads(said.data)["type"] == "synthesis_complete", said


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
                text = sentence(dice, language)
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
    each = -(-sentences // SESSIONS)
    await asyncio.gather(*(caller(url, each, choices, seed + n, count, patience_s) for n in range(SESSIONS)))
    return count


def soak(
    engine: str, sentences: int, choices: list[tuple[str, str]], patience_s: float
) -> tuple[Count, list[Footprint]]:
    """Return how requests ended, and what the worker held once it was warm and after each part of the run."""
    count = Count()
    with running_worker(f"worker.engine={engine}") as worker:
        url = f"{worker.url}{STREAM_PATH}"
        asyncio.run(everything_once(url, choices))
        asyncio.run(talk(url, max(sentences // 10, SESSIONS), choices, 1_000, patience_s))
        readings = [settled(worker.pid)]
        for part in range(READINGS):
            spoken = asyncio.run(talk(url, sentences // READINGS, choices, part * SESSIONS, patience_s))
            count.asked, count.ends = count.asked + spoken.asked, count.ends + spoken.ends
            readings.append(settled(worker.pid))
            print(f"{engine}: {count.asked} sentences, {dict(count.ends)}; {readings[-1]}", flush=True)
    return count, readings


def settled(pid: int) -> Footprint:
    time.sleep(SETTLE_S)
    return footprint(pid)


def assert_flat(count: Count, readings: list[Footprint], tolerance_bytes: int) -> None:
    warm, *_, last = readings
    assert count.ends.total() == count.asked
    assert count.ends["error"] == 0
    assert count.ends["cancelled"] > 0.15 * count.asked  # some are spoken before the word arrives
    assert last.threads <= warm.threads
    assert last.sockets <= warm.sockets
    assert last.rss_bytes <= warm.rss_bytes + tolerance_bytes, [reading.rss_bytes for reading in readings]


def test_ten_thousand_sentences_in_tones_leave_nothing_behind() -> None:
    choices = [(voice, language) for voice in ("af_heart", "low", "high") for language in ("en", "id", "")]
    assert_flat(*soak("tone", 10_000, choices, patience_s=0.002), TONE_TOLERANCE_BYTES)


@pytest.mark.models
def test_five_hundred_real_sentences_leave_nothing_behind() -> None:
    """F-98: the phonemizer neither leaks nor slows down."""
    own = {
        "en-us": "af_heart",
        "en-gb": "bf_emma",
        "es": "ef_dora",
        "fr": "ff_siwis",
        "hi": "hf_alpha",
        "it": "if_sara",
    }
    own |= {"ja": "jf_alpha", "pt-br": "pf_dora", "zh": "zf_xiaoxiao", "id": "ef_dora", "ms": "am_michael"}
    choices = [(voice, language) for language, voice in own.items()]
    assert_flat(*soak("kokoro_onnx", 500, choices, patience_s=3.0), REAL_TOLERANCE_BYTES)
