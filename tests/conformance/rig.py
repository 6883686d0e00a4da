"""One call in memory with any platform: its simulator rings our gateway, and both hold the stream to its end.

As in tests/rig/call.py only the sockets are missing: webhook, answer document, token, codec, dialect, session and the
platform's own queue are the real ones, under the leaping clock.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl

from config.sources import load
from gateway.bots.bot import Bot
from gateway.bots.routing import Routing
from gateway.call.calls import Calls
from gateway.call.record import CallRecord
from gateway.call.script import Script, Timing
from gateway.gateway import Gateway
from gateway.llm.base import LanguageModel
from gateway.llm.scripted import ScriptedModel
from gateway.parts import Bounds, Parts
from gateway.platforms.base import Platform, WebhookRequest
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.caller import CallerTurn
from gateway.simulator.dialect import Dialect
from gateway.simulator.faults import Faults
from gateway.simulator.link import Link, MemoryLink
from gateway.simulator.ringing import Reply, Ringing, Webhook
from gateway.simulator.run import RINGING
from gateway.simulator.script import Manners
from gateway.simulator.script import Script as CallerScript
from gateway.simulator.tape import Taped, TapedLink
from gateway.stt.energy import EnergyRecognisers
from gateway.telemetry import Telemetry
from gateway.wiring.platforms import build_platforms
from tests.rig.call import ANSWER, FALLBACK, GOODBYE, GREETING, REPROMPT, HangUps, MemorySocket
from tests.rig.voice import TestVoices

BASE = "http://gateway.example.test"
SEED = "conformance"
TOKEN = "one-time-token"
QUESTION = "What time do you open?"
# Both sides exist; a platform with only one of them shows in test_docs.
SETTINGS = load("loadtest", None, (), {})
PLATFORMS = sorted(RINGING.keys() & build_platforms(SETTINGS).keys())


def platform_named(name: str) -> Platform:
    """The platform with the settings it has by default."""
    return build_platforms(SETTINGS)[name]


class NotedCalls(Calls):
    """Calls that remember the tokens they gave."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.tokens: list[str] = []

    def reserve(self, *values: Any) -> str:
        self.tokens.append(super().reserve(*values))
        return self.tokens[-1]


@dataclass
class PlatformRig:
    """What a test may set, and what it looks at afterwards."""

    name: str
    model: LanguageModel = field(default_factory=lambda: ScriptedModel([ANSWER]))
    timing: Timing = field(default_factory=lambda: Timing(500, 250, 100, 60.0, 30.0, 600.0))
    voices: TestVoices = field(default_factory=TestVoices)
    control: HangUps = field(default_factory=HangUps)
    greeting: str = GREETING
    insecure: bool = False
    others: Sequence[Bot] = ()
    max_calls: int = 10

    def gateway(self) -> Gateway:
        """A gateway that speaks this platform and asks for the webhook's token; signatures are tests/integration's."""
        script = Script("en", "Be brief.", self.greeting, FALLBACK, REPROMPT, GOODBYE)
        controls = {self.name: self.control}
        parts = Parts(
            EnergyRecognisers([QUESTION]),
            self.model,
            self.voices,
            {self.name: platform_named(self.name)},
            controls,  # type: ignore[arg-type]  # hang_up is all the session uses
        )
        calls = NotedCalls(self.max_calls, 60.0, 100, asyncio.get_running_loop().time)
        routing = Routing(Bot(script, self.timing, "af_heart", 1.0), self.others)
        return Gateway(parts, routing, calls, Telemetry(), Bounds(10.0, 5.0), self.insecure)

    async def call(
        self,
        turns: Sequence[CallerTurn],
        faults: Faults | None = None,
        manners: Manners | None = None,
        max_call_s: float = 300.0,
    ) -> tuple[CallTrace, CallRecord]:
        """Ring, hold the call and return what the line carried and what the gateway recorded. Turns are at 8 kHz."""
        made: list[CallTrace] = []

        async def hold(link: Link, dialect: Dialect) -> None:
            script = CallerScript([turn.at(8000, dialect.rate_hz) for turn in turns], dialect.rate_hz, manners)
            made.append(await SimulatedCall(link, dialect, script, faults, max_call_s=max_call_s).run())

        record, _ = await self.answer(hold)
        assert record.call_id == RINGING[self.name](SEED, "").call_id
        return made[0], record

    async def answer(
        self, hold: Callable[[Link, Dialect], Awaitable[None]], gateway: Gateway | None = None, answer_url: str = ""
    ) -> tuple[CallRecord, list[Taped]]:
        """Ring, have `hold` be the platform on its end of the link, and return the record and the tape of the call.

        `answer_url` is what a call that we placed asks. The token is written as TOKEN on the tape.
        """
        gateway = gateway or self.gateway()
        platform = gateway.platform(self.name)
        ringing = RINGING[self.name](SEED, "")
        dialect, path_token = ring(gateway, platform, ringing, answer_url)
        caller, answerer = MemoryLink.pair()
        taped = TapedLink(caller)
        conducted = asyncio.create_task(gateway.conduct(platform, MemorySocket(answerer), path_token))
        await hold(taped, dialect)
        await asyncio.wait_for(conducted, 60.0)
        await gateway.stop(0.0)
        (record,) = gateway.calls.records()
        assert isinstance(gateway.calls, NotedCalls)
        token = gateway.calls.tokens[0] if gateway.calls.tokens else TOKEN
        return record, [message.with_text(token, TOKEN) for message in taped.tape]


def ring(gateway: Gateway, platform: Platform, ringing: Ringing, answer_url: str = "") -> tuple[Dialect, str]:
    """Ask the webhook as the platform does, follow its answer; return the stream's dialect and its path's token."""
    webhook = ringing.ask(BASE)
    if webhook is not None and answer_url:
        webhook = replace(webhook, url=answer_url)
    reply = None
    if webhook is not None:
        stream_url = f"{BASE.replace('http', 'ws')}/{platform.name}/stream"
        document = gateway.answer(platform, request_of(webhook), stream_url)
        reply = Reply(document.content_type, document.body)
    door = ringing.door(BASE, reply)
    path = door.url.partition("?")[0]
    return ringing.dialect(), path.rpartition("/stream/")[2] if "/stream/" in path else ""


def request_of(webhook: Webhook) -> WebhookRequest:
    """The webhook as our HTTP side would have read it."""
    form = webhook.content_type == "application/x-www-form-urlencoded"
    pairs = tuple(parse_qsl(webhook.body.decode())) if form else ()
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    return WebhookRequest(webhook.method, webhook.url, headers, pairs, webhook.body)
