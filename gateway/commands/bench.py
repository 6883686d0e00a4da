"""`voicebot bench WHAT`: each measurement with its own flags, imported only when it is asked for."""

import argparse
import asyncio
from pathlib import Path

from config import logs
from config.errors import ConfigError
from config.models import ModelStore
from gateway.commands.flags import Command, Commands, add
from gateway.commands.values import count


def add_bench(commands: Commands) -> None:
    """Add the command with all its measurements; each raises ConfigError, and writes its figures to --out."""
    bench = commands.add_parser(
        "bench",
        help="measure",
        description="measure",
        epilog="example: voicebot bench gateway --calls 1 10 40; each WHAT has its own --help",
    )
    kinds = bench.add_subparsers(dest="what", required=True, metavar="WHAT")
    _gateway_flags(_kind(kinds, "gateway", "its own cost and delay", "--calls 1 10 40", _gateway))
    conversation = _kind(kinds, "conversation", "turns and interruptions", "--rounds 5", _conversation)
    conversation.add_argument("--rounds", type=count, default=5, help="rounds (default 5)")
    tts = _kind(kinds, "tts", "how much earlier incremental speech is heard", "--rounds 5", _tts)
    tts.add_argument("--rounds", type=count, default=5, help="rounds (default 5)")
    _set_flag(tts)
    worker = _kind(kinds, "worker", "callers at once, beside a simple worker", "--clients 1 5 10", _worker)
    _ladder_flags(worker)
    _set_flag(worker)
    _set_flag(_kind(kinds, "transport", "base64 against binary", "--out bench-out", _transport))


def _kind(kinds: Commands, name: str, purpose: str, example: str, run: Command) -> argparse.ArgumentParser:
    parser = add(kinds, name, purpose, f"voicebot bench {name} {example}", run)
    parser.add_argument("--out", type=_folder, default="bench-out", metavar="DIR", help="folder of the figures")
    return parser


def _folder(path: str) -> Path:
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path} cannot be a folder ({error.strerror})") from error
    return folder


def _set_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="a setting of the worker"
    )


def _gateway_flags(gateway: argparse.ArgumentParser) -> None:
    gateway.add_argument("--calls", type=count, nargs="+", default=[1, 10, 40], metavar="N", help="calls at once")
    gateway.add_argument("--turns", type=count, default=5, help="turns a call (default 5)")


def _ladder_flags(worker: argparse.ArgumentParser) -> None:
    worker.add_argument("--clients", type=count, nargs="+", default=[1, 5, 10, 20], metavar="N", help="the ladder")
    worker.add_argument(
        "--text", choices=["replies", "short"], default="replies", help="2 to 4 sentences, or 25 characters"
    )
    worker.add_argument("--limit-ms", type=float, default=1000.0, help="first audio (p95) for Q_max (default 1000)")
    worker.add_argument("--no-reference", action="store_true", help="without the one-lock scheme beside it")
    worker.add_argument("--no-poisson", action="store_true", help="without open-loop load")


def _gateway(options: argparse.Namespace) -> int:
    from gateway.bench.gateway_load import bench_gateway

    return asyncio.run(bench_gateway(options.calls, options.turns, options.out))


def _conversation(options: argparse.Namespace) -> int:
    from gateway.bench.conversation import bench_conversation

    logs.set_up("error", "console", words=False)  # hundreds of scripted calls
    return bench_conversation(options.rounds, options.out, _found("whisper-base"), _found("smart-turn"))


def _found(model: str) -> Path | None:
    try:
        return ModelStore(None).locate(model)
    except ConfigError:  # the scripted parts need none
        return None


def _tts(options: argparse.Namespace) -> int:
    from gateway.bench.incremental import bench_tts

    return asyncio.run(bench_tts(options.rounds, tuple(options.set), options.out))


def _worker(options: argparse.Namespace) -> int:
    from gateway.bench.ladder import Ladder
    from gateway.bench.worker_ladder import bench_worker

    ladder = Ladder(options.clients, options.text, options.limit_ms, not options.no_reference, not options.no_poisson)
    return asyncio.run(bench_worker(ladder, tuple(options.set), options.out))


def _transport(options: argparse.Namespace) -> int:
    from gateway.bench.transport import bench_transport

    return asyncio.run(bench_transport(tuple(options.set), options.out))
