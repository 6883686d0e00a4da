"""The FreeSWITCH codec and platform, in both modules' messages and with bare audio."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Refused
from gateway.events import CallEnded, CallerAudio, CallStarted, PeerError, SendAudio
from gateway.platforms.base import MAX_MESSAGE_BYTES, Codec, WebhookRequest
from gateway.platforms.freeswitch import FreeSwitch
from tests.rig.codec_rules import check_broken, check_command
from tests.rig.codec_vectors import Vector, events_of, load, message_of

SESSION = load("freeswitch", "session.json")
START = SESSION[0]["message"]
STREAM = "wss://bot.example.test/freeswitch/stream"
VOICE = "https://bot.example.test/freeswitch/voice"
FORK, STREAMING, BARE = FreeSwitch(), FreeSwitch(module="stream"), FreeSwitch(bare_audio=True)


def open_codec(platform: FreeSwitch = FORK) -> Codec:
    codec = platform.codec()
    assert isinstance(codec.receive(START)[0], CallStarted)
    return codec


def test_a_recorded_session_gives_its_events() -> None:
    codec = FORK.codec()
    for step in SESSION:
        assert codec.receive(message_of(step)) == events_of(step)
    assert codec.receive(b"\0\0") == codec.receive_eof() == []


@pytest.mark.parametrize("vector", load("freeswitch", "starts.json"), ids=lambda v: v["name"])
def test_metadata_is_read_however_it_is_spelt(vector: Vector) -> None:
    assert FORK.codec().receive(message_of(vector)) == events_of(vector)


@pytest.mark.parametrize("vector", load("freeswitch", "broken.json"), ids=lambda v: v["name"])
def test_a_broken_message_is_one_peer_error_and_the_stream_goes_on_or_is_over(vector: Vector) -> None:
    codec = FORK.codec() if vector["phase"] == "waiting" else open_codec()
    check_broken(codec, vector, START, b"\1\2", CallerAudio(b"\1\2"))


@pytest.mark.parametrize("vector", load("freeswitch", "commands.json"), ids=lambda v: f"{v['command']} {v['value']}")
def test_a_command_is_written_byte_for_byte_as_the_module_wants_it(vector: Vector) -> None:
    check_command(FORK.codec(), open_codec(), vector)
    check_command(STREAMING.codec(), open_codec(STREAMING), {**vector, "wire": vector["stream"]})


def test_messages_past_the_limit_are_refused() -> None:
    (event,) = open_codec().receive(bytes(MAX_MESSAGE_BYTES + 2))
    assert isinstance(event, PeerError)
    assert event.code == "message_too_large"


@given(st.binary(max_size=3000))
def test_any_audio_survives_the_way_out(payload: bytes) -> None:
    data = [json.loads(message)["data"] for message in open_codec().encode(SendAudio(payload))]
    assert b"".join(base64.b64decode(body["audioContent"]) for body in data) == payload
    assert open_codec(BARE).encode(SendAudio(payload)) == ([payload] if payload else [])


def test_audio_as_json_comes_in_larger_pieces_than_bare_audio() -> None:
    assert (FORK.capabilities.frame_ms, BARE.capabilities.frame_ms) == (400, 20)
    assert FreeSwitch(chunk_ms=1000).codec().capabilities.frame_ms == 1000


def test_the_rate_of_the_metadata_is_the_rate_of_the_audio_out() -> None:
    codec = FreeSwitch(rate_hz=8000).codec()
    codec.receive('{"call_uuid":"1","sample_rate":16000}')
    (wire,) = codec.encode(SendAudio(b"\0\0"))
    assert json.loads(wire)["data"]["sampleRate"] == 16000


@given(st.permutations([message_of(step) for step in SESSION] * 2))
def test_in_any_order_a_call_starts_and_ends_at_most_once(messages: list[str | bytes]) -> None:
    codec = FORK.codec()
    events = [event for message in messages for event in codec.receive(message)] + codec.receive_eof()
    assert sum(isinstance(event, CallStarted) for event in events) <= 1
    assert [type(event) for event in events].count(CallEnded) == 1


def webhook(**fields: object) -> WebhookRequest:
    return WebhookRequest("POST", VOICE, {}, (), json.dumps(fields).encode())


def test_the_webhook_tells_the_call_and_both_numbers() -> None:
    call = FORK.incoming(webhook(call_uuid="1", **{"from": "+15550100001", "to": "+15550100002"}))
    assert (call.call_id, call.caller, call.called, call.direction) == ("1", "+15550100001", "+15550100002", "inbound")
    assert FORK.incoming(webhook(call_uuid="1", direction="outbound")).direction == "outbound"


@pytest.mark.parametrize("fields", [{}, {"call_uuid": ""}, {"call_uuid": 5}])
def test_a_webhook_without_call_id_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(Refused) as refused:
        FORK.incoming(webhook(**fields))
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def test_the_answer_says_where_to_connect_how_and_with_what() -> None:
    document = FreeSwitch(rate_hz=16000).answer(STREAM, "secret", {"token": "forged", "bot": "x"})
    assert document.content_type == "application/json"
    order = json.loads(document.body)
    assert order == {"url": STREAM, "rate": "16k", "metadata": {"token": "secret", "bot": "x"}}
    assert "secret" not in repr(document)


def test_a_full_house_turns_the_call_away() -> None:
    assert json.loads(FORK.reject("busy").body) == {"reject": "busy"}


def test_the_application_says_when_the_call_is_over() -> None:
    assert FORK.ended(webhook(call_uuid="1", state="ended")) == "1"
    assert FORK.ended(webhook(call_uuid="1", state="answered")) == ""


def test_the_webhook_needs_the_credentials_and_the_socket_where_the_module_can_send_them() -> None:
    headers = {"authorization": "Basic " + base64.b64encode(b"bot:pw").decode()}
    upgrade = WebhookRequest("GET", STREAM, {})
    assert FreeSwitch("bot", "pw").verify(WebhookRequest("POST", VOICE, headers))
    assert not FreeSwitch("bot", "pw").verify(WebhookRequest("POST", VOICE, {}))
    assert not FreeSwitch().verify(WebhookRequest("GET", VOICE, {}))
    assert FreeSwitch("bot", "pw").verify(upgrade)
    assert not FreeSwitch("bot", "pw", socket_credentials=True).verify(upgrade)
    assert FreeSwitch("bot", "pw", socket_credentials=True).verify(WebhookRequest("GET", STREAM, headers))


@pytest.mark.parametrize("values", [{"module": "x"}, {"rate_hz": 44100}])
def test_what_freeswitch_does_not_have_is_the_operators_mistake(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="FreeSWITCH has"):
        FreeSwitch(**values)  # type: ignore[arg-type]  # the mistake is the point
