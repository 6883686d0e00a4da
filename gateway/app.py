"""From settings to a running gateway: the one place where configuration becomes parts."""

import asyncio
import signal
from pathlib import Path

import aiohttp
import structlog
from aiohttp import web

from config.errors import ConfigError
from config.settings import Settings
from gateway.call.calls import Calls
from gateway.call.recording import Recordings
from gateway.console.softphone import NAME as SOFTPHONE
from gateway.console.softphone import Softphone
from gateway.gateway import Gateway
from gateway.http.platform_routes import SocketBounds
from gateway.http.requests import MAX_WEBHOOK_BYTES, RequestReader
from gateway.http.server_log import server_log
from gateway.http.tcp_listener import TcpListener
from gateway.parts import Bounds, Parts
from gateway.platforms.audiosocket import AudioSocket
from gateway.platforms.shelf import Shelf
from gateway.routes import Routes
from gateway.telemetry import Telemetry
from gateway.wiring.bots import build_routing
from gateway.wiring.engines import build_ears, build_model, build_prosody, build_voice
from gateway.wiring.platforms import build_controls, build_platforms

log = structlog.get_logger(__name__)

# Connections that are still open after the drain (health checks, scrapes) get this long.
SHUTDOWN_S = 2.0


async def serve(settings: Settings) -> None:
    """Run until SIGTERM or SIGINT, then drain. ConfigError when a part cannot be built or the port is taken."""
    # All callers share it, so it keeps no cookies; a tool's slow server must not keep a hang-up waiting, so no limit.
    jar, connector = aiohttp.DummyCookieJar(), aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(cookie_jar=jar, connector=connector) as http:
        gateway = build_gateway(settings, http)
        runner = build_runner(gateway, settings)
        await runner.setup()
        listener: TcpListener | None = None
        try:
            await _listen(runner, settings.server.host, settings.server.port)
            listener = await _listen_tcp(gateway, settings)
            await gateway.start()
            await _told_to_stop()
            log.info("draining", calls=gateway.calls.count)
        finally:
            await gateway.stop(settings.server.drain_s)
            if listener is not None:
                await listener.stop()
            await runner.cleanup()


def build_runner(gateway: Gateway, settings: Settings) -> web.AppRunner:
    """The HTTP application with its bounds: a peer that dribbles a request's head is closed as an idle one is.

    Bodies are taken as they come: 60 kB could be unpacked to 60 MB, and hold up every call. No platform packs them.
    """
    return web.AppRunner(
        build_app(gateway, settings),
        handle_signals=False,
        access_log=None,
        logger=server_log(),
        auto_decompress=False,
        shutdown_timeout=SHUTDOWN_S,
        keepalive_timeout=settings.server.keep_alive_s,
    )


def build_app(gateway: Gateway, settings: Settings) -> web.Application:
    """The HTTP application around a gateway."""
    app = web.Application(client_max_size=MAX_WEBHOOK_BYTES)
    reader = RequestReader(settings.server.public_url, settings.server.trusted_proxies)
    Routes(gateway, reader, settings.security.admin_token, _socket_bounds(settings)).add_to(app)
    return app


def build_gateway(settings: Settings, http: aiohttp.ClientSession) -> Gateway:
    """Every part by its settings; ConfigError when a package, model or value is missing."""
    server = settings.server
    now = asyncio.get_running_loop().time
    # Without a public address nobody but this machine can fetch a document, and nobody but it is called.
    base_url = server.public_url.rstrip("/") or f"http://{server.host}:{server.port}"
    shelf = Shelf(f"{base_url}/documents", now)
    parts = Parts(
        ears=build_ears(settings.stt, settings.models.dir),
        model=build_model(settings.llm),
        voice=build_voice(settings.tts),
        platforms={**build_platforms(settings), SOFTPHONE: Softphone()},
        controls=build_controls(settings, http, shelf.put),
        shelf=shelf,
        base_url=base_url,
        prosody=build_prosody(settings.stt, settings.models.dir),
    )
    routing = build_routing(settings, http)
    keep_calls = settings.transcripts.keep_calls
    calls = Calls(server.max_calls, settings.security.token_ttl_s, keep_calls, now, routing.caps)
    bounds = Bounds(server.first_message_s, server.send_timeout_s, settings.security.replay_s)
    recording = settings.recording
    recordings = Recordings(Path(recording.dir), recording.keep_days) if recording.dir else None
    return Gateway(parts, routing, calls, Telemetry(), bounds, settings.security.insecure_dev, recordings)


def _socket_bounds(settings: Settings) -> SocketBounds:
    return SocketBounds(settings.server.sockets_per_source, settings.server.messages_per_s)


async def _listen(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}:{port} ({error.strerror}); choose another server.port") from error
    for address in runner.addresses:
        log.info("gateway_listening", host=address[0], port=address[1])


async def _listen_tcp(gateway: Gateway, settings: Settings) -> TcpListener | None:
    """Listen for AudioSocket, where it is on and has a port."""
    platform, port = gateway.parts.platforms.get(AudioSocket.name), settings.audiosocket.port
    if platform is None or not port:
        return None
    listener = TcpListener(gateway, platform, settings.audiosocket.networks, _socket_bounds(settings))
    host = settings.server.host
    try:
        await listener.start(host, port)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host}:{port} ({error.strerror}); choose another audiosocket.port"
        ) from error
    return listener


async def _told_to_stop() -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.remove_signal_handler(number)  # a second signal ends the process at once
