"""`voicebot`: every command, its flags and its one-sentence errors. What a command does is in its own module."""

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from config import logs
from config.errors import ConfigError
from config.settings import Settings
from config.sources import load
from gateway.cli_bench import run_bench
from gateway.cli_values import count, port
from gateway.errors import VoicebotError

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 success, 1 the command failed, 2 the operator's input is wrong."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["models"]:  # its flags are its own
        return _models(given[1:])
    options = _parser().parse_args(given)
    run: Command = options.run
    try:
        return run(options)
    except ConfigError as error:
        print(f"voicebot {options.command}: {error}", file=sys.stderr)
        return 2
    except VoicebotError as error:
        print(f"voicebot {options.command}: {error.detail or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="voicebot", description="Answers phone calls with a language model and a natural voice."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    serve = _add(commands, "serve", "run the gateway", "voicebot serve --profile aws --config my.toml", _serve)
    _add_settings(serve)

    worker = _add(commands, "worker", "run the TTS worker", "voicebot worker --set worker.port=8081", _worker)
    _add_settings(worker)

    demo = _add(commands, "demo", "run everything offline and place a recorded call", "voicebot demo --once", _demo)
    demo.add_argument(
        "--profile", choices=["offline", "indonesia"], default="offline", help="which bot (default offline: English)"
    )
    demo.add_argument("--port", type=port, default=8080, help="the gateway's port (default 8080)")
    demo.add_argument("--no-call", action="store_true", help="only serve: for your own calls and the softphone")
    demo.add_argument("--once", action="store_true", help="exit after the call instead of going on to serve")
    demo.add_argument("--out", type=Path, default=Path("demo-out"), help="folder of heard.wav, call.json, timeline.png")

    call = _add(
        commands,
        "call",
        "play recordings as a caller",
        "voicebot call hours.wav --url ws://127.0.0.1:8080 --out out",
        _call,
    )
    call.add_argument("files", nargs="+", metavar="FILE", help="one recording a turn, or dtmf:DIGITS")
    call.add_argument("--url", default="ws://127.0.0.1:8080", help="the gateway (default ws://127.0.0.1:8080)")
    call.add_argument("--platform", default="twilio", help="whose dialect to speak (default twilio)")
    call.add_argument(
        "--out", type=Path, default=Path("out"), metavar="DIR", help="where the report goes (default out)"
    )
    call.add_argument(
        "--secret", "--auth-token", default="", help="sign as the platform with this token, or user:password"
    )
    call.add_argument("--public-url", default="", help="the base the platform signs for, where it is not --url")
    call.add_argument("--tape", type=Path, metavar="FILE", help="keep every message of the stream, a line each")
    call.add_argument("--tcp-port", type=int, default=0, help="audiosocket: the gateway's port for it")
    call.add_argument("--admin-token", default="", help="read the gateway's own record of the call with this token")

    doctor = _add(
        commands, "doctor", "check this machine and configuration", "voicebot doctor --profile offline", _doctor
    )
    _add_settings(doctor)

    soak = _add(commands, "soak", "many calls; nothing may pile up", "voicebot soak --calls 50", _soak)
    soak.add_argument("files", nargs="*", type=Path, metavar="FILE", help="the caller's turns (default: bundled ones)")
    soak.add_argument("--calls", type=count, default=50, help="calls in all (default 50)")
    soak.add_argument("--at-once", type=count, default=1, help="calls at a time (default 1)")
    soak.add_argument("--out", type=Path, default=Path("bench-out"), metavar="DIR", help="where the logs go")

    bench = _add(commands, "bench", "measure", "voicebot bench gateway --calls 1 10 40", _bench)
    bench.add_argument(
        "what",
        choices=["gateway", "conversation", "tts", "worker", "transport"],
        help="gateway: its own cost and delay; conversation: turns and interruptions; tts: first audio; "
        "worker: callers at once; transport: base64 or binary",
    )
    bench.add_argument(
        "--calls", type=count, nargs="+", default=[1, 10, 40], metavar="N", help="gateway: calls at once"
    )
    bench.add_argument("--turns", type=count, default=5, help="gateway: turns a call (default 5)")
    bench.add_argument("--rounds", type=count, default=5, help="tts, conversation: rounds (default 5)")
    bench.add_argument(
        "--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="tts, worker, transport: its settings"
    )
    _add_ladder(bench)
    bench.add_argument("--out", type=Path, default=Path("bench-out"), metavar="DIR", help="where the figures go")

    commands.add_parser("models", help="fetch and verify model files (voicebot models --help)")
    return parser


def _add_ladder(bench: argparse.ArgumentParser) -> None:
    bench.add_argument(
        "--clients", type=count, nargs="+", default=[1, 5, 10, 20], metavar="N", help="worker: the ladder"
    )
    bench.add_argument(
        "--text", choices=["replies", "short"], default="replies", help="worker: 2 to 4 sentences, or 25 characters"
    )
    bench.add_argument(
        "--limit-ms", type=float, default=1000.0, help="worker: first audio (p95) for Q_max (default 1000)"
    )
    bench.add_argument("--no-reference", action="store_true", help="worker: without the one-lock scheme beside it")
    bench.add_argument("--no-poisson", action="store_true", help="worker: without open-loop load")


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, purpose: str, example: str, run: Command
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=purpose, description=purpose, epilog=f"example: {example}")
    parser.set_defaults(run=run)
    return parser


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="a TOML file laid over the defaults")
    parser.add_argument("--profile", default="", metavar="NAME", help="a profile: offline, indonesia, aws, loadtest")
    parser.add_argument(
        "--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="one setting; may be repeated"
    )


