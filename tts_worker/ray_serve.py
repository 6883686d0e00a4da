"""The worker as a Ray Serve deployment: several replicas of the same application behind one address.

`python -m tts_worker.ray_serve` runs it until SIGTERM, on a Ray of its own or on the cluster that RAY_ADDRESS names.
A Serve config file names `tts_worker.ray_serve:application` instead.

A session counts as one ongoing request for as long as it is open, so calls are what Serve spreads and scales by.
"""

import argparse
import asyncio
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import ray
import structlog
from pydantic import BaseModel
from ray import serve
from ray.serve.config import AutoscalingConfig
from starlette.applications import Starlette

from config import logs, sources
from config.errors import ConfigError
from config.settings import WorkerSettings
from config.worker import Worker as WorkerGroup
from tts_worker.app import configured_app
from tts_worker.engines import build_engine
from tts_worker.worker import Worker

log = structlog.get_logger(__name__)

_NAME = "tts"
# Beside sessions a replica answers pings and POSTs; and it must see the session too many itself, to refuse it with the
# reason and a hint when to try again, where Serve would let the caller wait for a place.
_SPARE_REQUESTS = 16
# A replica that died is replaced after as long as this; its calls went to another at once.
_HEALTH_PERIOD_S, _HEALTH_TIMEOUT_S = 2.0, 10.0


class Source(BaseModel):
    """Arguments of `application` in a Serve config file: where settings come from, as on the command line."""

    profile: str = ""
    config: Path | None = None
    set: list[str] = []


def application(source: Source) -> serve.Application:
    """Return the application for `serve run` and Serve config files; ConfigError with the remedy."""
    return _application(sources.load_worker(source.profile, source.config, source.set))


def _application(settings: WorkerSettings) -> serve.Application:
    own, scale = settings.worker, settings.worker.ray
    _check(own)
    build_engine(own.engine, settings.models.dir, own.weights, own.threads, own.device)  # what is missing is said here
    deployment = serve.deployment(
        _replica(settings),
        name="Worker",
        max_ongoing_requests=own.max_sessions + _SPARE_REQUESTS,
        autoscaling_config=AutoscalingConfig(
            min_replicas=scale.min_replicas,
            max_replicas=scale.max_replicas,
            target_ongoing_requests=scale.target_sessions,
            upscale_delay_s=scale.scale_out_s,
            downscale_delay_s=scale.scale_in_s,
        ),
        ray_actor_options={"num_cpus": scale.cpus, "num_gpus": scale.gpus},
        health_check_period_s=_HEALTH_PERIOD_S,
        health_check_timeout_s=_HEALTH_TIMEOUT_S,
        graceful_shutdown_timeout_s=scale.drain_s,
    )
    return deployment.bind()


def _check(own: WorkerGroup) -> None:
    """Raise ConfigError for what is right for one worker and wrong for replicas."""
    if own.port == 0:
        raise ConfigError("worker.port is 0; under Ray Serve every machine listens on the same one: name it")
    if own.ray.target_sessions > own.max_sessions:
        raise ConfigError(
            f"worker.ray.target_sessions {own.ray.target_sessions:g} is above worker.max_sessions {own.max_sessions}: "
            "calls would be refused before a replica is added; lower it"
        )


def _replica(settings: WorkerSettings) -> type:
    def build() -> Starlette:
        logs.set_up(settings.log.level, settings.log.format, settings.log.words)
        return configured_app(settings)

    @serve.ingress(build)
    class Replica:
        """One process with an engine of its own."""

        app: Starlette  # set by Serve

        async def check_health(self) -> None:
            """Return once the engine is warm: until then Serve sends nobody. Raises when it failed, or is lost."""
            worker: Worker = self.app.state.worker
            assert worker.scheduler.warmed_up is not None
            await asyncio.shield(worker.scheduler.warmed_up)
            if worker.scheduler.is_lost:
                raise RuntimeError("the engine is lost; see the replica's log")

    return Replica


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT, then drain; return 0, 2 when the configuration is at fault, 1 when Ray is."""
    options = _parser().parse_args(arguments)
    try:
        settings = sources.load_worker(options.profile, options.config, options.set)
        logs.set_up(settings.log.level, settings.log.format, settings.log.words)
        deployed = _application(settings)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    # Callers' words pass through the cluster; nothing about it is told to anybody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    own = settings.worker
    try:
        ray.init(include_dashboard=False if "RAY_ADDRESS" not in os.environ else None)
        stopped = _stop_signal()
        serve.start(http_options={"host": own.host, "port": own.port})
        serve.run(deployed, name=_NAME)
    except Exception as error:  # Ray's own kinds, RuntimeError among them, all of them about the cluster
        log.error("ray_serve_failed", error=str(error))
        ray.shutdown()
        return 1
    log.info("ray_serve_ready", host=own.host, port=own.port, replicas=own.ray.min_replicas)
    stopped.wait()
    _stop(own.drain_s)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tts_worker.ray_serve",
        description="Serves speech from several replicas of the worker, by Ray Serve.",
        epilog="example: python -m tts_worker.ray_serve --set worker.ray.min_replicas=2",
    )
    sources.add_options(parser)
    return parser


def _stop_signal() -> threading.Event:
    """Return what SIGTERM and SIGINT set. Ray sets handlers of its own when it starts, so this comes behind it."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


def _stop(drain_s: float) -> None:
    """Take no more calls, let the open ones speak for `drain_s`, end the rest."""
    log.info("ray_serve_draining", drain_s=drain_s)
    deletion = threading.Thread(target=serve.delete, args=(_NAME,), daemon=True)
    deletion.start()
    deletion.join(drain_s)
    serve.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    sys.exit(main())
