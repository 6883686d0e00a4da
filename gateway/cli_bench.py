"""`voicebot bench`: each measurement is imported only when it is asked for."""

import argparse
import asyncio

from config.errors import ConfigError
from config.models import ModelStore


def run_bench(options: argparse.Namespace) -> int:
    """Measure `options.what`; figures go to `options.out`. Raises ConfigError."""
    options.out.mkdir(parents=True, exist_ok=True)
    if options.what == "tts":
        from gateway.bench.incremental import bench_tts

        return asyncio.run(bench_tts(options.rounds, tuple(options.set), options.out))
    if options.what == "worker":
        from gateway.bench.worker_ladder import Ladder, bench_worker

        ladder = Ladder(
            options.clients, options.text, options.limit_ms, not options.no_reference, not options.no_poisson
        )
        return asyncio.run(bench_worker(ladder, tuple(options.set), options.out))
    if options.what == "transport":
        from gateway.bench.transport import bench_transport

        return asyncio.run(bench_transport(tuple(options.set), options.out))
    if options.what == "conversation":
        return _conversation(options)
    from gateway.bench.gateway_load import bench_gateway

    return asyncio.run(bench_gateway(options.calls, options.turns, options.out))


def _conversation(options: argparse.Namespace) -> int:
    from gateway.bench.conversation import bench_conversation

    try:
        whisper = ModelStore(None).locate("whisper-base")
    except ConfigError:  # the scripted parts need no model
        whisper = None
    return bench_conversation(options.rounds, options.out, whisper)
