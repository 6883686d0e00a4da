"""Calls that we place: what is asked of us, what is asked of the platform, and what is remembered in between."""

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from gateway.call.ringing import Ringing
from gateway.call.script import Script
from gateway.errors import PeerFault, Refused, VoicebotError
from gateway.events import CallStarted
from gateway.legs.outbound import PLACE_S, REMEMBER_S, Outbound, Wanted, planned, read_wanted, reference_of, scripted
from gateway.platforms.control import OutboundCall
from media.formats import ULAW_8K

BASE = "https://bot.example.test"
WANTED = Wanted("+15550100001", "+15550100002")
CALL = {"to": "+15550100001", "from": "+15550100002"}


@dataclass
class Dialler:
    fault: VoicebotError | None = None
    calls: list[OutboundCall] = field(default_factory=list)
    hung_up: list[str] = field(default_factory=list)
    deaf: bool = False

    async def dial(self, call: OutboundCall) -> str:
        self.calls.append(call)
        if self.fault:
            raise self.fault
        return f"call-{len(self.calls)}"

    async def hang_up(self, call_id: str) -> None:
        self.hung_up.append(call_id)
        if self.deaf:
            raise PeerFault("rest_timeout")


def outbound(dialler: Dialler, now_s: list[float], ringing: Ringing | None = None) -> Outbound:
    control: Any = dialler
    return Outbound({"twilio": control}, Ringing(lambda: now_s[0]) if ringing is None else ringing, lambda: now_s[0])


async def test_the_platform_dials_and_asks_our_webhook() -> None:
    dialler = Dialler()
    placed = await outbound(dialler, [0.0]).place("twilio", WANTED, BASE, "clinic")
    assert placed == "call-1"
    (call,) = dialler.calls
    assert (call.to, call.caller) == ("+15550100001", "+15550100002")
    assert urlsplit(call.answer_url)[:3] == ("https", "bot.example.test", "/twilio/voice")
    assert urlsplit(call.status_url)[:3] == ("https", "bot.example.test", "/twilio/status")
    assert reference_of(call.status_url) == reference_of(call.answer_url) != ""


async def test_parameters_stay_here_and_come_back_with_the_answer_webhook_as_often_as_it_is_sent() -> None:
    dialler, now_s = Dialler(), [0.0]
    placing = outbound(dialler, now_s)
    await placing.place("twilio", Wanted("+15550100001", "+15550100002", {"customer": "Ada"}), BASE, "clinic")
    url = dialler.calls[0].answer_url
    assert "Ada" not in url
    assert placing.parameters(reference_of(url)) == {"customer": "Ada"}
    assert placing.parameters(reference_of(url)) == {"customer": "Ada"}
    now_s[0] = REMEMBER_S
    assert placing.parameters(reference_of(url)) == {}


@pytest.mark.parametrize(
    "url", [f"{BASE}/twilio/voice", f"{BASE}/twilio/voice?ref=unknown", f"{BASE}/twilio/voice?ref="]
)
def test_an_inbound_call_has_no_parameters(url: str) -> None:
    assert outbound(Dialler(), [0.0]).parameters(reference_of(url)) == {}


async def test_without_an_account_nothing_is_dialled() -> None:
    with pytest.raises(Refused, match="cannot_dial"):
        await outbound(Dialler(), [0.0]).place("vonage", WANTED, BASE, "clinic")


async def test_a_failing_api_is_told() -> None:
    dialler = Dialler(PeerFault("rest_timeout", retryable=True))
    with pytest.raises(PeerFault, match="rest_timeout"):
        await outbound(dialler, [0.0]).place("twilio", WANTED, BASE, "clinic")


