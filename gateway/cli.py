"""`voicebot`: every command, its flags and its one-sentence errors. What a command does is in its own module."""

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence

from config import logs
from config.errors import ConfigError
from config.settings import Settings
from config.sources import add_options, load
from gateway.commands.bench import add_bench
from gateway.commands.flags import Command, add, call_flags, demo_flags, soak_flags
from gateway.commands.plan import add_plan
from gateway.errors import VoicebotError


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
    add_options(add(commands, "serve", "run the gateway", "voicebot serve --profile aws --config my.toml", _serve))
    add_options(add(commands, "worker", "run the TTS worker", "voicebot worker --set worker.port=8081", _worker))
    demo_flags(add(commands, "demo", "run everything offline, with a recorded call", "voicebot demo --once", _demo))
    call_flags(add(commands, "call", "play recordings as a caller", "voicebot call hours.wav --out out", _call))
    add_options(
        add(commands, "doctor", "check this machine and configuration", "voicebot doctor --profile offline", _doctor)
    )
    soak_flags(add(commands, "soak", "many calls; nothing may pile up", "voicebot soak --calls 50", _soak))
    add_bench(commands)
    add_plan(commands)
    commands.add_parser("models", help="fetch and verify model files (voicebot models --help)")
    return parser


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
    from gateway.commands.demo import run_demo

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
    from gateway.commands.doctor import examine

    return asyncio.run(examine(_settings(options)))


def _soak(options: argparse.Namespace) -> int:
    from gateway.bench.soak import soak
    from gateway.commands.demo import bundled_callers

    with bundled_callers() as bundled:
        try:
            return asyncio.run(soak(options.files or bundled, options.calls, options.at_once, options.out))
        except (OSError, ValueError) as error:
            raise ConfigError(str(error)) from error
