"""The Bandwidth codec and platform against documented messages, their broken twins and random audio."""

import base64
import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Refused
from gateway.events import CallEnded, CallerAudio, CallStarted, PeerError, SendAudio
from gateway.platforms.bandwidth import Bandwidth, BandwidthCodec
from gateway.platforms.base import MAX_MESSAGE_BYTES, WebhookRequest
from media.formats import AudioFormat, Encoding
from tests.rig.codec_rules import check_broken, check_command
from tests.rig.codec_vectors import Vector, events_of, load, message_of

SESSION = load("bandwidth", "session.json")
START, MEDIA, STOP = SESSION[0]["message"], SESSION[1]["message"], SESSION[3]["message"]
STREAM = "wss://bot.example.test/bandwidth/stream"
VOICE = "https://bot.example.test/bandwidth/voice"


def open_codec(start: str = START) -> BandwidthCodec:
    codec = BandwidthCodec()
    assert isinstance(codec.receive(start)[0], CallStarted)
    return codec


def test_a_recorded_session_gives_its_events() -> None:
    codec = BandwidthCodec()
    for step in SESSION:
        assert codec.receive(message_of(step)) == events_of(step)
    assert codec.receive(STOP) == codec.receive_eof() == []


@pytest.mark.parametrize("vector", load("bandwidth", "starts.json"), ids=lambda v: v["name"])
def test_a_start_is_read_however_it_is_spelt(vector: Vector) -> None:
    assert BandwidthCodec().receive(message_of(vector)) == events_of(vector)


@pytest.mark.parametrize("vector", load("bandwidth", "broken.json"), ids=lambda v: v["name"])
def test_a_broken_message_is_one_peer_error_and_the_stream_goes_on_or_is_over(vector: Vector) -> None:
    codec = BandwidthCodec() if vector["phase"] == "waiting" else open_codec()
    check_broken(codec, vector, START, MEDIA, CallerAudio(b"\xff" * 4))


@pytest.mark.parametrize("vector", load("bandwidth", "commands.json"), ids=lambda v: f"{v['command']} {v.get('value')}")
def test_a_command_is_written_byte_for_byte_while_the_stream_is_open(vector: Vector) -> None:
    check_command(BandwidthCodec(), open_codec(), vector)


def test_binary_messages_and_messages_past_the_limit_are_refused() -> None:
    codec = open_codec()
    events = [*codec.receive(b"\xff"), *codec.receive("x" * (MAX_MESSAGE_BYTES + 1))]
    assert [e.code for e in events if isinstance(e, PeerError)] == ["binary_message", "message_too_large"]


def test_a_payload_nested_as_in_what_we_send_is_read_too() -> None:
    assert open_codec().receive('{"eventType":"media","media":{"payload":"/w=="}}') == [CallerAudio(b"\xff")]


@pytest.mark.parametrize("stop", ['{"eventType":"stop"}', '{"eventType":"stop","metadata":{}}'])
def test_a_stop_that_names_no_stream_is_ours(stop: str) -> None:
    assert open_codec().receive(stop) == [CallEnded("stop")]


@pytest.mark.parametrize("rate_hz", [8000, 16000, 24000])
def test_linear_audio_is_announced_with_its_rate(rate_hz: int) -> None:
    codec = Bandwidth(pcm_hz=rate_hz).codec()
    (event,) = codec.receive(START)
    assert isinstance(event, CallStarted)
    assert event.format_out == AudioFormat(Encoding.L16, rate_hz)
    (wire,) = codec.encode(SendAudio(b"\1\2"))
    kind = f"audio/pcm;rate={rate_hz};channels=1;bit-depth=16;endian=little;encoding=signed"
    assert json.loads(wire) == {"eventType": "playAudio", "media": {"contentType": kind, "payload": "AQI="}}


@given(st.binary(max_size=3000))
def test_any_audio_survives_the_way_out(payload: bytes) -> None:
    wire = open_codec().encode(SendAudio(payload))
    assert b"".join(base64.b64decode(json.loads(message)["media"]["payload"]) for message in wire) == payload


@given(st.permutations([step["message"] for step in SESSION] * 2))
def test_in_any_order_a_call_starts_and_ends_at_most_once(messages: list[str]) -> None:
    codec = BandwidthCodec()
    events = [event for message in messages for event in codec.receive(message)] + codec.receive_eof()
    assert sum(isinstance(event, CallStarted) for event in events) <= 1
    assert [type(event) for event in events].count(CallEnded) == 1