def test_what_is_wanted_is_read() -> None:
    wanted = read_wanted({**CALL, "params": {"customer": "Ada"}, "platform": "twilio"})
    assert wanted == Wanted("+15550100001", "+15550100002", {"customer": "Ada"})
    assert read_wanted({"to": "sip:bot@example.test", "from": "100"}).parameters == {}
    assert "5550100001" not in repr(wanted)
    assert "Ada" not in repr(wanted)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ([], "bad_call"),
        (None, "bad_call"),
        ({}, "bad_number"),
        ({**CALL, "to": 15550100001}, "bad_number"),
        ({**CALL, "to": "the office"}, "bad_number"),
        ({**CALL, "to": "sip:a b"}, "bad_number"),
        ({**CALL, "from": ""}, "bad_number"),
        ({**CALL, "params": []}, "bad_parameter"),
        ({**CALL, "params": {"a": 1}}, "bad_parameter"),
        ({**CALL, "params": {"": ""}}, "bad_parameter"),
        ({**CALL, "params": {"token": "mine"}}, "bad_parameter"),
        ({**CALL, "params": {"a": "x" * 400}}, "bad_parameter"),
        ({**CALL, "params": {str(n): "x" for n in range(11)}}, "bad_parameter"),
    ],
)
def test_what_is_not_a_call_is_refused_with_a_reason(body: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read_wanted(body)
    assert (refused.value.code, refused.value.http_status) == (code, 400)


SCRIPT = Script("en", "", "Hello.", "", "", "", machine="hang_up", message="From the bot.")


def started(**custom: str) -> CallStarted:
    return CallStarted("c1", "s1", ULAW_8K, ULAW_8K, custom, outbound=True)


def test_what_a_machine_is_to_be_told_is_asked_for_call_by_call() -> None:
    wanted = read_wanted({**CALL, "machine": "leave_message", "message": " Call us. "})
    assert wanted.parameters == {"machine": "leave_message", "message": "Call us."}
    script = scripted(SCRIPT, started(**wanted.parameters))
    assert (script.machine, script.message) == ("leave_message", "Call us.")
    assert planned(SCRIPT, wanted) == script


def test_without_a_wish_the_bots_own_counts_and_inbound_calls_are_never_screened_by_parameters() -> None:
    assert scripted(SCRIPT, started()) == SCRIPT
    inbound = replace(started(machine="leave_message", message="x"), outbound=False)
    assert scripted(SCRIPT, inbound) == SCRIPT


def test_a_message_that_is_to_be_left_must_exist() -> None:
    mute = replace(SCRIPT, message="")
    with pytest.raises(Refused, match="no_message"):
        planned(mute, read_wanted({**CALL, "machine": "leave_message"}))
    assert planned(mute, read_wanted({**CALL, "machine": "hang_up"})).machine == "hang_up"


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"machine": "beep"}, "bad_machine"),
        ({"machine": ["hang_up"]}, "bad_machine"),
        ({"message": 1}, "bad_message"),
        ({"message": "x" * 1001}, "bad_message"),
        ({"params": {"machine": "hang_up"}}, "bad_parameter"),
    ],
)
def test_a_wish_that_cannot_be_is_refused(wish: dict[str, Any], code: str) -> None:
    with pytest.raises(Refused) as refused:
        read_wanted({**CALL, **wish})
    assert (refused.value.code, refused.value.http_status) == (code, 400)


async def test_the_platform_is_asked_who_answers_and_a_placed_call_is_known_by_its_reference() -> None:
    dialler, now_s = Dialler(), [0.0]
    placing = outbound(dialler, now_s)
    await placing.place("twilio", WANTED, BASE, "clinic", ask_who=True)
    assert dialler.calls[0].ask_who
    reference = reference_of(dialler.calls[0].answer_url)
    assert placing.placed(reference)
    assert not placing.placed("")
    now_s[0] = REMEMBER_S
    assert not placing.placed(reference)


async def test_a_call_keeps_a_place_for_its_bot_while_it_rings() -> None:
    dialler, now_s = Dialler(), [0.0]
    ringing = Ringing(lambda: now_s[0])
    placing = outbound(dialler, now_s, ringing)
    for _ in range(2):
        await placing.place("twilio", WANTED, BASE, "clinic")
    assert ringing.bots() == ["clinic", "clinic"]
    placing.over(reference_of(dialler.calls[0].status_url))
    placing.over("unknown")
    assert len(ringing) == 1
    now_s[0] = PLACE_S
    assert len(ringing) == 0


@pytest.mark.parametrize(
    ("fault", "kept"),
    [
        (PeerFault("rest_refused"), 0),
        (Refused("bad_target"), 0),
        (PeerFault("rest_timeout"), 1),
        (PeerFault("rest_bad_answer"), 1),
    ],
    ids=lambda value: getattr(value, "code", value),
)
async def test_a_call_that_was_surely_not_placed_keeps_none(fault: VoicebotError, kept: int) -> None:
    """One whose answer was lost may ring all the same."""
    ringing = Ringing(lambda: 0.0)
    with pytest.raises(type(fault), match=fault.code):
        await outbound(Dialler(fault), [0.0], ringing).place("twilio", WANTED, BASE, "clinic")
    assert len(ringing) == kept


@pytest.mark.parametrize("deaf", [False, True])
async def test_what_rings_at_the_end_is_called_off(deaf: bool) -> None:
    dialler, now_s = Dialler(deaf=deaf), [0.0]
    ringing = Ringing(lambda: now_s[0])
    placing = outbound(dialler, now_s, ringing)
    for _ in range(3):
        await placing.place("twilio", WANTED, BASE, "clinic")
    placing.over(reference_of(dialler.calls[0].status_url))
    ringing.end(reference_of(dialler.calls[1].answer_url))  # answered
    await placing.stop()
    assert dialler.hung_up == ["call-3"]
    await placing.place("twilio", WANTED, BASE, "clinic")  # it was on its way
    assert dialler.hung_up == ["call-3", "call-4"]
    assert len(ringing) == 0
