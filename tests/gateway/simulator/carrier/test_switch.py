"""The calls of one account: rung, answered, led on, told of and over. The carrier is Twilio's."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from gateway.simulator.carrier.bandwidth import BandwidthCarrier
from gateway.simulator.carrier.base import Call, Carrier, RestRequest, State
from gateway.simulator.carrier.switch import CHAR_S, Leg, Phone, Switch
from gateway.simulator.carrier.twiml import TwilioCarrier
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook
from tests.gateway.simulator.carrier.rig import ANSWER_URL, HOST, STATUS_URL, fields_of, posted
from tests.rig.clock import run_leaping

CALLS = "/2010-04-01/Accounts/AC1/Calls"
NUMBER = "+15550100009"
ROOM = "<Dial><Conference{}>r</Conference></Dial>"
ENDS = ' endConferenceOnExit="true"'


def document(*verbs: str) -> str:
    return f"<Response>{''.join(verbs)}</Response>"


@dataclass
class Account:
    """An application with one phone to call, and a caller who is on its stream."""

    phone: Phone = field(default_factory=Phone)
    answer: str = document("<Say>Ada calls.</Say>", ROOM.format(ENDS))
    carrier: Carrier = field(default_factory=lambda: TwilioCarrier(""))
    told: list[tuple[str, str]] = field(default_factory=list)
    streams_left: int = 0

    def __post_init__(self) -> None:
        self.switch = Switch(self.carrier, self._ask, {NUMBER: self.phone})
        self.switch.connected(Call("caller", "", "", "", STATUS_URL, outbound=False), self._leave)

    async def place(self) -> Leg:
        wanted = {"To": NUMBER, "From": "+15550100002", "Url": ANSWER_URL, "StatusCallback": STATUS_URL}
        reply = await self.switch.rest(posted(f"{CALLS}.json", **wanted, Timeout="30"))
        return self.switch.legs[reply.body["sid"]]

    async def update(self, call_id: str, **form: str) -> int:
        return (await self.switch.rest(posted(f"{CALLS}/{call_id}.json", **form))).status

    async def _ask(self, webhook: Webhook) -> Reply:
        if webhook.url == ANSWER_URL:
            return Reply("text/xml", self.answer)
        form = fields_of(webhook)
        self.told.append((form.get("CallSid", ""), form.get("CallStatus", "")))
        return Reply("", "")

    async def _leave(self) -> None:
        self.streams_left += 1


def at(account_of: Callable[[], Account], script: Callable[[Account], Awaitable[Any]]) -> Account:
    async def main() -> Account:
        account = account_of()
        await script(account)
        await account.switch.settled()
        return account

    return run_leaping(main())


@pytest.mark.parametrize(
    ("phone", "over", "after_s"),
    [
        (Phone(after_s=3.0, busy=True), State.BUSY, 3.0),
        (Phone(after_s=31.0), State.NO_ANSWER, 30.0),
    ],
)
def test_a_phone_rings_until_it_is_declined_or_for_as_long_as_was_asked(
    phone: Phone, over: State, after_s: float
) -> None:
    async def script(account: Account) -> None:
        leg = await account.place()
        await asyncio.sleep(after_s - 0.1)
        assert (leg.over, account.told) == (None, [])
        await asyncio.sleep(0.2)
        assert leg.over is over

    assert len(at(lambda: Account(phone), script).told) == 1


def test_who_answers_is_led_through_the_document_and_the_call_is_over_behind_it() -> None:
    async def script(account: Account) -> None:
        account.answer = document("<Say>Ada calls.</Say>")
        leg = await account.place()
        await asyncio.sleep(4.1)
        assert (leg.is_up, leg.told, leg.over) == (True, ["Ada calls."], None)
        await asyncio.sleep(len("Ada calls.") * CHAR_S)
        assert leg.over is State.COMPLETED

    assert at(Account, script).told == [("placed-1", "completed")]


def test_two_meet_in_a_room_and_who_is_left_behind_goes_on_with_their_document() -> None:
    async def script(account: Account) -> None:
        leg = await account.place()
        assert await account.update("caller", Twiml=document(ROOM.format(""), "<Say>Goodbye.</Say>")) == 200
        await asyncio.sleep(5.0)
        assert account.streams_left == 1
        assert account.switch.rooms.hears("caller") == {leg.call.call_id}
        account.switch.hang_up(leg.call.call_id)
        account.switch.hang_up(leg.call.call_id)
        await asyncio.sleep(0.1)
        caller = account.switch.legs["caller"]
        assert (caller.told, caller.over) == (["Goodbye."], None)

    assert at(Account, script).told == [("placed-1", "completed"), ("caller", "completed")]


@pytest.mark.parametrize("rings", [True, False])
def test_the_application_hangs_up_and_a_call_that_is_over_is_gone(rings: bool) -> None:
    async def script(account: Account) -> None:
        leg = await account.place()
        if rings:
            assert await account.update(leg.call.call_id, Twiml=document()) == 400  # nobody has answered
        else:
            await asyncio.sleep(5.0)
        assert await account.update(leg.call.call_id, Status="completed") == 200
        assert leg.over is (State.CANCELLED if rings else State.COMPLETED)
        assert await account.update(leg.call.call_id, Status="completed") == 400
        assert await account.update("nobody", Status="completed") == 400
        await asyncio.sleep(60.0)
        assert not leg.told or not rings

    at(Account, script)


def test_a_caller_who_leaves_while_they_are_moved_is_not_led_anywhere() -> None:
    async def script(account: Account) -> None:
        await account.update("caller", Twiml=document("<Say>Hello.</Say>"))
        account.switch.hang_up("caller")

    account = at(Account, script)
    assert (account.switch.legs["caller"].told, account.streams_left) == ([], 1)


def test_a_stream_may_go_on_until_the_document_stops_it() -> None:
    async def script(account: Account) -> None:
        for verbs, left in (("<SpeakSentence>Hello.</SpeakSentence>", 0), ("<StopStream/>", 1)):
            text = document(verbs, "<Conference>r</Conference>").encode()
            url = f"{HOST}/api/v2/accounts/1/calls/caller/bxml"
            await account.switch.rest(RestRequest("PUT", url, "application/xml", text))
            await asyncio.sleep(1.0)
            assert account.streams_left == left
        account.switch.hang_up("caller")

    at(lambda: Account(carrier=BandwidthCarrier("")), script)


def test_a_phone_that_is_lost_rings_until_the_end_and_nothing_is_told() -> None:
    async def script(account: Account) -> None:
        leg = await account.place()
        await asyncio.sleep(600.0)
        assert (leg.over, leg.is_up) == (None, False)

    assert at(lambda: Account(Phone(lost=True)), script).told == []


def test_what_the_application_did_wrong_comes_to_light() -> None:
    async def wrong_document(account: Account) -> None:
        account.answer = "<html>"
        await account.place()
        await asyncio.sleep(10.0)

    async def wrong_number(account: Account) -> None:
        await account.switch.rest(posted(f"{CALLS}.json", To="+1", From="+1", Url=ANSWER_URL))

    async def forgotten_caller(account: Account) -> None:
        await account.update("caller", Twiml=document(ROOM.format("")))

    with pytest.raises(CallFailed, match=r"left_behind.*caller"):
        at(Account, forgotten_caller)
    with pytest.raises(CallFailed, match="bad_document"):
        at(Account, wrong_document)
    with pytest.raises(CallFailed, match="bad_request"):
        at(Account, wrong_number)
