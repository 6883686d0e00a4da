"""Calls that we place, on every platform that can: what they were placed with reaches the bot, whatever is carried."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from gateway.bots.bot import Bot
from gateway.call.script import Script, Timing
from gateway.legs.outbound import Wanted
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


def placing(name: str) -> tuple[PlatformRig, Account]:
    """A gateway with two bots, one of which is only had by name."""
    script = Script("en", "Be brief.", HELLO, FALLBACK, REPROMPT, GOODBYE)
    timing = Timing(500, 250, 100, 60.0, 30.0, 600.0)
    account = Account()
    rig = PlatformRig(name, control=account, others=[Bot(script, timing, "af_heart", 1.0, name="reminders")])
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
