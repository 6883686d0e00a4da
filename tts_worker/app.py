"""The worker's HTTP application: /ping, /invocations and the session's WebSocket. Needs no model library to import."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from config.errors import ConfigError
from config.settings import WorkerSettings
from media.tts_wire import STREAM_PATH
from tts_worker import stream
from tts_worker.engine import Engine
from tts_worker.engines import build_engine
from tts_worker.invocations import invocations
from tts_worker.request import Delivery, RequestReader
from tts_worker.scheduler import Scheduler
from tts_worker.worker import Worker, WorkerLimits


def configured_app(settings: WorkerSettings) -> Starlette:
    """Return the application with the configured engine and limits; ConfigError when the engine cannot be had."""
    own = settings.worker
    engine = build_engine(own.engine, settings.models.dir, own.weights, own.threads, own.device)
    limits = WorkerLimits(own.max_sessions, own.max_queued, own.idle_s, own.session_s, own.stall_s, own.hang_s)
    return build_app(engine, limits, own.token)


def build_app(
    engine: Engine,
    limits: WorkerLimits | None = None,
    token: str = "",
    defaults: Delivery | None = None,
    wall_clock_s: Callable[[], float] = time.time,
) -> Starlette:
    """Return the application around `engine`; its shared state is `app.state.worker`.

    The engine is warmed up and closed by the application's lifespan. Raises ConfigError when the default voice or
    language is not the engine's.
    """
    limits, defaults = limits or WorkerLimits(), defaults or _defaults(engine)
    if defaults.voice not in engine.voices:
        raise ConfigError(f"engine {engine.name} has no voice {defaults.voice}; choose one of {sorted(engine.voices)}")
    if defaults.language and defaults.language not in engine.languages:
        raise ConfigError(f"engine {engine.name} has no language {defaults.language}; use {sorted(engine.languages)}")
    reader = RequestReader(engine.voices, engine.languages, wall_clock_s)
    worker = Worker(engine, Scheduler(engine, limits.max_queued, limits.hang_s), reader, defaults, limits, token)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        worker.scheduler.start()
        try:
            yield
        finally:
            await worker.scheduler.stop()

    routes = [
        Route("/ping", ping),
        Route("/metrics", metrics),
        Route("/invocations", invocations, methods=["POST"]),
        WebSocketRoute(STREAM_PATH, stream.serve),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    app.state.worker = worker
    return app


def _defaults(engine: Engine) -> Delivery:
    """The public sample's default voice where the engine has it, else its first."""
    usual = Delivery()
    return usual if usual.voice in engine.voices else Delivery(voice=min(engine.voices))


async def ping(request: Request) -> JSONResponse:
    """200 when the engine is ready, full or not: a full worker must not be replaced. 503 while it loads or stops, and
    when the engine is lost: then it must be.

    `free` is how many more sessions would be taken now.
    """
    worker: Worker = request.app.state.worker
    facts = {"status": worker.status, "engine": worker.engine.name, "sessions": worker.sessions, "free": worker.free}
    return JSONResponse(facts, 200 if worker.ready else 503)


async def metrics(request: Request) -> Response:
    """The worker's metrics; they tell nothing of what is said."""
    worker: Worker = request.app.state.worker
    return Response(worker.scheduler.telemetry.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")
