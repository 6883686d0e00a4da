"""Several processes as one: a gateway with its worker and model server, started and ended together."""

import asyncio
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import aiohttp

from config.errors import ConfigError

HOST = "127.0.0.1"
# Loading three models on a slow laptop with a cold disk.
READY_TIMEOUT_S = 180.0
_ASK_EVERY_S = 0.25
# After SIGTERM; then the process is killed.
_STOP_TIMEOUT_S = 8.0


class Stack:
    """A gateway and what it needs, each a process. Entering returns when a call can be taken; leaving ends them all.

    `commands` are modules with their arguments, in the order of starting. Each process writes its log to `log_dir`.
    ConfigError when one ends early, or `url` is not ready in time.
    """

    def __init__(
        self, commands: Mapping[str, Sequence[str]], url: str, log_dir: Path, ready_path: str = "/readyz"
    ) -> None:
        self.url = url
        self._commands = commands
        self._log_dir = log_dir
        self._ready_path = ready_path
        self._processes: dict[str, asyncio.subprocess.Process] = {}

    def pid(self, name: str) -> int:
        """Process id of one of the commands, once entered."""
        return self._processes[name].pid

    async def __aenter__(self) -> "Stack":
        try:
            self._log_dir.mkdir(parents=True, exist_ok=True)
            for name, arguments in self._commands.items():
                await self._start(name, arguments)
            await self._until_ready()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._stop()

    async def _start(self, name: str, arguments: Sequence[str]) -> None:
        # The children answer for themselves: a Ctrl-C in the terminal reaches only us, and we end them in order.
        with (self._log_dir / f"{name}.log").open("wb") as log:
            self._processes[name] = await asyncio.create_subprocess_exec(
                sys.executable, "-m", *arguments, stdout=log, stderr=log, stdin=asyncio.subprocess.DEVNULL,
                env={**os.environ, "PYTHONUNBUFFERED": "1"}, start_new_session=True,
            )  # fmt: skip

    async def _until_ready(self) -> None:
        try:
            async with asyncio.timeout(READY_TIMEOUT_S), aiohttp.ClientSession() as http:
                while not await self._is_ready(http):
                    self._check_alive()
                    await asyncio.sleep(_ASK_EVERY_S)
        except TimeoutError:
            raise ConfigError(
                f"not ready after {READY_TIMEOUT_S:.0f} s; the logs in {self._log_dir} say what is waiting"
            ) from None

    async def _is_ready(self, http: aiohttp.ClientSession) -> bool:
        try:
            async with http.get(f"{self.url}{self._ready_path}", timeout=aiohttp.ClientTimeout(total=5)) as response:
                return response.status == 200
        except (aiohttp.ClientError, TimeoutError):
            return False

    def _check_alive(self) -> None:
        for name, process in self._processes.items():
            if process.returncode is not None:
                log = self._log_dir / f"{name}.log"
                lines = log.read_text("utf-8", "replace").strip().splitlines()
                last = lines[-1] if lines else "it said nothing"
                raise ConfigError(f"the {name} process ended with {process.returncode}: {last[:300]} (see {log})")

    async def _stop(self) -> None:
        for process in reversed(self._processes.values()):
            if process.returncode is None:
                process.terminate()
        for process in self._processes.values():
            try:
                async with asyncio.timeout(_STOP_TIMEOUT_S):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()


def offline_stack(model_file: Path, port: int, log_dir: Path, overrides: Sequence[str] = ()) -> Stack:
    """The offline profile: llama.cpp's server over `model_file`, the TTS worker, and a gateway on `port` (0: any free).

    ConfigError when the port is taken.
    """
    port, model_port = _checked(port), free_port()
    common = (f"llm.openai.base_url=http://{HOST}:{model_port}/v1", "log.format=json", *overrides)
    model = ["gateway.llm.llama_server", str(model_file), "--port", str(model_port)]
    return Stack({"model": model, **_gateway_and_worker("offline", port, common)}, f"http://{HOST}:{port}", log_dir)


def scripted_stack(profile: str, port: int, log_dir: Path, overrides: Sequence[str] = ()) -> Stack:
    """A profile that needs no model server: the TTS worker and a gateway on `port` (0: any free).

    ConfigError when the port is taken.
    """
    port = _checked(port)
    common = ("log.format=json", *overrides)
    return Stack(_gateway_and_worker(profile, port, common), f"http://{HOST}:{port}", log_dir)


def loadtest_stack(log_dir: Path, overrides: Sequence[str] = ()) -> Stack:
    """The loadtest profile: tone worker and a gateway, on free ports."""
    port = free_port()
    return Stack(
        _gateway_and_worker("loadtest", port, ("log.level=warning", *overrides)), f"http://{HOST}:{port}", log_dir
    )


def worker_stack(log_dir: Path, overrides: Sequence[str] = ()) -> Stack:
    """A TTS worker alone, with the offline profile's engine unless overridden, on a free port."""
    port = free_port()
    settings = ["--profile", "offline"]
    for override in (f"worker.port={port}", *overrides):
        settings += ["--set", override]
    return Stack({"worker": ["tts_worker", *settings]}, f"http://{HOST}:{port}", log_dir, ready_path="/ping")


def _gateway_and_worker(profile: str, port: int, overrides: Sequence[str]) -> dict[str, list[str]]:
    worker_port = free_port()
    settings = ["--profile", profile]
    for override in (
        f"server.port={port}",
        f"worker.port={worker_port}",
        f"tts.url=ws://{HOST}:{worker_port}",
        *overrides,
    ):
        settings += ["--set", override]
    return {"worker": ["tts_worker", *settings], "gateway": ["gateway", "serve", *settings]}


def free_port() -> int:
    """A TCP port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _checked(port: int) -> int:
    if not port:
        return free_port()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ConfigError(f"port {port} is taken ({error.strerror}); choose another with --port") from error
    return port