def _settings(options: argparse.Namespace) -> Settings:
    settings = load(options.profile, options.config, options.set)
    logs.set_up(settings.log.level, settings.log.format, settings.log.words)
    return settings


def _serve(options: argparse.Namespace) -> int:
    from gateway.app import serve

    asyncio.run(serve(_settings(options)))
    return 0


def _worker(options: argparse.Namespace) -> int:
    """The worker is a program of its own that shares no code with the gateway: become it."""
    command = [sys.executable, "-m", "tts_worker"]
    if options.config:
        command += ["--config", str(options.config)]
    if options.profile:
        command += ["--profile", options.profile]
    for override in options.set:
        command += ["--set", override]
    sys.stdout.flush()
    os.execv(sys.executable, command)


def _demo(options: argparse.Namespace) -> int:
    from gateway.demo import run_demo

    place_call = not options.no_call
    return asyncio.run(run_demo(options.profile, options.port, options.out, place_call=place_call, once=options.once))


def _call(options: argparse.Namespace) -> int:
    from gateway.simulator.failure import WRONG_INPUT, CallFailed
    from gateway.simulator.report_table import print_report
    from gateway.simulator.run import run_call

    try:
        report = asyncio.run(
            run_call(
                options.files,
                options.url,
                options.platform,
                options.out,
                secret=options.secret,
                public_url=options.public_url,
                admin_token=options.admin_token,
                tcp_port=options.tcp_port,
                tape=options.tape,
            )
        )
    except (OSError, ValueError) as error:
        raise ConfigError(str(error)) from error
    except CallFailed as error:
        if error.code in WRONG_INPUT:
            raise ConfigError(error.detail) from error
        raise
    print_report(report, options.out)
    return 0 if report.answered == len(options.files) else 1


def _models(arguments: list[str]) -> int:
    """Fetch; then have the worker, a program of its own, build what it derives from the files."""
    from config.models import main as models

    code = models(arguments)
    if code == 0 and not {"--list", "--verify", "--help", "-h"}.intersection(arguments):
        folder = [arguments[arguments.index("--dir") + 1]] if "--dir" in arguments else []
        return subprocess.run([sys.executable, "-m", "tts_worker.weights", *folder]).returncode
    return code


def _doctor(options: argparse.Namespace) -> int:
    from gateway.doctor import examine

    return asyncio.run(examine(_settings(options)))


def _soak(options: argparse.Namespace) -> int:
    from gateway.bench.soak import soak
    from gateway.demo import bundled_callers

    with bundled_callers() as bundled:
        try:
            return asyncio.run(soak(options.files or bundled, options.calls, options.at_once, options.out))
        except (OSError, ValueError) as error:
            raise ConfigError(str(error)) from error


def _bench(options: argparse.Namespace) -> int:
    if options.what == "conversation":
        logs.set_up("error", "console", words=False)  # hundreds of scripted calls
    return run_bench(options)
