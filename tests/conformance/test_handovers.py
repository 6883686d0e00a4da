"""Warm transfers on every platform that has rooms: the caller stays with the bot until the agent answers."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from gateway.errors import Refused
from gateway.gateway import Gateway
from gateway.platforms.base import Document, WebhookRequest
from gateway.platforms.control import OutboundCall
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.dialect import Dialect
from gateway.simulator.link import Link
from gateway.simulator.run import RINGING
from gateway.simulator.script import Manners, Script
from tests.conformance.rig import PLATFORMS, SEED, PlatformRig, platform_named
from tests.rig.call import GREETING, HangUps, sound
from tests.rig.clock import run_leaping

AGENT = "+15550100009"
WARM = [name for name in PLATFORMS if "warm_transfer" in platform_named(name).capabilities.rest]
RING_S = 4.0


@dataclass
class Company(HangUps):
    """The phone company: the agent's phone rings for RING_S, and then its webhooks come."""

    answers: bool = True
    gateway: Gateway | None = None
    link: Link | None = None
    name: str = ""
    agents: list[Document] = field(default_factory=list)
    callers: list[Document] = field(default_factory=list)

    async def dial(self, call: OutboundCall) -> str:
        asyncio.get_running_loop().call_later(RING_S, self._picks_up if self.answers else self._is_busy, call)
        return "agent-1"

    async def redirect(self, call_id: str, document: Document) -> None:
        assert self.link is not None
        self.callers.append(document)
        self.link.abort()  # the call leaves the stream

    def _picks_up(self, call: OutboundCall) -> None:
        assert self.gateway is not None
        platform = self.gateway.platform(self.name)
        form = tuple((key, value.replace("%", "agent-1")) for key, value in CALLBACKS[self.name][1].items())
        webhook = WebhookRequest("POST", call.answer_url, {}, form)
        self.agents.append(self.gateway.answer(platform, webhook, "wss://x/stream"))

    def _is_busy(self, call: OutboundCall) -> None:
        assert self.gateway is not None
        self.gateway.handovers.ended(self.gateway.platform(self.name), call.status_url)


async def handed_over(name: str, company: Company, manners: Manners) -> tuple[CallTrace, Any, Refused | None]:
    """Hold a call; two seconds after the greeting the caller is to be handed over."""
    rig = PlatformRig(name, control=company)
    gateway = rig.gateway()
    company.gateway, company.name = gateway, name
    seen: list[Any] = [None, None]

    async def hold(link: Link, dialect: Dialect) -> None:
        company.link = link
        turn = sound(0.5).at(8000, dialect.rate_hz)
        call = asyncio.create_task(SimulatedCall(link, dialect, Script([turn], dialect.rate_hz, manners)).run())
        await asyncio.sleep(2.0)
        try:
            leg = gateway.leg(RINGING[name](SEED, "").call_id)
            await leg.transfer(AGENT, warm=True, announce="Ada calls.", our_number="+15550100002")
        except Refused as refused:
            seen[1] = refused
        seen[0] = await call

    record, _ = await rig.answer(hold, gateway)
    return seen[0], record, seen[1]


@pytest.mark.parametrize("name", WARM)
def test_the_caller_stays_with_the_bot_until_the_agent_answers(name: str) -> None:
    company = Company()
    trace, record, refused = run_leaping(handed_over(name, company, Manners(quiet_s=30.0, greeting_s=1.0)))
    assert refused is None
    assert trace.duration_s == pytest.approx(2.0 + RING_S, abs=0.3)
    assert record.turns[0].heard_text == GREETING
    assert company.calls == []  # nobody was hung up on
    assert [len(company.agents), len(company.callers)] == [1, 1]
    agents, callers = company.agents[0].body, company.callers[0].body
    assert "Ada calls." in agents
    assert "Ada calls." not in callers
    (room,) = {word for word in words(agents) if len(word) == 24}
    assert room in words(callers)


@pytest.mark.parametrize("name", WARM)
def test_when_nobody_answers_the_call_goes_on(name: str) -> None:
    company = Company(answers=False)
    trace, record, refused = run_leaping(handed_over(name, company, Manners(quiet_s=10.0, greeting_s=8.0)))
    assert refused is not None
    assert refused.code == "agent_unreachable"
    assert company.callers == []
    assert company.calls == ["agent-1"]  # to be sure
    assert len(record.turns) >= 1
    assert trace.violations == ()
    assert trace.ended_by == "caller"


@pytest.mark.parametrize("name", WARM)
def test_while_an_agent_is_called_nobody_else_moves_the_caller(name: str) -> None:
    """The second to ask is told so, and the first gets their agent."""

    async def main() -> None:
        company, refusals = Company(), []

        async def interfere() -> None:
            await asyncio.sleep(4.0)
            assert company.gateway is not None
            leg = company.gateway.leg(RINGING[name](SEED, "").call_id)
            for warm in (True, False):
                with pytest.raises(Refused) as refused:
                    await leg.transfer("+15550100008", warm=warm, our_number="+15550100002")
                refusals.append((refused.value.code, refused.value.http_status))

        interfering = asyncio.create_task(interfere())
        _, _, refused = await handed_over(name, company, Manners(quiet_s=30.0, greeting_s=1.0))
        await interfering
        assert refusals == [("transfer_is_on", 409)] * 2
        assert refused is None
        assert len(company.callers) == 1

    run_leaping(main())


_TWIMLS = ({"CallSid": "%", "StreamEvent": "stream-stopped"}, {"CallSid": "%", "CallStatus": "completed"})
# What is told of the caller's call, % being its id: only the stream is over; the call is.
CALLBACKS = {
    "jambonz": ({"callSid": "%", "callStatus": "in-progress"}, {"callSid": "%", "callStatus": "completed"}),
    "bandwidth": ({"callId": "%", "eventType": "redirect"}, {"callId": "%", "eventType": "disconnect"}),
    "vobiz": ({"CallUUID": "%", "Event": "StopStream"}, {"CallUUID": "%", "Event": "Hangup"}),
    "plivo": ({"CallUUID": "%", "Event": "StopStream"}, {"CallUUID": "%", "Event": "Hangup"}),
    "signalwire": _TWIMLS,
    "telnyx": _TWIMLS,
    "twilio": _TWIMLS,
    "vonage": ({"uuid": "the socket's leg", "status": "completed"}, {"uuid": "%", "status": "completed"}),
}


@pytest.mark.parametrize("name", WARM)
def test_a_caller_who_hangs_up_during_the_introduction_leaves_no_agent_behind(name: str) -> None:
    async def main() -> None:
        company = Company()
        await handed_over(name, company, Manners(quiet_s=30.0, greeting_s=1.0))
        gateway, caller = company.gateway, RINGING[name](SEED, "").call_id
        assert gateway is not None
        for told, hung_up in zip(CALLBACKS[name], ([], ["agent-1"]), strict=True):
            form = tuple((key, value.replace("%", caller)) for key, value in told.items())
            await gateway.news(gateway.platform(name), WebhookRequest("POST", "https://x/status", {}, form))
            await asyncio.sleep(1.0)
            assert company.calls == hung_up

    run_leaping(main())


def words(document: str) -> set[str]:
    """The document's texts, whichever language it is in."""
    if document.startswith("["):
        return {str(value) for verb in json.loads(document) for value in verb.values()}
    return set(document.replace("<", ">").split(">"))
