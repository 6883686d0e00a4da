"""The worker's process: `python -m tts_worker [serve]`. Reads the configuration, listens, drains on SIGTERM."""

import argparse
import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from types import FrameType

import structlog
import uvicorn
from starlette.applications import Starlette

from config import logs, sources
from config.errors import ConfigError
from media.tts_wire import MAX_CONTROL_BYTES
from tts_worker.app import configured_app
from tts_worker.worker import Worker

log = structlog.get_logger(__name__)

# A larger message closes the socket; one between this and MAX_CONTROL_BYTES still gets an error to learn from.
_MAX_MESSAGE_BYTES = 2 * MAX_CONTROL_BYTES
# A gateway that vanished without a word is noticed within their sum; half of the load balancers cut silence at 60 s.
_PING_INTERVAL_S, _PING_TIMEOUT_S = 20.0, 20.0
# After the drain, for what is open all the same. With the drain's own last words and the scheduler's end it keeps the
# whole below the 30 s after which SageMaker kills.
_LAST_TASKS_S = 1
# A peer that vanished while nothing was under way is asked after so long a silence, and then gone after the time below.
_SILENT_S = 60
# A peer that acknowledges nothing for this long is gone; without it a socket nobody reads would stay for ever.
_UNACKNOWLEDGED_MS = 30_000
_BACKLOG = 512


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until SIGTERM or SIGINT; return 0, or 2 when the configuration is at fault, 1 when the engine is."""
    options = _parser().parse_args(arguments)
    try:
        settings = sources.load_worker(options.profile, options.config, options.set)
        logs.set_up(settings.log.level, settings.log.format, settings.log.words)
        app = configured_app(settings)
        listener = _listen(settings.worker.host, settings.worker.port)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    server = _Server(app, settings.worker.drain_s)
    asyncio.run(server.serve(sockets=[listener]))
    if server.is_at_work:
        # A load, or a call that hangs: with it inside, the engine's libraries abort or wait at the interpreter's end.
        sys.stderr.flush()
        os._exit(server.exit_code)
    return server.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tts_worker",
        description="Serves speech over a WebSocket and over POST /invocations.",
        epilog="example: python -m tts_worker --set worker.engine=tone --set worker.port=8081",
    )
    parser.add_argument("command", nargs="?", choices=["serve"], default="serve", help="what SageMaker starts")
    sources.add_options(parser)
    return parser


def _listen(host: str, port: int) -> socket.socket:
    """Bind before anything slow, so that a taken port is said at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only for sockets that name their protocol; with it, each sentence's first
    # audio waits 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; accepted sockets inherit it
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNACKNOWLEDGED_MS)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _SILENT_S)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigError(f"cannot listen on {host}:{port} ({error.strerror}); choose another worker.port") from error
    return listener


def _is_no_denial(record: logging.LogRecord) -> bool:
    """uvicorn takes a refusal before the upgrade, which stream.py tells of, for a fault of the application."""
    return "without completing handshake" not in record.msg


class _Server(uvicorn.Server):
    """uvicorn that says its real port, ends when the engine cannot start, and drains before it stops."""

    def __init__(self, app: Starlette, drain_s: float) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                backlog=_BACKLOG,
                ws_max_size=_MAX_MESSAGE_BYTES,
                ws_ping_interval=_PING_INTERVAL_S,
                ws_ping_timeout=_PING_TIMEOUT_S,
                ws_per_message_deflate=False,  # speech does not compress, trying costs a core
                timeout_graceful_shutdown=_LAST_TASKS_S,
            )
        )
        logging.getLogger("uvicorn.error").addFilter(_is_no_denial)
        self.exit_code = 0
        self._worker: Worker = app.state.worker
        self._drain_s = drain_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._drain: asyncio.Task[None] | None = None

    @property
    def is_at_work(self) -> bool:
        return self._worker.scheduler.is_at_work

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._loop = asyncio.get_running_loop()
        for listener in sockets or ():
            host, port, *_ = listener.getsockname()
            log.info("worker_listening", host=host, port=port, engine=self._worker.engine.name)
        warmed_up, lost = self._worker.scheduler.warmed_up, self._worker.scheduler.lost
        if warmed_up is not None and lost is not None:
            warmed_up.add_done_callback(self._on_warm)
            lost.add_done_callback(self._on_lost)

    def _on_warm(self, warmed_up: asyncio.Future[None]) -> None:
        if warmed_up.cancelled():
            return
        error = warmed_up.exception()
        if error is None:
            log.info("engine_ready", engine=self._worker.engine.name)
        else:
            log.error("engine_failed_to_start", engine=self._worker.engine.name, error=str(error) or repr(error))
            self.exit_code = 1
            self.should_exit = True

    def _on_lost(self, lost: asyncio.Future[str]) -> None:
        """Everybody has been answered; let them hear it, then end, so that whoever keeps the process starts another."""
        self.exit_code = 1
        self._begin_drain()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """First signal: drain, then stop with exit code 0. Second: stop now."""
        if self._loop is None or self._drain is not None or sig not in (signal.SIGTERM, signal.SIGINT):
            self.should_exit = True
        else:
            self._loop.call_soon_threadsafe(self._begin_drain)

    def _begin_drain(self) -> None:
        if self._drain is None:
            self._drain = asyncio.create_task(self._worker.drain(self._drain_s), name="tts-drain")
            self._drain.add_done_callback(lambda _: setattr(self, "should_exit", True))


if __name__ == "__main__":
    sys.exit(main())
