"""Warm transfers: the agent is called first; the caller is moved when they answer, and left alone when they do not."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import pytest

from gateway.errors import PeerFault, Refused
from gateway.legs.handover import ANSWER_DEADLINE_S, MAX_ANNOUNCEMENT_CHARS, MAX_KNOWN, Handovers, Invitation
from gateway.platforms.base import Document, Platform, WebhookRequest
from gateway.platforms.control import OutboundCall
from gateway.platforms.exotel import Exotel
from gateway.platforms.genesys import Genesys
from gateway.platforms.twilio import Twilio
from gateway.platforms.vobiz import Vobiz
from tests.rig.clock import run_leaping
from tests.rig.waiting import until

BASE = "https://bot.example.test"
AGENT = Invitation("+15550100009", "+15550100002", "Ada asks about an invoice.")


def picked_up(url: str) -> WebhookRequest:
    """The answer webhook of the agent's call."""
    return WebhookRequest("POST", url, {}, (("CallSid", "agent-1"),))


@dataclass
class Account:
    """A platform's account: what is dialled rings until `news` happens."""

    news: Callable[[OutboundCall], None] = lambda call: None
    after_s: float = 5.0
    faults: dict[str, PeerFault] = field(default_factory=dict)
    dialled: list[OutboundCall] = field(default_factory=list)
    moved: list[tuple[str, Document]] = field(default_factory=list)
    hung_up: list[str] = field(default_factory=list)

    async def dial(self, call: OutboundCall) -> str:
        await self._fail("dial")
        self.dialled.append(call)
        asyncio.get_running_loop().call_later(self.after_s, self.news, call)
        return "agent-1"

    async def redirect(self, call_id: str, document: Document) -> None:
        await self._fail("redirect")
        self.moved.append((call_id, document))

    async def hang_up(self, call_id: str) -> None:
        self.hung_up.append(call_id)
        await self._fail("hang_up")

    async def _fail(self, what: str) -> None:
        await asyncio.sleep(0.1)
        if what in self.faults:
            raise self.faults[what]


