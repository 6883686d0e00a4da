"""`voicebot plan LADDER`: from a worker's ladder and a call profile to a fleet and its scaling policy."""

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console

from config.errors import ConfigError
from gateway.commands.flags import Commands, add

# Flag, section, key, help. What has no flag goes into the file of --config.
_FLAGS = (
    ("--calls", "calls", "peak", "calls at once in the busiest minutes"),
    ("--calls-per-hour", "calls", "per_hour", "instead of --calls"),
    ("--duration-s", "calls", "duration_s", "mean length of a call (default 180)"),
    ("--growth-per-minute", "calls", "growth_per_minute", "calls at once more each minute on the way to the peak"),
    ("--quiet-calls", "calls", "quiet", "calls at once in the quietest hours (default 0)"),
    ("--talk-share", "calls", "talk_share", "share of a call in which the bot speaks (default 0.4)"),
    ("--sentence-s", "calls", "sentence_s", "mean seconds of speech in a sentence (default 2.5)"),
    ("--sentences-per-turn", "calls", "sentences_per_turn", "mean (default 2.5)"),
    ("--limit-ms", "promises", "first_audio_ms", "first audio that 95 %% of the replies keep (default 300)"),
    ("--instance-s", "scale_out", "instance_s", "a new machine with the image pulled (default 180.8)"),
)
_WHOLE = (
    ("--sessions", "promises", "sessions", "worker.max_sessions (default 64)"),
    ("--spare", "promises", "spare_instances", "instances that may be missing (default 1)"),
)
_NAMES = (
    ("--endpoint", "endpoint", "name", "name of the endpoint in the requests (default voicebot-tts)"),
    ("--variant", "endpoint", "variant", "its production variant (default main)"),
)


def add_plan(commands: Commands) -> None:
    parser = add(
        commands,
        "plan",
        "how many worker instances, and their scaling policy",
        "voicebot plan bench-out/worker.json --calls 400 --growth-per-minute 10 --simulate",
        _plan,
    )
    parser.add_argument("ladder", type=Path, metavar="LADDER", help="worker.json of voicebot bench worker")
    parser.add_argument("--scheme", default="", help="whose rungs (default sessions, or the only ones)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="TOML: [calls] [promises] [scale_out] [endpoint]")
    for kind, flags in ((float, _FLAGS), (int, _WHOLE), (str, _NAMES)):
        for flag, section, key, what in flags:
            parser.add_argument(
                flag, type=kind, dest=f"{section}.{key}", metavar="N" if kind is not str else "NAME", help=what
            )
    parser.add_argument("--simulate", action="store_true", help="try the fleet, and smaller ones, on simulated days")
    parser.add_argument("--json", action="store_true", help="for machines, AWS requests included")
    parser.add_argument("--out", type=Path, metavar="FILE.png", help="with --simulate: draw the days")


def _plan(options: argparse.Namespace) -> int:
    from gateway.plan.comparison import compare
    from gateway.plan.fleet import plan
    from gateway.plan.inputs import read_inputs
    from gateway.plan.ladder import read_ladder
    from gateway.plan.report import as_json, draw, print_plan, print_verdicts

    if options.out and not options.simulate:
        raise ConfigError("--out draws simulated days; add --simulate")
    ladder = read_ladder(options.ladder, options.scheme)
    inputs = read_inputs(options.config, _given(options))
    fleet = plan(ladder, inputs)
    verdicts = compare(ladder, inputs, fleet) if options.simulate else []
    if options.json:
        print(json.dumps(as_json(ladder, inputs, fleet, verdicts), indent=2))
    else:
        console = Console()
        print_plan(console, ladder, inputs, fleet)
        if verdicts:
            print_verdicts(console, verdicts)
    if options.out:
        try:
            draw(verdicts, fleet.instance.at_once, options.out)
        except (OSError, ImportError, ValueError) as error:
            raise ConfigError(
                f"{options.out} cannot be drawn ({error}); give a .png, and install the extra local"
            ) from error
    return 0


def _given(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    given: dict[str, dict[str, Any]] = {}
    for _, section, key, _ in (*_FLAGS, *_WHOLE, *_NAMES):
        value = getattr(options, f"{section}.{key}")
        if value is not None:
            given.setdefault(section, {})[key] = value
    return given
