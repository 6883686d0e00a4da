"""Warm transfers from end to end, on every platform with rooms: who hears whom, and that nobody is left behind."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from gateway.legs.handover import ANSWER_DEADLINE_S
from gateway.simulator.carrier.base import State
from gateway.simulator.carrier.switch import CHAR_S, Phone
from tests.conformance.company import ANNOUNCEMENT, CARRIERS, Company
from tests.conformance.test_handovers import WARM
from tests.rig.clock import run_leaping
from tests.rig.memory_http import ROUND_TRIP_S
from tests.rig.waiting import until

everywhere = pytest.mark.parametrize("name", WARM)
# From the greeting to the agent's answer, or to the end of a call that nobody takes.
LONG_S = 120.0


def test_every_platform_that_hands_over_has_a_simulated_company() -> None:
    assert sorted(CARRIERS) == sorted(WARM)


def held(name: str, meanwhile: Callable[[Company], Any], agent: Phone) -> tuple[Company, Any]:
    """The company after a call, with the bot's record; every call is over then, and every webhook was well signed."""

    async def main() -> tuple[Company, Any]:
        company = Company(name, agent)
        record = await company.call(meanwhile)
        assert company.refusals == []
        assert [leg.over for leg in company.switch.legs.values() if leg.over is None] == []
        assert company.gateway.calls.count == 0
        return company, record

    return run_leaping(main())


def outcomes(record: Any) -> list[tuple[str, str]]:
    return [(tool.name, tool.outcome) for tool in record.tools]


@everywhere
@pytest.mark.parametrize("who", ["the agent", "the caller"])
def test_the_caller_and_the_agent_meet_without_the_bot_and_part_together(name: str, who: str) -> None:
    async def meanwhile(company: Company) -> None:
        await until(lambda: bool(company.agents), LONG_S)
        (agent,) = company.agents
        await asyncio.sleep(2.0)  # it rings: the caller is with the bot
        assert (agent.is_up, company.caller.leave_stream is not None) == (False, True)
        await until(lambda: bool(agent.told), LONG_S)
        assert agent.told == [ANNOUNCEMENT]
        assert not company.together
        await until(lambda: company.together, LONG_S)
        assert company.caller.told == []  # the announcement is the agent's
        assert company.caller.leave_stream is None
        await asyncio.sleep(1.0)
        assert company.gateway.calls.count == 0
        company.switch.hang_up((agent if who == "the agent" else company.caller).call.call_id)
        # By the room itself, before the gateway has heard of it; Bandwidth's rooms stay open for whoever is left.
        await asyncio.sleep(1.0 if name == "bandwidth" else ROUND_TRIP_S / 5)
        assert (agent.over, company.caller.over) == (State.COMPLETED, State.COMPLETED)

    company, record = held(name, meanwhile, Phone(after_s=4.0))
    assert (record.ended, outcomes(record)) == ("transferred", [("transfer", "ok")])
    assert len(company.agents) == 1


@everywhere
@pytest.mark.parametrize(
    ("agent", "over", "rings_s"),
    [
        (Phone(after_s=3.0, busy=True), State.BUSY, 3.0),
        (Phone(after_s=1000.0), State.NO_ANSWER, 30.0),
        (Phone(lost=True), State.CANCELLED, ANSWER_DEADLINE_S),
    ],
    ids=["busy", "rings out", "nothing is told"],
)
def test_when_nobody_takes_the_call_the_caller_stays_with_the_bot(
    name: str, agent: Phone, over: State, rings_s: float
) -> None:
    async def meanwhile(company: Company) -> None:
        await until(lambda: bool(company.agents), LONG_S)
        began_s = asyncio.get_running_loop().time()
        await until(lambda: company.agents[0].over is not None, LONG_S)
        assert asyncio.get_running_loop().time() - began_s == pytest.approx(rings_s, abs=0.5)
        assert company.caller.leave_stream is not None
        await asyncio.sleep(3.0)  # the bot tells them
        company.switch.hang_up(company.caller.call.call_id)

    company, record = held(name, meanwhile, agent)
    assert [leg.over for leg in company.agents] == [over]
    assert outcomes(record) == [("transfer", "agent_unreachable")]
    assert record.turns[-1].heard_text.endswith("Nobody is there.")
    assert not any(leg.told for leg in company.switch.legs.values())


@everywhere
def test_an_agent_who_hangs_up_while_they_are_told_does_not_leave_the_caller_in_the_room(name: str) -> None:
    async def meanwhile(company: Company) -> None:
        await until(lambda: bool(company.agents and company.agents[0].told), LONG_S)
        await until(lambda: bool(company.switch.rooms.room_of(company.caller.call.call_id)), LONG_S)
        assert not company.together
        company.switch.hang_up(company.agents[0].call.call_id)
        await asyncio.sleep(1.0)
        assert company.caller.over is not None

    _, record = held(name, meanwhile, Phone(after_s=2.0))
    assert record.ended == "transferred"


@everywhere
def test_a_caller_who_hangs_up_while_it_rings_has_the_agent_called_off(name: str) -> None:
    async def meanwhile(company: Company) -> None:
        await until(lambda: bool(company.agents), LONG_S)
        await asyncio.sleep(2.0)
        company.switch.hang_up(company.caller.call.call_id)
        await asyncio.sleep(1.0)
        assert company.agents[0].over is State.CANCELLED

    company, _ = held(name, meanwhile, Phone(after_s=10.0))
    assert company.agents[0].told == []


@everywhere
def test_a_caller_who_hangs_up_while_the_agent_is_told_leaves_no_agent_in_the_room(name: str) -> None:
    async def meanwhile(company: Company) -> None:
        await until(lambda: bool(company.switch.legs) and company.caller.leave_stream is None, LONG_S)
        await asyncio.sleep(0.5)
        assert company.agents[0].over is None
        company.switch.hang_up(company.caller.call.call_id)
        await asyncio.sleep(len(ANNOUNCEMENT) * CHAR_S + 1.0)
        assert company.agents[0].over is State.COMPLETED

    held(name, meanwhile, Phone(after_s=2.0))


@everywhere
def test_an_agent_who_answers_before_the_api_does_is_not_left_alone_when_its_answer_is_lost(name: str) -> None:
    """The request that placed the call timed out; the agent had been told of the caller and waited in an empty room."""

    async def meanwhile(company: Company) -> None:
        await until(lambda: bool(company.agents and company.together), LONG_S)
        company.switch.hang_up(company.caller.call.call_id)

    async def main() -> None:
        company = Company(name, Phone(after_s=1.0))
        company.http.lost = lambda request: bool(company.agents) and len(company.http.asked) == 1
        record = await company.call(meanwhile)
        assert record.ended == "transferred"
        assert [leg.told for leg in company.agents] == [[ANNOUNCEMENT]]

    run_leaping(main())
