"""A gateway on real sockets with every platform switched on by its secrets, and what their simulators sign with."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from aiohttp import web
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from config.settings import Settings
from config.sources import load
from gateway.app import build_app
from gateway.bots.bot import Bot
from gateway.bots.routing import Routing
from gateway.call.calls import Calls
from gateway.call.script import Script, Timing
from gateway.commands.stack import free_port
from gateway.gateway import Gateway
from gateway.http.platform_routes import SocketBounds
from gateway.http.tcp_listener import TcpListener
from gateway.llm.scripted import ScriptedModel
from gateway.parts import Bounds, Parts
from gateway.platforms.control import CallControl
from gateway.platforms.shelf import Shelf
from gateway.simulator.run import Target
from gateway.stt.energy import EnergyRecognisers
from gateway.telemetry import Telemetry
from gateway.wiring.platforms import build_platforms
from tests.rig.call import FALLBACK, GOODBYE, GREETING, REPROMPT
from tests.rig.voice import TestVoices

ADMIN_TOKEN = "admin-token"
# What the platforms sign for; the gateway listens elsewhere, as behind a proxy that ends TLS.
PUBLIC_URL = "https://bot.example.test"
QUESTION = "What time do you open?"
ANSWER = "At nine."
_SEED = bytes(range(32))
_USER = "operator:synthetic-password"
_TOKEN = "synthetic-token-0001"
_KEY = b64encode(b"synthetic-client-secret-0001").decode()
# What each platform's simulator signs with; the gateway's settings below are its other half.
SECRETS = {
    "audiosocket": _USER,
    "bandwidth": _USER,
    "chan_websocket": _USER,
    "exotel": _USER,
    "freeswitch": _USER,
    "genesys": f"synthetic-key:{_KEY}",
    "jambonz": _TOKEN,
    "plivo": _TOKEN,
    "signalwire": _TOKEN,
    "telnyx": b64encode(_SEED).decode(),
    "twilio": _TOKEN,
    "vobiz": _TOKEN,
    "vonage": _TOKEN,
}


def secure_settings(more: Sequence[str] = ()) -> Settings:
    """Signatures and tokens required, of every platform."""
    public_key = Ed25519PrivateKey.from_private_bytes(_SEED).public_key()
    values = {
        "genesys.api_key": "synthetic-key",
        "genesys.client_secret": _KEY,
        "jambonz.webhook_secret": _TOKEN,
        "plivo.auth_token": _TOKEN,
        "signalwire.signing_key": _TOKEN,
        "telnyx.public_key": b64encode(public_key.public_bytes(Encoding.Raw, PublicFormat.Raw)).decode(),
        "twilio.auth_token": _TOKEN,
        "vobiz.auth_token": _TOKEN,
        "vonage.signature_secret": _TOKEN,
        "security.insecure_dev": "false",
        "security.admin_token": ADMIN_TOKEN,
        "server.public_url": PUBLIC_URL,
    }
    user, _, password = _USER.partition(":")
    for name in ("audiosocket", "bandwidth", "chan_websocket", "exotel", "freeswitch"):
        values |= {f"{name}.user": user, f"{name}.password": password}
    return load("loadtest", None, [*(f"{key}={value}" for key, value in values.items()), *more], {})


@asynccontextmanager
async def serving(
    controls: Mapping[str, CallControl] | None = None, settings: Sequence[str] = ()
) -> AsyncIterator[tuple[Gateway, Target]]:
    """The gateway and where it is called; small and working ears, model and voice."""
    port, tcp_port = free_port(), free_port()
    url = f"http://127.0.0.1:{port}"
    secured = secure_settings(settings)
    shelf = Shelf(f"{PUBLIC_URL}/documents", asyncio.get_running_loop().time)
    platforms = build_platforms(secured)
    parts = Parts(
        EnergyRecognisers([QUESTION]),
        ScriptedModel([ANSWER]),
        TestVoices(),
        platforms,
        controls or {},
        shelf,
        PUBLIC_URL,
    )
    script = Script("en", "Be brief.", GREETING, FALLBACK, REPROMPT, GOODBYE)
    bot = Bot(script, Timing(400, 250, 100, 60.0, 30.0, 600.0), "af_heart", 1.0)
    calls = Calls(50, 60.0, 100, asyncio.get_running_loop().time)
    gateway = Gateway(parts, Routing(bot), calls, Telemetry(), Bounds(2.0, 2.0, replay_s=60.0), insecure=False)
    runner = web.AppRunner(build_app(gateway, secured), access_log=None, shutdown_timeout=0.5)
    listener = TcpListener(
        gateway, gateway.platform("audiosocket"), secured.audiosocket.networks, SocketBounds(64, 200.0)
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await listener.start("127.0.0.1", tcp_port)
        await gateway.start()
        yield gateway, Target(url, public_url=PUBLIC_URL, admin_token=ADMIN_TOKEN, tcp_port=tcp_port)
    finally:
        await gateway.stop(0.0)
        await listener.stop()
        await runner.cleanup()
