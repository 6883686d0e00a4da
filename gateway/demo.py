"""`voicebot demo`: the offline profile, a recorded call through all of it, and what came of it."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from rich.console import Console

from config.models import ModelStore
from gateway.simulator.report_table import print_report
from gateway.simulator.run import run_call
from gateway.stack import offline_stack

MODELS = ("kokoro", "kokoro-config", "kokoro-voices", "whisper-base", "smollm2")
# A guest calls a restaurant; in the order the recordings are played.
CALLERS = ("hours.wav", "parking.wav", "booking.wav", "goodbye.wav")

_ABOUT = """\
Everything you hear runs on this machine: Whisper hears, SmolLM2-135M thinks, Kokoro-82M speaks.
[bold yellow]The bundled 135M language model is only plumbing:[/] it proves the path and invents its facts.
For real answers point the gateway at Amazon Bedrock:
  voicebot serve --profile aws --set llm.bedrock.model_id=YOUR_MODEL …
or at any OpenAI-compatible server:
  voicebot serve --set llm.provider=openai --set llm.openai.base_url=… --set llm.openai.model=…
"""


async def run_demo(port: int, out_dir: Path, *, place_call: bool, once: bool) -> int:
    """Return 0 when every turn of the call was answered, 1 otherwise. ConfigError when the stack cannot start."""
    console = Console()
    console.print(_ABOUT)
    store = ModelStore()
    store.fetch(MODELS)
    console.print("Starting the language model, the voice and the gateway …")
    answered = True
    async with offline_stack(store.locate("smollm2"), port, out_dir / "logs") as stack:
        console.print(f"Ready at {stack.url}")
        if place_call:
            answered = await _call(console, stack.url, out_dir)
        if not once:
            console.print(f"Talk to it yourself: {stack.url}/softphone   (Ctrl-C ends)")
            await _interrupted()
    return 0 if answered else 1


@contextmanager
def bundled_callers() -> Iterator[list[Path]]:
    """The demo's recordings as files, in order."""
    with resources.as_file(resources.files("gateway.simulator") / "callers") as folder:
        yield [folder / name for name in CALLERS]


async def _call(console: Console, url: str, out_dir: Path) -> bool:
    console.print("A recorded caller is on the line; this takes as long as a real call …")
    with bundled_callers() as recordings:
        report = await run_call(recordings, url, "twilio", out_dir)
    print_report(report, out_dir, console)
    return report.answered == len(CALLERS)


async def _interrupted() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
