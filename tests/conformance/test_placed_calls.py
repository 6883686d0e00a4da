"""Calls that we place, on every platform that can: what they were placed with reaches the bot, whatever is carried."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from gateway.bots.bot import Bot
from gateway.call.script import Script, Timing
from gateway.errors import Refused
from gateway.gateway import Gateway
from gateway.legs.outbound import PLACE_S, Wanted
from gateway.platforms.base import WebhookRequest
from gateway.platforms.control import OutboundCall
from gateway.simulator.call import SimulatedCall
from gateway.simulator.dialect import Dialect
from gateway.simulator.exotel import ExotelDialect
from gateway.simulator.link import Link, MemoryLink
from gateway.simulator.script import Manners
from gateway.simulator.script import Script as CallerScript
from tests.conformance.rig import BASE, PLATFORMS, PlatformRig, platform_named
from tests.rig.call import FALLBACK, GOODBYE, REPROMPT, HangUps, MemorySocket
from tests.rig.clock import run_leaping

PLACING = [name for name in PLATFORMS if "dial" in platform_named(name).capabilities.rest]
WANTED = Wanted("+15550100001", "+15550100002", {"bot": "reminders", "text": "long, with spaces; and more " * 10})
HELLO = "This is your reminder."
SHORT = Manners(quiet_s=0.4, greeting_s=3.0)


@dataclass
class Account(HangUps):
    dialled: list[OutboundCall] = field(default_factory=list)

    async def dial(self, call: OutboundCall) -> str:
        self.dialled.append(call)
        return "id-of-the-platform"


def placing(name: str, max_calls: int = 10) -> tuple[PlatformRig, Account]:
    """A gateway with two bots, one of which is only had by name."""
    script = Script("en", "Be brief.", HELLO, FALLBACK, REPROMPT, GOODBYE)
    timing = Timing(500, 250, 100, 60.0, 30.0, 600.0)
    account = Account()
    bot = Bot(script, timing, "af_heart", 1.0, name="reminders")
    rig = PlatformRig(name, control=account, others=[bot], max_calls=max_calls)
    return rig, account


async def listen(link: Link, dialect: Dialect) -> None:
    await SimulatedCall(link, dialect, CallerScript([], dialect.rate_hz, SHORT)).run()


@pytest.mark.parametrize("name", [name for name in PLACING if name != "exotel"])
def test_the_answer_webhook_finds_what_the_call_was_placed_with(name: str) -> None:
    async def main() -> None:
        rig, account = placing(name)
        gateway = rig.gateway()
        await gateway.dial(gateway.platform(name), WANTED, BASE)
        record, tape = await rig.answer(listen, gateway, account.dialled[0].answer_url)
        assert (record.bot, record.turns[0].heard_text) == ("reminders", HELLO)
        assert not any("with spaces" in str(message) for message in tape)

    run_leaping(main())


@pytest.mark.parametrize("told_in", ["the start message", "the upgrade"])
def test_exotel_asks_no_webhook_and_its_stream_finds_it(told_in: str) -> None:
    async def main() -> None:
        rig, account = placing("exotel")
        gateway = rig.gateway()
        platform = gateway.platform("exotel")
        await gateway.dial(platform, WANTED, BASE)
        reference = {"ref": account.dialled[0].answer_url.partition("ref=")[2]}
        here, there = MemoryLink.pair()
        query: Any = reference if told_in == "the upgrade" else {}
        dialect = ExotelDialect("seed", 8000, {} if query else reference)
        conducted = asyncio.create_task(gateway.conduct(platform, MemorySocket(there), "", query))
        await listen(here, dialect)
        await conducted
        (record,) = gateway.calls.records()
        assert (record.bot, record.turns[0].heard_text) == ("reminders", HELLO)
        await gateway.stop(0.0)

    run_leaping(main())


_TWIMLS = {"CallSid": "%", "CallStatus": "busy"}
# What a platform tells of a call, % being its id, when nobody has answered. The others tell nothing.
UNANSWERED = {
    "bandwidth": {"callId": "%", "eventType": "disconnect", "cause": "busy"},
    "exotel": {"CallSid": "%", "EventType": "terminal", "Status": "busy"},
    "jambonz": {"callSid": "%", "callStatus": "busy"},
    "plivo": {"CallUUID": "%", "CallStatus": "busy", "Event": "Hangup"},
    "signalwire": _TWIMLS,
    "telnyx": _TWIMLS,
    "twilio": _TWIMLS,
    "vobiz": {"CallUUID": "%", "CallStatus": "no-answer", "Event": "Hangup"},
    "vonage": {"uuid": "%", "status": "unanswered"},
}


async def place(gateway: Gateway, name: str) -> str:
    """The code of the refusal; blank when the call rings."""
    try:
        await gateway.dial(gateway.platform(name), WANTED, BASE)
    except Refused as refused:
        return refused.code
    return ""


@pytest.mark.parametrize("name", [name for name in PLACING if name != "exotel"])
def test_calls_that_ring_count_and_the_one_that_is_answered_has_its_place(name: str) -> None:
    """A script could place any number of calls; who answered beyond the last place was hung up on."""

    async def main() -> None:
        rig, account = placing(name, max_calls=1)
        gateway = rig.gateway()
        assert [await place(gateway, name) for _ in range(3)] == ["", "at_capacity", "at_capacity"]
        assert b"voicebot_calls_ringing 1.0" in gateway.telemetry.exposition()

        async def hold(link: Link, dialect: Dialect) -> None:
            assert len(gateway.calls.ringing) == 0
            assert await place(gateway, name) == "at_capacity"  # it talks now
            await listen(link, dialect)

        record, _ = await rig.answer(hold, gateway, account.dialled[0].answer_url)
        assert record.turns[0].heard_text == HELLO
        assert len(account.dialled) == 1

    run_leaping(main())


@pytest.mark.parametrize("name", PLACING)
def test_a_call_that_nobody_answers_gives_its_place_back(name: str) -> None:
    async def main() -> None:
        rig, account = placing(name, max_calls=1)
        gateway = rig.gateway()
        assert await place(gateway, name) == ""
        if name in UNANSWERED:
            form = tuple((key, value.replace("%", "id-of-the-platform")) for key, value in UNANSWERED[name].items())
            await gateway.news(gateway.platform(name), WebhookRequest("POST", account.dialled[0].status_url, {}, form))
        else:
            await asyncio.sleep(PLACE_S - 1.0)
            assert await place(gateway, name) == "at_capacity"
            await asyncio.sleep(1.0)
        assert [await place(gateway, name) for _ in range(2)] == ["", "at_capacity"]
        await gateway.stop(0.0)

    run_leaping(main())


def test_exotels_stream_takes_the_place_of_its_ringing() -> None:
    async def main() -> None:
        rig, account = placing("exotel", max_calls=1)
        gateway = rig.gateway()
        assert await place(gateway, "exotel") == ""
        here, there = MemoryLink.pair()
        reference = {"ref": account.dialled[0].answer_url.partition("ref=")[2]}
        conducted = asyncio.create_task(gateway.conduct(gateway.platform("exotel"), MemorySocket(there), "", reference))
        await listen(here, ExotelDialect("seed", 8000, {}))
        await conducted
        assert [record.turns[0].heard_text for record in gateway.calls.records()] == [HELLO]
        assert len(gateway.calls.ringing) == 0
        await gateway.stop(0.0)

    run_leaping(main())


@pytest.mark.parametrize("name", PLACING)
def test_at_the_end_nothing_is_placed_and_what_rings_is_called_off(name: str) -> None:
    async def main() -> None:
        rig, account = placing(name)
        gateway = rig.gateway()
        assert await place(gateway, name) == ""
        await gateway.stop(0.0)
        assert account.calls == ["id-of-the-platform"]
        assert await place(gateway, name) == "draining"

    run_leaping(main())
