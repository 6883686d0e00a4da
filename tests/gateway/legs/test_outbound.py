"""Calls that we place: what is asked of us, what is asked of the platform, and what is remembered in between."""

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from gateway.call.script import Script
from gateway.errors import PeerFault, Refused
from gateway.events import CallStarted
from gateway.legs.outbound import REMEMBER_S, Outbound, Wanted, planned, read_wanted, reference_of, scripted
from gateway.platforms.control import OutboundCall
from media.formats import ULAW_8K

BASE = "https://bot.example.test"
CALL = {"to": "+15550100001", "from": "+15550100002"}


@dataclass
class Dialler:
    fault: PeerFault | None = None
    calls: list[OutboundCall] = field(default_factory=list)

    async def dial(self, call: OutboundCall) -> str:
        self.calls.append(call)
        if self.fault:
            raise self.fault
        return f"call-{len(self.calls)}"


def outbound(dialler: Dialler, now_s: list[float]) -> Outbound:
    control: Any = dialler
    return Outbound({"twilio": control}, lambda: now_s[0])


async def test_the_platform_dials_and_asks_our_webhook() -> None:
    dialler = Dialler()
    placed = await outbound(dialler, [0.0]).place("twilio", Wanted("+15550100001", "+15550100002"), BASE)
    assert placed == "call-1"
    (call,) = dialler.calls
    assert (call.to, call.caller) == ("+15550100001", "+15550100002")
    assert urlsplit(call.answer_url)[:3] == ("https", "bot.example.test", "/twilio/voice")
    assert call.status_url == f"{BASE}/twilio/status"


async def test_parameters_stay_here_and_come_back_with_the_answer_webhook_as_often_as_it_is_sent() -> None:
    dialler, now_s = Dialler(), [0.0]
    placing = outbound(dialler, now_s)
    await placing.place("twilio", Wanted("+15550100001", "+15550100002", {"customer": "Ada"}), BASE)
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
        await outbound(Dialler(), [0.0]).place("vonage", Wanted("+15550100001", "+15550100002"), BASE)


async def test_a_failing_api_is_told() -> None:
    dialler = Dialler(PeerFault("rest_timeout", retryable=True))
    with pytest.raises(PeerFault, match="rest_timeout"):
        await outbound(dialler, [0.0]).place("twilio", Wanted("+15550100001", "+15550100002"), BASE)


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
    await placing.place("twilio", Wanted("+15550100001", "+15550100002"), BASE, ask_who=True)
    assert dialler.calls[0].ask_who
    reference = reference_of(dialler.calls[0].answer_url)
    assert placing.placed(reference)
    assert not placing.placed("")
    now_s[0] = REMEMBER_S
    assert not placing.placed(reference)
