"""`voicebot demo`: a profile that needs nothing but this machine, a recorded call through it, and what came of it."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from rich.console import Console

from config.models import ModelStore
from gateway.commands.stack import Stack, offline_stack, scripted_stack
from gateway.simulator.report_table import print_report
from gateway.simulator.run import run_call
from gateway.simulator.script import Manners

_VOICE_AND_EARS = ("kokoro", "kokoro-config", "kokoro-voices", "whisper-base", "smart-turn")
_MODEL = "smollm2"
_OFFLINE = "offline"
# On a slow machine greeting and second sentences come late; a caller who speaks or hangs up meanwhile cuts them off.
_PATIENT = Manners(quiet_s=4.0, greeting_s=20.0)
# A recorded caller would take a filler for the reply, and hang up on what follows seconds later.
_NO_FILLERS = ("turn.filler_s=0",)


@dataclass(frozen=True, slots=True)
class Demo:
    """What a demo's caller says: files of a folder beside the simulator, in order; and what a newcomer is told."""

    folder: str
    callers: tuple[str, ...]
    about: str


# By profile. The offline profile thinks with the bundled model; the others answer from a script.
DEMOS = {
    # A guest calls a restaurant.
    _OFFLINE: Demo(
        "callers",
        ("hours.wav", "parking.wav", "booking.wav", "goodbye.wav"),
        """\
Everything you hear runs on this machine: Whisper hears, SmolLM2-135M thinks, Kokoro-82M speaks.
[bold yellow]The bundled 135M language model is only plumbing:[/] it proves the path and invents its facts.
For real answers point the gateway at Amazon Bedrock:
  voicebot serve --profile aws --set llm.bedrock.model_id=YOUR_MODEL …
or at any OpenAI-compatible server:
  voicebot serve --set llm.provider=openai --set llm.openai.base_url=… --set llm.openai.model=…
""",
    ),
    # A patient calls a clinic.
    "indonesia": Demo(
        "callers_id",
        ("jam.wav", "biaya.wav", "janji.wav", "selesai.wav"),
        """\
An Indonesian receptionist, all of it on this machine: Whisper hears, Kokoro-82M speaks.
[bold yellow]Its replies are a script:[/] the bundled language model does not know Indonesian.
For real answers let Amazon Bedrock think:
  voicebot serve --profile indonesia --set llm.provider=bedrock --set llm.bedrock.model_id=YOUR_MODEL …
""",
    ),
}


async def run_demo(profile: str, port: int, out_dir: Path, *, place_call: bool, once: bool) -> int:
    """Run a profile of DEMOS. Return 0 when every turn of the call was answered, 1 otherwise.

    ConfigError when the stack cannot start.
    """
    console = Console()
    console.print(DEMOS[profile].about)
    store = ModelStore()
    store.fetch((*_VOICE_AND_EARS, _MODEL) if profile == _OFFLINE else _VOICE_AND_EARS)
    console.print("Starting the models and the gateway …")
    answered = True
    async with _stack(profile, store, port, out_dir / "logs") as stack:
        console.print(f"Ready at {stack.url}")
        if place_call:
            answered = await _call(console, profile, stack.url, out_dir)
        if not once:
            console.print(f"Talk to it yourself: {stack.url}/softphone   (Ctrl-C ends)")
            await _interrupted()
    return 0 if answered else 1


def _stack(profile: str, store: ModelStore, port: int, log_dir: Path) -> Stack:
    if profile == _OFFLINE:
        return offline_stack(store.locate(_MODEL), port, log_dir, _NO_FILLERS)
    return scripted_stack(profile, port, log_dir, _NO_FILLERS)


@contextmanager
def bundled_callers(profile: str = _OFFLINE) -> Iterator[list[Path]]:
    """The recordings of a profile's demo as files, in order."""
    demo = DEMOS[profile]
    with resources.as_file(resources.files("gateway.simulator") / demo.folder) as folder:
        yield [folder / name for name in demo.callers]


async def _call(console: Console, profile: str, url: str, out_dir: Path) -> bool:
    console.print("A recorded caller is on the line; this takes as long as a real call …")
    with bundled_callers(profile) as recordings:
        report = await run_call(recordings, url, "twilio", out_dir, manners=_PATIENT)
    print_report(report, out_dir, console)
    return report.answered == len(DEMOS[profile].callers)


async def _interrupted() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
