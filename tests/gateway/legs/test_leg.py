"""What is done to a call: on its stream where the platform can, by REST where it is configured, else refused."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from gateway.errors import PeerFault, Refused
from gateway.events import CallStarted, Command, HangUp, SendDigits, Transfer
from gateway.legs.handover import Invitation
from gateway.legs.leg import MAX_DIGITS, Leg
from gateway.platforms.base import Capabilities
from media.formats import ULAW_8K

TARGET = "+15550100009"


@dataclass
class Platform:
    capabilities: Capabilities
    name: str = "carrier"


@dataclass
class Line:
    sent: list[Command] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    async def send(self, command: Command) -> None:
        self.sent.append(command)

    async def over(self, reason: str) -> None:
        self.ended.append(reason)


@dataclass
class Control:
    fault: PeerFault | None = None
    asked: list[tuple[str, ...]] = field(default_factory=list)

    async def _ask(self, *asked: str) -> None:
        self.asked.append(asked)
        if self.fault:
            raise self.fault

    async def hang_up(self, call_id: str) -> None:
        await self._ask("hang_up", call_id)

    async def transfer(self, call_id: str, target: str) -> None:
        await self._ask("transfer", call_id, target)


class KeyControl(Control):
    async def send_digits(self, call_id: str, digits: str) -> None:
        await self._ask("send_digits", call_id, digits)


STARTED = CallStarted("c1", "s1", ULAW_8K, ULAW_8K, caller="+15550100001", called="+15550100002")


@dataclass
class Agents:
    invited: list[tuple[str, Invitation]] = field(default_factory=list)
    rings_for: list[str] = field(default_factory=list)

    def is_on(self, call_id: str) -> bool:
        return call_id in self.rings_for

    async def hand_over(self, platform: Platform, call_id: str, invitation: Invitation) -> None:
        self.invited.append((call_id, invitation))


def leg(
    capabilities: Capabilities, control: Any = None, started: CallStarted = STARTED, agents: Any = None
) -> tuple[Leg, Line]:
    line: Any = Line()
    platform: Any = Platform(capabilities)
    return Leg(platform, started, line, control, agents), line


REST = frozenset({"hang_up", "transfer", "send_digits"})


async def test_a_transfer_goes_by_the_stream_where_the_platform_can() -> None:
    control = Control()
    made, line = leg(Capabilities(transfer_on_stream=True, rest=REST), control)
    await made.transfer(TARGET)
    assert line.sent == [Transfer(TARGET)]
    assert control.asked == []


async def test_a_transfer_goes_by_rest_elsewhere() -> None:
    control = Control()
    made, line = leg(Capabilities(rest=REST), control)
    await made.transfer(TARGET)
    assert control.asked == [("transfer", "c1", TARGET)]
    assert line.sent == []


@pytest.mark.parametrize(
    ("capabilities", "control"),
    [(Capabilities(rest=REST), None), (Capabilities(rest=frozenset()), Control())],
    ids=["no account", "no such request"],
)
async def test_what_cannot_be_done_is_refused(capabilities: Capabilities, control: Control | None) -> None:
    made, _ = leg(capabilities, control)
    with pytest.raises(Refused, match="cannot_transfer"):
        await made.transfer(TARGET)
    with pytest.raises(Refused, match="cannot_send_digits"):
        await made.send_digits("1")


async def test_keys_are_pressed_on_the_stream_or_by_rest() -> None:
    made, line = leg(Capabilities(digits_out_on_stream=True))
    await made.send_digits("12#")
    assert line.sent == [SendDigits("12#")]
    control = KeyControl()
    made, _ = leg(Capabilities(rest=REST), control)
    await made.send_digits("12#")
    assert control.asked == [("send_digits", "c1", "12#")]


async def test_keys_are_played_as_tones_where_there_is_no_other_way_and_tones_are_heard() -> None:
    """F-28: Twilio swallows tones, so there they are refused and not sent in vain."""
    played: list[str] = []
    made, line = leg(Capabilities(digits_out_in_band=True))
    made.play_keys = played.append
    await made.send_digits("12#")
    assert (played, line.sent) == (["12#"], [])
    deaf, _ = leg(Capabilities())
    deaf.play_keys = played.append
    with pytest.raises(Refused, match="cannot_send_digits"):
        await deaf.send_digits("1")
    assert played == ["12#"]


async def test_a_control_without_keys_presses_none() -> None:
    made, _ = leg(Capabilities(rest=REST), Control())
    with pytest.raises(Refused, match="cannot_send_digits"):
        await made.send_digits("1")


@pytest.mark.parametrize("digits", ["", "x", "12 3", "1" * (MAX_DIGITS + 1)])
async def test_what_is_no_key_is_refused(digits: str) -> None:
    made, line = leg(Capabilities(digits_out_on_stream=True))
    with pytest.raises(Refused, match="bad_digits"):
        await made.send_digits(digits)
    assert line.sent == []


async def test_hanging_up_never_raises() -> None:
    control = Control(PeerFault("rest_timeout", retryable=True))
    await leg(Capabilities(), control)[0].hang_up()
    assert control.asked == [("hang_up", "c1")]
    await leg(Capabilities())[0].hang_up()
    unable = Control()
    await leg(Capabilities(rest=frozenset()), unable)[0].hang_up()
    assert unable.asked == []


async def test_an_end_learnt_elsewhere_is_passed_on() -> None:
    made, line = leg(Capabilities())
    await made.over("status")
    assert line.ended == ["status"]


async def test_where_rest_only_tells_the_target_the_stream_is_hung_up_after_it() -> None:
    made, line = leg(Capabilities(transfer_by_hanging_up=True), control := Control())
    await made.transfer(TARGET)
    assert control.asked == [("transfer", "c1", TARGET)]
    assert line.sent == [HangUp("transfer")]
    made, line = leg(Capabilities(transfer_by_hanging_up=True), Control(PeerFault("rest_failed")))
    with pytest.raises(PeerFault):
        await made.transfer(TARGET)
    assert line.sent == []


@pytest.mark.parametrize(
    ("started", "given", "ours"),
    [
        (STARTED, "", "+15550100002"),
        (replace(STARTED, outbound=True), "", "+15550100001"),
        (STARTED, "+15550100003", "+15550100003"),
    ],
    ids=["inbound", "outbound", "as asked"],
)
async def test_an_agent_is_called_from_our_number(started: CallStarted, given: str, ours: str) -> None:
    made, line = leg(Capabilities(rest=REST), Control(), started, agents := Agents())
    await made.transfer(TARGET, warm=True, announce="Ada calls.", our_number=given)
    assert agents.invited == [("c1", Invitation(TARGET, ours, "Ada calls."))]
    assert line.sent == []


@pytest.mark.parametrize(
    ("capabilities", "control", "able"),
    [
        (Capabilities(transfer_on_stream=True, digits_out_on_stream=True), None, {"transfer", "send_digits"}),
        (Capabilities(rest=REST), KeyControl(), {"transfer", "send_digits"}),
        (Capabilities(rest=REST), Control(), {"transfer"}),
        (Capabilities(rest=REST), None, set()),
        (Capabilities(digits_out_in_band=True), None, {"send_digits"}),
    ],
)
def test_what_will_not_be_refused_can_be_asked(
    capabilities: Capabilities, control: Control | None, able: set[str]
) -> None:
    assert leg(capabilities, control)[0].abilities == able


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("by_stream", [False, True])
async def test_a_caller_for_whom_somebody_is_called_is_not_moved_elsewhere(warm: bool, by_stream: bool) -> None:
    agents = Agents(rings_for=["c1"])
    made, line = leg(Capabilities(rest=REST, transfer_on_stream=by_stream), control := Control(), agents=agents)
    with pytest.raises(Refused, match="transfer_is_on"):
        await made.transfer(TARGET, warm=warm)
    assert (control.asked, line.sent, agents.invited) == ([], [], [])
    agents.rings_for.clear()
    await made.transfer(TARGET, warm=warm)


@pytest.mark.parametrize("warm", [False, True])
async def test_a_caller_who_is_on_their_way_is_not_moved_a_second_time(warm: bool) -> None:
    @dataclass
    class Slow(Control):
        done: asyncio.Event = field(default_factory=asyncio.Event)

        async def _ask(self, *asked: str) -> None:
            await super()._ask(*asked)
            await self.done.wait()

    made, _ = leg(Capabilities(rest=REST), control := Slow(), agents=(agents := Agents()))
    first = asyncio.create_task(made.transfer(TARGET))
    await asyncio.sleep(0)
    with pytest.raises(Refused, match="transfer_is_on"):
        await made.transfer("+15550100008", warm=warm)
    control.done.set()
    await first
    assert (control.asked, agents.invited) == ([("transfer", "c1", TARGET)], [])
    await made.transfer(TARGET, warm=warm)  # the platform did not end the stream: it may be tried again
