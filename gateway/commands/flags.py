"""The flags of every command but `bench`, whose measurements have flags of their own (bench.py)."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from gateway.commands.values import count, port

Command = Callable[[argparse.Namespace], int]
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add(commands: Commands, name: str, purpose: str, example: str, run: Command) -> argparse.ArgumentParser:
    """Add a command and return its parser; `run` is called with what was given and returns the exit code."""
    parser = commands.add_parser(name, help=purpose, description=purpose, epilog=f"example: {example}")
    parser.set_defaults(run=run)
    return parser


def demo_flags(demo: argparse.ArgumentParser) -> None:
    demo.add_argument(
        "--profile", choices=["offline", "indonesia"], default="offline", help="which bot (default offline: English)"
    )
    demo.add_argument("--port", type=port, default=8080, help="the gateway's port (default 8080)")
    demo.add_argument("--no-call", action="store_true", help="only serve: for your own calls and the softphone")
    demo.add_argument("--once", action="store_true", help="exit after the call instead of going on to serve")
    demo.add_argument("--out", type=Path, default=Path("demo-out"), help="folder of heard.wav, call.json, timeline.png")


def call_flags(call: argparse.ArgumentParser) -> None:
    call.add_argument("files", nargs="+", metavar="FILE", help="one recording a turn, or dtmf:DIGITS")
    call.add_argument("--url", default="ws://127.0.0.1:8080", help="the gateway (default ws://127.0.0.1:8080)")
    call.add_argument("--platform", default="twilio", help="whose dialect to speak (default twilio)")
    call.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="folder of the report (default out)")
    call.add_argument(
        "--secret", "--auth-token", default="", help="sign as the platform with this token, or user:password"
    )
    call.add_argument("--public-url", default="", help="the base the platform signs for, where it is not --url")
    call.add_argument("--tape", type=Path, metavar="FILE", help="keep every message of the stream, a line each")
    call.add_argument("--tcp-port", type=int, default=0, help="audiosocket: the gateway's port for it")
    call.add_argument("--admin-token", default="", help="read the gateway's own record of the call with this token")


def soak_flags(soak: argparse.ArgumentParser) -> None:
    soak.add_argument("files", nargs="*", type=Path, metavar="FILE", help="the caller's turns (default: bundled ones)")
    soak.add_argument("--calls", type=count, default=50, help="calls in all (default 50)")
    soak.add_argument("--at-once", type=count, default=1, help="calls at a time (default 1)")
    soak.add_argument("--out", type=Path, default=Path("bench-out"), metavar="DIR", help="where the logs go")