@dataclass
class House:
    account: Account = field(default_factory=Account)
    platform: Platform = field(default_factory=lambda: Twilio("token"))
    answers: list[Document | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        controls: Any = {self.platform.name: self.account}
        self.handovers = Handovers(controls, BASE)

    def answer(self, call: OutboundCall) -> None:
        self.answers.append(self.handovers.answered(self.platform, picked_up(call.answer_url)))

    def refuse(self, call: OutboundCall) -> None:
        self.handovers.ended(self.platform, call.status_url)

    async def hand_over(self, invitation: Invitation = AGENT) -> None:
        await self.handovers.hand_over(self.platform, "caller-1", invitation)


def test_who_answers_hears_of_the_caller_and_both_meet_in_one_room() -> None:
    async def main() -> None:
        house = House()
        house.account.news = house.answer
        await house.hand_over()
        (call,) = house.account.dialled
        assert (call.to, call.caller) == (AGENT.to, AGENT.caller)
        assert call.answer_url.startswith(f"{BASE}/twilio/voice?")
        assert call.status_url.startswith(f"{BASE}/twilio/status?")
        (agents,) = house.answers
        assert agents is not None
        say, dial = ElementTree.fromstring(agents.body)
        assert (say.tag, say.text) == ("Say", AGENT.announcement)
        ((caller_id, callers),) = house.account.moved
        assert caller_id == "caller-1"
        (waits,) = ElementTree.fromstring(callers.body)
        assert dial[0].text == waits[0].text != ""
        assert [leg[0].get("startConferenceOnEnter") for leg in (dial, waits)] == ["true", "false"]
        assert house.account.hung_up == []

    run_leaping(main())


@pytest.mark.parametrize("busy", [True, False], ids=["busy", "unanswered"])
def test_who_does_not_answer_leaves_the_caller_where_they_are(busy: bool) -> None:
    async def main() -> float:
        house = House()
        if busy:
            house.account.news = house.refuse
        began_s = asyncio.get_running_loop().time()
        with pytest.raises(Refused) as refused:
            await house.hand_over()
        assert (refused.value.code, refused.value.http_status) == ("agent_unreachable", 409)
        assert house.account.moved == []
        assert house.account.hung_up == ["agent-1"]
        too_late = house.handovers.answered(house.platform, picked_up(house.account.dialled[0].answer_url))
        assert too_late is not None
        assert "Reject" in too_late.body
        return asyncio.get_running_loop().time() - began_s

    waited_s = run_leaping(main())
    assert waited_s == pytest.approx(5.2 if busy else ANSWER_DEADLINE_S + 0.2, abs=0.1)


@pytest.mark.parametrize("by", ["the caller leaves", "whoever asked gives up", "the gateway stops"])
def test_an_agent_who_still_rings_is_called_off(by: str) -> None:
    async def main() -> None:
        house = House()
        asked = asyncio.create_task(house.hand_over())
        await asyncio.sleep(2.0)
        if by == "the caller leaves":
            house.handovers.left("another")
            await asyncio.sleep(1.0)
            assert house.account.hung_up == []
            house.handovers.left("caller-1")
        elif by == "whoever asked gives up":
            asked.cancel()
        else:
            await house.handovers.stop()
        await asyncio.wait({asked})
        await asyncio.sleep(1.0)
        assert house.account.hung_up == ["agent-1"]
        assert house.account.moved == []

    run_leaping(main())


def test_the_move_itself_ends_the_stream_and_is_not_given_up_for_it() -> None:
    async def main() -> None:
        house = House()
        house.account.news = house.answer
        asked = asyncio.create_task(house.hand_over())
        await asyncio.sleep(5.15)  # the request that moves the caller is on its way
        house.handovers.left("caller-1")
        asked.cancel()
        await asyncio.sleep(1.0)
        assert [call_id for call_id, _ in house.account.moved] == ["caller-1"]
        assert house.account.hung_up == []

    run_leaping(main())


def test_a_caller_who_cannot_be_moved_stays_and_the_agent_does_not_wait_for_nobody() -> None:
    async def main() -> None:
        gone, deaf = PeerFault("call_over"), PeerFault("rest_timeout")
        house = House(Account(faults={"redirect": gone, "hang_up": deaf}))
        house.account.news = house.answer
        with pytest.raises(PeerFault, match="call_over"):
            await house.hand_over()
        assert house.account.hung_up == ["agent-1"]

    run_leaping(main())


def test_a_call_that_cannot_be_placed_is_told_and_forgotten() -> None:
    async def main() -> None:
        house = House(Account(faults={"dial": PeerFault("rest_refused")}))
        for _ in range(2):
            with pytest.raises(PeerFault, match="rest_refused"):
                await house.hand_over()

    run_leaping(main())


def test_one_hand_over_a_call_at_a_time() -> None:
    async def main() -> None:
        house = House()
        first = asyncio.create_task(house.hand_over())
        await asyncio.sleep(1.0)
        assert [house.handovers.is_on(call_id) for call_id in ("caller-1", "another")] == [True, False]
        with pytest.raises(Refused, match="transfer_is_on"):
            await house.hand_over()
        house.handovers.left("caller-1")
        await asyncio.wait({first})
        assert not house.handovers.is_on("caller-1")

    run_leaping(main())


@pytest.mark.parametrize(
    ("invitation", "code"),
    [
        (Invitation("the office", "+15550100002"), "bad_target"),
        (Invitation("+15550100009", ""), "bad_number"),
        (Invitation("+15550100009", "client:front desk"), "bad_number"),
        (Invitation("+15550100009", "+15550100002", "x" * (MAX_ANNOUNCEMENT_CHARS + 1)), "bad_announcement"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anyone_is_called(invitation: Invitation, code: str) -> None:
    async def main() -> None:
        house = House()
        with pytest.raises(Refused, match=code):
            await house.hand_over(invitation)
        assert house.account.dialled == []

    run_leaping(main())


@pytest.mark.parametrize("platform", [Exotel("u", "p"), Genesys("k", "c2VjcmV0")], ids=["no rooms", "no REST"])
def test_a_platform_without_rooms_hands_nobody_over(platform: Platform) -> None:
    async def main() -> None:
        with pytest.raises(Refused, match="cannot_transfer"):
            await House(platform=platform).hand_over()
        without_account = Handovers({}, BASE)
        with pytest.raises(Refused, match="cannot_transfer"):
            await without_account.hand_over(Twilio("token"), "caller-1", AGENT)

    run_leaping(main())


def test_an_agent_who_hangs_up_before_the_room_does_not_leave_the_caller_there() -> None:
    async def main() -> None:
        house = House()
        house.account.news = house.answer
        await house.hand_over()
        house.refuse(house.account.dialled[0])
        house.refuse(house.account.dialled[0])
        await asyncio.sleep(1.0)
        assert house.account.hung_up == ["caller-1"]

    run_leaping(main())


def test_an_answer_that_is_told_twice_leads_to_the_same_room() -> None:
    async def main() -> None:
        house = House()
        house.account.news = house.answer
        await house.hand_over()
        house.answer(house.account.dialled[0])
        assert house.answers[0] == house.answers[1]

    run_leaping(main())


def test_of_very_many_agents_the_oldest_are_no_longer_watched() -> None:
    async def main() -> None:
        house = House()
        house.account.news, house.account.after_s = house.answer, 0.0
        for _ in range(MAX_KNOWN + 1):
            await house.hand_over()
        first, *_, last = house.account.dialled
        house.refuse(first)
        house.refuse(last)
        await asyncio.sleep(1.0)
        assert house.account.hung_up == ["caller-1"]

    run_leaping(main())


def test_the_keys_of_others_mean_nothing() -> None:
    async def main() -> None:
        house = House()
        assert house.handovers.answered(house.platform, picked_up(f"{BASE}/twilio/voice")) is None
        assert house.handovers.answered(house.platform, picked_up(f"{BASE}/twilio/voice?ref=1")) is None
        asked = asyncio.create_task(house.hand_over())
        await asyncio.sleep(1.0)
        url = house.account.dialled[0].answer_url
        stranger = house.handovers.answered(Vobiz("t"), picked_up(url))
        assert stranger is not None
        assert "Conference" not in stranger.body
        house.handovers.ended(Vobiz("t"), url)
        assert not asked.done()
        house.answer(house.account.dialled[0])
        await asked

    run_leaping(main())


@pytest.mark.parametrize("fault", ["rest_timeout", "call_over"])
def test_the_end_of_an_agents_call_that_we_ended_does_not_end_the_callers(fault: str) -> None:
    """The caller could not be moved; that the agent's call is over is told before our request to end it is answered."""

    async def main() -> None:
        house = House(Account(faults={"redirect": PeerFault(fault)}))
        house.account.news = house.answer
        asked = asyncio.create_task(house.hand_over())
        await until(lambda: bool(house.account.hung_up), within_s=60.0)
        house.refuse(house.account.dialled[0])
        with pytest.raises(PeerFault, match=fault):
            await asked
        await asyncio.sleep(1.0)
        assert house.account.hung_up == ["agent-1"]

    run_leaping(main())


def test_an_answer_that_comes_while_the_agent_is_called_off_is_too_late() -> None:
    async def main() -> None:
        house = House()
        asked = asyncio.create_task(house.hand_over())
        await until(lambda: bool(house.account.hung_up), within_s=60.0)
        house.answer(house.account.dialled[0])
        house.refuse(house.account.dialled[0])
        with pytest.raises(Refused, match="agent_unreachable"):
            await asked
        await asyncio.sleep(1.0)
        (told,) = house.answers
        assert told is not None
        assert "Reject" in told.body
        assert house.account.hung_up == ["agent-1"]

    run_leaping(main())


@pytest.mark.parametrize("leaves_first", [True, False])
def test_a_move_whose_answer_is_lost_leaves_nobody_alone_in_the_room(leaves_first: bool) -> None:
    """The platform may have moved the caller all the same: the end of the stream tells."""

    async def main() -> None:
        house = House(Account(faults={"redirect": PeerFault("rest_timeout", retryable=True)}))
        house.account.news = house.answer
        asked = asyncio.create_task(house.hand_over())
        if leaves_first:
            await asyncio.sleep(5.15)  # the request is on its way
            house.handovers.left("caller-1")
            await asked
            assert house.account.hung_up == []
            return
        with pytest.raises(PeerFault, match="rest_timeout"):
            await asked
        house.handovers.left("another")
        house.handovers.left("caller-1")
        house.handovers.left("caller-1")
        await asyncio.sleep(1.0)
        assert house.account.hung_up == ["agent-1", "caller-1"]

    run_leaping(main())


def test_a_caller_who_hangs_up_while_the_agent_is_told_of_them_leaves_no_agent_waiting() -> None:
    async def main() -> None:
        house = House()
        house.account.news = house.answer
        await house.hand_over()
        house.handovers.left("caller-1")  # the stream's end, by the move itself
        house.handovers.hung_up(Vobiz("t"), "caller-1")
        house.handovers.hung_up(house.platform, "another")
        await asyncio.sleep(1.0)
        assert house.account.hung_up == []
        house.handovers.hung_up(house.platform, "caller-1")
        house.handovers.hung_up(house.platform, "caller-1")
        house.refuse(house.account.dialled[0])
        await asyncio.sleep(1.0)
        assert house.account.hung_up == ["agent-1"]

    run_leaping(main())


def test_a_caller_who_hangs_up_while_it_rings_calls_the_agent_off_once() -> None:
    async def main() -> None:
        house = House()
        asked = asyncio.create_task(house.hand_over())
        await asyncio.sleep(2.0)
        house.handovers.hung_up(house.platform, "caller-1")
        house.handovers.left("caller-1")
        with pytest.raises(Refused, match="agent_unreachable"):
            await asked
        assert house.account.hung_up == ["agent-1"]

    run_leaping(main())
