"""What base64 in server-sent events costs against binary: the same clips over both, bytes and time."""

import asyncio
import json
import statistics
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import aiohttp
from rich.console import Console
from rich.table import Table

from gateway.bench.ladder import REPLIES, SHORT
from gateway.commands.stack import worker_stack

# As many as were published with +33 % for the public SageMaker sample.
CLIPS = 24


@dataclass(frozen=True, slots=True)
class Transfer:
    """All clips over one transport."""

    form: str
    transport: str
    body_bytes: int
    median_s: float


async def bench_transport(overrides: tuple[str, ...], out_dir: Path) -> int:
    """Print a table and write transport.json; 0 always, for a figure is no verdict.

    MP3 is left out where the worker has no encoder.
    """
    console = Console()
    texts = [sentence for reply in (*REPLIES, *SHORT) for sentence in reply][:CLIPS]
    async with worker_stack(out_dir / "logs", overrides) as stack, aiohttp.ClientSession() as http:
        transfers = []
        for form in ("pcm", "mp3"):
            for transport in ("binary", "sse"):
                transfer = await _fetch(http, stack.url, texts, form, transport)
                transfers += [] if transfer is None else [transfer]
    table = Table("format", "transport", "bytes", "against binary", "median s", title=f"{len(texts)} clips")
    binary = {transfer.form: transfer for transfer in transfers if transfer.transport == "binary"}
    for transfer in transfers:
        more = transfer.body_bytes / binary[transfer.form].body_bytes - 1
        name = "base64 in events" if transfer.transport == "sse" else "binary"
        table.add_row(transfer.form, name, str(transfer.body_bytes), f"{more:+.1%}", f"{transfer.median_s:.4f}")
    console.print(table)
    text = json.dumps([asdict(transfer) for transfer in transfers], indent=2)
    await asyncio.to_thread((out_dir / "transport.json").write_text, text + "\n", "utf-8")
    return 0


async def _fetch(http: aiohttp.ClientSession, url: str, texts: list[str], form: str, transport: str) -> Transfer | None:
    """Fetch all clips, one after another; None when the worker does not speak `form`."""
    size_bytes, took_s = 0, []
    for text in texts:
        began_s = time.perf_counter()
        body = {"text": text, "format": form, "transport": transport}
        async with http.post(f"{url}/invocations", json=body) as response:
            if response.status == 400 and form == "mp3":
                return None
            response.raise_for_status()
            size_bytes += len(await response.read())
        took_s.append(time.perf_counter() - began_s)
    return Transfer(form, transport, size_bytes, statistics.median(took_s))
