"""The worker against the reference scheme on one card, from weights to table in under ten minutes.

    .venv-torch/bin/python -m tests.gpu.compare --device cuda

Three steps: batches are compared with solo runs, then both servers climb the same ladder, one after the other, then
the table is printed with what it is measured against. Without a card the same steps climb a smaller ladder (`--quick`);
its figures say nothing about one.
"""

import argparse
import asyncio
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import numpy as np
import torch
from rich.console import Console

from gateway.bench.ladder import Ladder, Rung, q_max
from gateway.bench.worker_ladder import Bench
from gateway.bench.worker_report import print_rungs, told_given_back, wide_console, write_report
from gateway.commands.stack import HOST, Stack, free_port, worker_stack
from tests.tts_worker.spectrum import log_mel_distance_db
from tts_worker.batch import BatchedKokoro
from tts_worker.g2p import Phonemizer
from tts_worker.kokoro_torch import load_model
from tts_worker.symbols import Alphabet
from tts_worker.voices import VoiceBook
from tts_worker.weights import locate_kokoro

# What the issue asks of a card: requests a second over the reference's, and first audio at twenty callers.
RATE_GOAL, FIRST_GOAL_MS, FIRST_GOAL_CLIENTS = 4.0, 200.0, 20
# On a card a rung is over in seconds; on a CPU one reply takes one. The bound keeps either below ten minutes in all.
LADDER = Ladder((1, 5, 10, 20, 40), "short", FIRST_GOAL_MS, rounds=20, rung_s=30.0)
QUICK = dataclasses.replace(LADDER, clients=(1, 2, 4), rounds=3, rung_s=20.0)
TEXTS = ["Okay.", "Please hold the line.", "We are open in the morning and closed in the evening."]


def main() -> int:
    """Return 0 when batches equal their solo runs and every request was answered; the goals are printed, not judged."""
    options = _parser().parse_args()
    console, began_s = wide_console(), time.perf_counter()
    console.print(f"torch {torch.__version__}, {_name_of(options.device)}")
    is_equal = check_batches(options.weights, options.device, console)
    options.out.mkdir(parents=True, exist_ok=True)
    ladder = QUICK if options.quick or not options.device.startswith("cuda") else LADDER
    ladder = dataclasses.replace(ladder, clients=options.clients or ladder.clients, text=options.text)
    rungs, given_back = asyncio.run(measure(options.weights, options.device, ladder, options.out))
    print_rungs(console, rungs)
    for line in verdict(rungs):
        console.print(line)
    console.print(told_given_back(given_back))
    best = q_max([rung for rung in rungs if rung.scheme == "sessions"], FIRST_GOAL_MS)
    write_report(options.out, FIRST_GOAL_MS, best, given_back, rungs)
    console.print(f"all of it took {time.perf_counter() - began_s:.0f} s")
    return 0 if is_equal and not any(rung.failed for rung in rungs) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu.compare", description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--weights", default="", help="a .pth of Kokoro's; otherwise the store's")
    parser.add_argument("--quick", action="store_true", help="the small ladder, as without a card")
    parser.add_argument("--clients", type=int, nargs="+", help="other rungs")
    parser.add_argument("--text", choices=["short", "replies"], default="short")
    parser.add_argument("--out", type=Path, default=Path("bench-out/gpu"))
    return parser


def _name_of(device: str) -> str:
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


def check_batches(weights: str, device: str, console: Console) -> bool:
    """Speak TEXTS together and alone, in float32; print and return whether each lasts and sounds the same."""
    files = locate_kokoro("")
    phonemizer, voices = Phonemizer(Alphabet.load(files.config)), VoiceBook(files.voices)
    kokoro = BatchedKokoro(load_model(Path(weights) if weights else files.onnx, files.config).to(device), torch.float32)
    tokens, styles = [], []
    for text in TEXTS:
        phonemes = "".join(unit.phonemes + " " * unit.space for unit in phonemizer.units(text, "en-us")).strip()
        tokens.append([0, *phonemizer.alphabet.tokens(phonemes), 0])
        styles.append(voices.style("af_heart", len(phonemes)))
    together = kokoro.speak(tokens, torch.from_numpy(np.concatenate(styles)), [1.0] * len(tokens))
    is_equal = True
    for item, ids in enumerate(tokens):
        first, second = (kokoro.speak([ids], torch.from_numpy(styles[item]), [1.0])[0] for _ in range(2))
        both = together[item]
        assert first is not None
        assert second is not None
        assert both is not None
        if first.durations.tolist() != both.durations.tolist():
            console.print(f"batch item {item}: other durations than alone")
            is_equal = False
            continue
        floor_db = log_mel_distance_db(first.samples.numpy(), second.samples.numpy())
        away_db = log_mel_distance_db(first.samples.numpy(), both.samples.numpy())
        console.print(f"batch item {item}: {away_db:.2f} dB from solo, two solo runs {floor_db:.2f} dB")
        is_equal = is_equal and away_db < 1.25 * floor_db
    return is_equal


async def measure(weights: str, device: str, ladder: Ladder, out: Path) -> tuple[list[Rung], float | None]:
    """Climb with the worker, then with the reference; each has the card to itself."""
    rungs: list[Rung] = []
    settings = [f"worker.device={device}", "worker.engine=kokoro_torch", "worker.max_sessions=1000"]
    settings += [f"worker.weights={weights}"] if weights else []
    port = free_port()
    command = ["tests.gpu.reference", "--port", str(port), "--device", device, "--weights", weights]
    reference = Stack({"worker": command}, f"http://{HOST}:{port}", out / "reference", ready_path="/ping")
    given_back: float | None = None
    for scheme, stack in (("sessions", worker_stack(out / "logs", settings)), ("reference", reference)):
        connector = aiohttp.TCPConnector(limit=2 * max(ladder.clients))
        async with stack, aiohttp.ClientSession(connector=connector) as http:
            bench = Bench(http, stack.url, stack.pid("worker"), ladder)
            await bench.closed_loop(scheme, min(ladder.clients))  # unmeasured: kernels are chosen, caches fill
            for clients in ladder.clients:
                rungs.append(await bench.closed_loop(scheme, clients))
            if scheme == "sessions":
                given_back = await bench.cancellation(max(ladder.clients), 0.3)
    return rungs, given_back


def verdict(rungs: Sequence[Rung]) -> list[str]:
    """Return what the issue asks of a card beside what was measured."""
    ours = {rung.clients: rung for rung in rungs if rung.scheme == "sessions"}
    theirs = {rung.clients: rung for rung in rungs if rung.scheme == "reference"}
    most = max(ours)
    ratio = ours[most].replies_per_s / theirs[most].replies_per_s
    lines = [f"{ratio:.1f} times the reference's requests/s at {most} callers (goal on a card: {RATE_GOAL:.0f})"]
    if FIRST_GOAL_CLIENTS in ours:
        first_ms = ours[FIRST_GOAL_CLIENTS].first_p95_ms
        lines.append(f"p95 first audio at {FIRST_GOAL_CLIENTS} callers {first_ms:.0f} ms (goal {FIRST_GOAL_MS:.0f} ms)")
    return lines


if __name__ == "__main__":
    sys.exit(main())