def webhook(**fields: object) -> WebhookRequest:
    return WebhookRequest("POST", VOICE, {}, (), json.dumps(fields).encode())


def test_the_webhook_tells_the_call_and_both_numbers() -> None:
    fields = {"accountId": "5", "from": "+15550100001", "to": "+15550100002", "callId": "c-1"}
    call = Bandwidth().incoming(webhook(eventType="initiate", direction="inbound", **fields))
    assert (call.call_id, call.account_id, call.direction) == ("c-1", "5", "inbound")
    assert (call.caller, call.called) == ("+15550100001", "+15550100002")
    assert Bandwidth().incoming(webhook(eventType="answer", direction="outbound", **fields)).direction == "outbound"


@pytest.mark.parametrize("fields", [{}, {"callId": ""}, {"callId": 5}])
def test_a_webhook_without_call_id_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(Refused) as refused:
        Bandwidth().incoming(webhook(**fields))
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def test_the_answer_starts_the_stream_and_holds_the_call() -> None:
    document = Bandwidth("bot", "pw", hold_s=600).answer(STREAM, "secret", {"token": "forged", "bot": "a&b"})
    assert document.content_type == "application/xml"
    stream, pause = ElementTree.fromstring(document.body)
    assert (stream.tag, pause.tag, pause.get("duration")) == ("StartStream", "Pause", "600")
    assert (stream.get("destination"), stream.get("mode"), stream.get("tracks")) == (STREAM, "bidirectional", "inbound")
    assert (stream.get("destinationUsername"), stream.get("destinationPassword")) == ("bot", "pw")
    assert {p.get("name"): p.get("value") for p in stream} == {"token": "secret", "bot": "a&b"}
    assert "secret" not in repr(document)


def test_without_credentials_none_are_ordered() -> None:
    assert "destinationUsername" not in Bandwidth().answer(STREAM, "secret", {}).body


@pytest.mark.parametrize(
    "parameters", [{"": "x"}, {"n" * 257: "x"}, {"n": "x" * 2049}, {"n": "\0"}, {f"n{i}": "x" for i in range(12)}]
)
def test_parameters_bandwidth_would_not_carry_are_refused(parameters: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        Bandwidth().answer(STREAM, "secret", parameters)
    assert (refused.value.code, refused.value.http_status) == ("bad_parameter", 400)


def test_what_the_stream_cannot_is_data() -> None:
    can = BandwidthCodec().capabilities
    assert can is Bandwidth().capabilities
    assert (can.marks, can.digits_in, can.hang_up_on_stream) == (False, False, False)
    assert can.clear


def test_a_full_house_hangs_up() -> None:
    assert [verb.tag for verb in ElementTree.fromstring(Bandwidth().reject("busy").body)] == ["Hangup"]


def test_a_disconnect_says_that_the_call_is_over() -> None:
    assert Bandwidth().ended(webhook(eventType="disconnect", callId="c-1")) == "c-1"
    assert Bandwidth().ended(webhook(eventType="mediaStreamStopped", callId="c-1")) == ""


def test_requests_are_checked_with_the_credentials() -> None:
    upgrade = WebhookRequest("GET", STREAM, {"authorization": "Basic " + base64.b64encode(b"bot:pw").decode()})
    assert Bandwidth("bot", "pw").verify(upgrade)
    assert not Bandwidth("bot", "other").verify(upgrade)
    assert not Bandwidth().verify(upgrade)


def test_a_rate_bandwidth_does_not_take_is_the_operators_mistake() -> None:
    with pytest.raises(ValueError, match="11025"):
        Bandwidth(pcm_hz=11025)


def test_a_room_ends_the_stream_of_who_waits_and_tells_the_agent_who_does() -> None:
    agents = ElementTree.fromstring(Bandwidth().room("r1", agent=True, announcement="Ada & Bob\x00").body)
    callers = ElementTree.fromstring(Bandwidth().room("r1", agent=False).body)
    assert [(verb.tag, verb.text) for verb in agents] == [("SpeakSentence", "Ada & Bob "), ("Conference", "r1")]
    assert [verb.tag for verb in callers] == ["StopStream", "Conference"]
    started = ElementTree.fromstring(Bandwidth().answer("wss://x/s", "t", {}).body)[0]
    assert callers[0].get("name") == started.get("name")
