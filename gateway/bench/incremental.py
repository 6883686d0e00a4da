"""How much sooner a reply is heard when it is spoken sentence by sentence, against synthesising all of it first.

Same reply, engine, worker and run, in turn. The published figure for such a reply is 52.4 % less.
"""

import json
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from rich.console import Console
from rich.table import Table

from gateway.commands.stack import worker_stack
from gateway.text.chunker import SentenceChunker
from gateway.tts.base import SpeechAudio, SpeechDone, SpeechFailed
from gateway.tts.websocket import WebSocketSpeech

# Four sentences, 267 characters, as a receptionist would say them.
REPLY = (
    "Thank you for calling the clinic, and yes, we are open on Monday from nine to six. "
    "The next free appointment is on Tuesday at half past ten in the morning. "
    "It takes about forty minutes, and parking is free behind the house. "
    "Shall I book it for you under this number?"
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds from the request to the first and to the last audio."""

    first_s: float
    last_s: float


async def bench_tts(rounds: int, overrides: tuple[str, ...], out_dir: Path) -> int:
    """Print both and write tts.json; 0 always, for a figure is no verdict."""
    console = Console()
    async with worker_stack(out_dir / "logs", overrides) as stack:
        await _batch(stack.url)  # both ways once, unmeasured
        await _incremental(stack.url)
        pairs = [(await _batch(stack.url), await _incremental(stack.url)) for _ in range(rounds)]
    table = Table(
        "way",
        "first audio, median s",
        "min to max",
        "all audio, median s",
        title=f"{len(REPLY)} characters, {rounds} rounds",
    )
    rows = {"whole reply first": [batch for batch, _ in pairs], "sentence by sentence": [each for _, each in pairs]}
    for name, timings in rows.items():
        firsts = [timing.first_s for timing in timings]
        table.add_row(
            name,
            f"{statistics.median(firsts):.3f}",
            f"{min(firsts):.3f} to {max(firsts):.3f}",
            f"{statistics.median(timing.last_s for timing in timings):.3f}",
        )
    saved = statistics.median(1 - each.first_s / batch.first_s for batch, each in pairs)
    console.print(table)
    console.print(f"First audio comes {saved:.1%} earlier (median of the pairs; published: 52.4 %)")
    figures = {name: [[timing.first_s, timing.last_s] for timing in timings] for name, timings in rows.items()}
    (out_dir / "tts.json").write_text(json.dumps({"saved": saved, **figures}, indent=2) + "\n", "utf-8")
    return 0


async def _batch(url: str) -> Timing:
    """The reference scheme: one request for the whole text, answered when all of it has been synthesised."""
    began_s = time.perf_counter()
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{url}/invocations", json={"text": REPLY, "stream": False}) as response,
    ):
        response.raise_for_status()
        await response.read()
    spent_s = time.perf_counter() - began_s
    return Timing(spent_s, spent_s)


async def _incremental(url: str) -> Timing:
    """The gateway's own way: chunker, one session, sentences pipelined."""
    factory = WebSocketSpeech(url.replace("http", "ws", 1))
    session = factory.session("af_heart", "en", 1.0)
    await session.open()  # as in a call, where it is open before the first word
    began_s, first_s = time.perf_counter(), 0.0
    chunker = SentenceChunker("en", first_clause=True)
    waiting = {session.speak(sentence) for sentence in (*chunker.feed(REPLY), *chunker.flush())}
    async for event in session.events():
        if isinstance(event, SpeechAudio) and not first_s:
            first_s = time.perf_counter() - began_s
        if isinstance(event, SpeechDone | SpeechFailed):
            waiting.discard(event.request_id)
            if not waiting:
                break
    spent_s = time.perf_counter() - began_s
    await session.close()
    return Timing(first_s, spent_s)
