"""A whole hand-over in memory: a caller at the bot, the bot's model that transfers, the platform's REST API and rooms.

Only sockets are missing, so all of it runs under the leaping clock: REST requests go from the gateway's own controls to
the simulated carrier, its signed webhooks to the gateway, the caller's stream through the platform's dialect.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gateway.bots.bot import Bot
from gateway.bots.routing import Routing
from gateway.call.calls import Calls
from gateway.call.record import CallRecord
from gateway.call.script import Script, Timing
from gateway.errors import Refused
from gateway.gateway import Gateway
from gateway.llm.scripted import ScriptedModel
from gateway.parts import Bounds, Parts
from gateway.platforms.base import WebhookRequest
from gateway.platforms.shelf import Shelf
from gateway.simulator.call import SimulatedCall
from gateway.simulator.carrier.bandwidth import BandwidthCarrier
from gateway.simulator.carrier.base import Call, Carrier
from gateway.simulator.carrier.jambonz import JambonzCarrier
from gateway.simulator.carrier.plivo import PlivoCarrier, VobizCarrier
from gateway.simulator.carrier.switch import Leg, Phone, Switch
from gateway.simulator.carrier.twiml import SignalWireCarrier, TelnyxCarrier, TwilioCarrier
from gateway.simulator.carrier.vonage import VonageCarrier
from gateway.simulator.dialect import Dialect
from gateway.simulator.failure import CallFailed
from gateway.simulator.link import Link, MemoryLink
from gateway.simulator.ringing import CALLED, CALLER, Reply, Webhook, numbered_uuid
from gateway.simulator.run import RINGING
from gateway.simulator.script import Manners
from gateway.simulator.script import Script as CallerScript
from gateway.stt.energy import EnergyRecognisers
from gateway.telemetry import Telemetry
from gateway.tools.base import Toolset
from gateway.wiring.platforms import build_controls, build_platforms
from tests.conformance.rig import SEED, request_of
from tests.conformance.served import PUBLIC_URL, SECRETS, secure_settings
from tests.rig.call import FALLBACK, GOODBYE, GREETING, REPROMPT, MemorySocket, sound
from tests.rig.memory_http import MemoryHttp
from tests.rig.voice import TestVoices

AGENT = "+15550100009"
ANNOUNCEMENT = "Ada asks about an invoice."
TRANSFER = f'I connect you.\n@transfer {{"target": "reception", "announcement": "{ANNOUNCEMENT}"}}'
CARRIERS: Mapping[str, Callable[[str], Carrier]] = {
    "bandwidth": BandwidthCarrier,
    "jambonz": JambonzCarrier,
    "plivo": PlivoCarrier,
    "signalwire": SignalWireCarrier,
    "telnyx": TelnyxCarrier,
    "twilio": TwilioCarrier,
    "vobiz": VobizCarrier,
    "vonage": VonageCarrier,
}
# Asks for one thing, then listens, for as long as a phone may ring.
PATIENT = Manners(quiet_s=60.0, greeting_s=3.0, reply_s=90.0)


@cache
def _private_key() -> str:
    """An application's at Vonage."""
    key = generate_private_key(65537, 2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _account(name: str) -> Sequence[str]:
    """The settings with which the gateway uses the platform's REST API."""
    keys: Mapping[str, Mapping[str, str]] = {
        "bandwidth": {
            "account_id": "5000000",
            "application_id": "a1",
            "client_id": "id",
            "client_secret": "secret",
            "oauth2": "false",
        },
        "jambonz": {"account_sid": "a1", "api_key": "key"},
        "plivo": {"auth_id": "MA1"},
        "signalwire": {"project_id": "p1", "token": "key", "space_url": "https://space.signalwire.test"},
        "telnyx": {"api_key": "key", "account_id": "a1", "application_id": "app1"},
        "twilio": {"account_sid": "AC" + "0" * 32},
        "vobiz": {"auth_id": "MA1"},
        "vonage": {
            "application_id": numbered_uuid("application"),
            "private_key": _private_key() if name == "vonage" else "",
        },
    }
    return [f"{name}.{key}={value}" for key, value in keys[name].items()]


@dataclass
class Company:
    """One platform, its account, an agent's phone, and a caller on the stream."""

    name: str
    agent: Phone = field(default_factory=Phone)
    replies: Sequence[str] = (TRANSFER, "Nobody is there.")
    refusals: list[str] = field(default_factory=list)  # of our webhooks

    def __post_init__(self) -> None:
        self.switch = Switch(CARRIERS[self.name](SECRETS[self.name]), self.ask, {AGENT: self.agent})
        self.http = MemoryHttp(self.switch.rest)
        self.gateway = self._gateway()
        self._ringing = RINGING[self.name](SEED, SECRETS[self.name])

    @property
    def caller(self) -> Leg:
        return self.switch.legs[self._ringing.call_id]

    @property
    def agents(self) -> list[Leg]:
        """The calls to the agent."""
        return [leg for leg in self.switch.legs.values() if leg.call.called == AGENT]

    @property
    def together(self) -> bool:
        """Whether the caller and the agent hear each other."""
        caller, agent = self.caller.call.call_id, self.agents[0].call.call_id
        hears = self.switch.rooms.hears
        return agent in hears(caller) and caller in hears(agent)

    async def ask(self, webhook: Webhook) -> Reply:
        """Our HTTP side, as routes.py has it."""
        request = request_of(webhook)
        path = webhook.url.removeprefix(PUBLIC_URL).partition("?")[0]
        if path.startswith("/documents/"):
            assert self.gateway.parts.shelf is not None
            document = self.gateway.parts.shelf.find(path.removeprefix("/documents/"))
            assert document is not None
            return Reply(document.content_type, document.body)
        platform = self.gateway.platform(self.name)
        try:
            self.gateway.check(platform, request)
            if path == f"/{self.name}/status":
                await self.gateway.news(platform, request)
                return Reply("", "")
            return self._answered(request)
        except Refused as refused:
            self.refusals.append(refused.code)
            raise CallFailed("refused", refused.code) from refused

    async def call(self, meanwhile: Callable[["Company"], Any], manners: Manners = PATIENT) -> CallRecord:
        """The caller asks for somebody, and the model transfers; `meanwhile` runs beside it and says when all is over.

        Returns the bot's record, once every call is over and nothing is on its way.
        """
        webhook = self._ringing.ask(PUBLIC_URL)
        assert webhook is not None
        door = self._ringing.door(PUBLIC_URL, await self.ask(webhook))
        dialect = self._ringing.dialect()
        here, there = MemoryLink.pair()

        async def leave_stream() -> None:
            for message in dialect.stop():
                await here.send(message)
            await here.close()

        call_id, status_url = self._ringing.call_id, f"{PUBLIC_URL}/{self.name}/status"
        self.switch.connected(Call(call_id, CALLER, CALLED, "", status_url, outbound=False), leave_stream)
        path = door.url.partition("?")[0]
        token = path.rpartition("/stream/")[2] if "/stream/" in path else ""
        platform = self.gateway.platform(self.name)
        conducted = asyncio.create_task(self.gateway.conduct(platform, MemorySocket(there), token))
        watching = asyncio.create_task(meanwhile(self))
        await self._listen(here, dialect, manners)
        if self.caller.leave_stream is not None:  # either side left: nothing follows the stream
            self.caller.leave_stream = None
            self.switch.hang_up(call_id)
        await watching
        await conducted
        await self.switch.settled()
        await self.gateway.stop(0.0)
        (record,) = self.gateway.calls.records()
        return record

    async def _listen(self, link: Link, dialect: Dialect, manners: Manners) -> None:
        turn = sound(0.5, interrupt_after_s=1.0).at(8000, dialect.rate_hz)
        await SimulatedCall(link, dialect, CallerScript([turn], dialect.rate_hz, manners)).run()

    def _answered(self, request: WebhookRequest) -> Reply:
        stream_url = f"{PUBLIC_URL.replace('http', 'ws')}/{self.name}/stream"
        document = self.gateway.answer(self.gateway.platform(self.name), request, stream_url)
        return Reply(document.content_type, document.body)

    def _gateway(self) -> Gateway:
        settings = secure_settings(_account(self.name))
        now = asyncio.get_running_loop().time
        shelf, http = Shelf(f"{PUBLIC_URL}/documents", now), self.http
        platforms = {self.name: build_platforms(settings)[self.name]}
        controls = build_controls(settings, http, shelf.put)  # type: ignore[arg-type]  # request is all they use of it
        ears, model = EnergyRecognisers(["Can I talk to somebody?"]), ScriptedModel(self.replies)
        parts = Parts(ears, model, TestVoices(), platforms, controls, shelf, PUBLIC_URL)
        script = Script("en", "Be brief.", GREETING, FALLBACK, REPROMPT, GOODBYE)
        tools = Toolset(frozenset({"transfer"}), {"reception": AGENT}, warm=True)
        bot = Bot(script, Timing(500, 250, 100, 90.0, 90.0, 600.0), "af_heart", 1.0, tools=tools)
        bounds = Bounds(10.0, 5.0, replay_s=60.0)
        return Gateway(parts, Routing(bot), Calls(10, 60.0, 100, now), Telemetry(), bounds, insecure=False)
