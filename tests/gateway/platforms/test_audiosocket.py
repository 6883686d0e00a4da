"""The AudioSocket codec and platform: frames in any pieces, broken frames, every rate."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import CallEnded, CallerAudio, CallStarted, Event, PeerError, SendAudio
from gateway.platforms.audiosocket import AudioSocket, AudioSocketCodec
from gateway.platforms.base import WebhookRequest
from media.formats import AudioFormat, Encoding
from tests.rig.codec_rules import check_broken, check_command
from tests.rig.codec_vectors import Vector, events_of, load, message_of

SESSION = load("audiosocket", "session.json")
START = bytes.fromhex(SESSION[0]["hex"])
UUID = "40325ec2-5efd-4bd3-805f-53576e581d13"
MEDIA = bytes.fromhex("1000020102")
BROKEN = load("audiosocket", "broken.json")
STREAM = "wss://bot.example.test/audiosocket/stream"


def wire(vector: Vector) -> bytes:
    message = message_of(vector)
    assert isinstance(message, bytes)
    return message


def open_codec() -> AudioSocketCodec:
    codec = AudioSocketCodec()
    assert isinstance(codec.receive(START)[0], CallStarted)
    return codec


def test_a_recorded_session_gives_its_events() -> None:
    codec = AudioSocketCodec()
    for step in SESSION:
        assert codec.receive(message_of(step)) == events_of(step)
    assert codec.receive(MEDIA) == codec.receive_eof() == []


@pytest.mark.parametrize("vector", BROKEN, ids=lambda v: v["name"])
def test_a_broken_frame_is_one_peer_error_and_the_stream_goes_on_or_is_over(vector: Vector) -> None:
    codec = AudioSocketCodec() if vector["phase"] == "waiting" else open_codec()
    check_broken(codec, vector, START, MEDIA, CallerAudio(b"\1\2"))


@pytest.mark.parametrize(
    "vector", load("audiosocket", "commands.json"), ids=lambda v: f"{v['command']} {v.get('value')}"[:30]
)
def test_a_command_is_written_byte_for_byte_while_the_stream_is_open(vector: Vector) -> None:
    check_command(AudioSocketCodec(), open_codec(), vector)


STREAMS = [
    b"".join(wire(step) for step in SESSION),
    START + b"".join(wire(vector) for vector in BROKEN if vector["phase"] == "open" and not vector["fatal"]) + MEDIA,
    START + MEDIA + b"\x42\xff\xff" + bytes(65535) + MEDIA + b"\x10\x01",
    START + MEDIA + bytes.fromhex("120002aabb") + MEDIA,
    MEDIA + START,
    *(wire(vector) for vector in BROKEN if vector["phase"] == "waiting"),
]


def told(rate_hz: int, pieces: list[bytes]) -> list[Event]:
    codec = AudioSocketCodec(rate_hz)
    return [event for piece in pieces for event in codec.receive(piece)] + codec.receive_eof()


@pytest.mark.parametrize("rate_hz", [8000, 0])
@pytest.mark.parametrize("stream", STREAMS, ids=range(len(STREAMS)))
def test_one_byte_at_a_time_gives_the_same_events(stream: bytes, rate_hz: int) -> None:
    assert told(rate_hz, [stream[i : i + 1] for i in range(len(stream))]) == told(rate_hz, [stream])


@given(st.sampled_from(STREAMS), st.sampled_from([8000, 0]), st.data())
def test_any_split_of_the_bytes_gives_the_same_events(stream: bytes, rate_hz: int, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert told(rate_hz, pieces) == told(rate_hz, [stream])


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=40)), max_size=10), st.data())
def test_any_split_of_random_frames_gives_the_same_events(frames: list[tuple[int, bytes]], data: st.DataObject) -> None:
    stream = START + b"".join(bytes([kind]) + len(body).to_bytes(2, "big") + body for kind, body in frames)
    cut = data.draw(st.integers(0, len(stream)))
    assert told(8000, [stream[:cut], stream[cut:]]) == told(8000, [stream])


@pytest.mark.parametrize("vector", load("audiosocket", "starts.json"), ids=lambda v: v["name"])
def test_the_first_frame_of_audio_tells_the_rate_when_none_is_set(vector: Vector) -> None:
    codec = AudioSocketCodec(0)
    assert codec.receive(START) == []
    started, audio = codec.receive(wire(vector)[len(START) :])
    assert isinstance(started, CallStarted)
    assert started.format_in == started.format_out == AudioFormat(Encoding.L16, vector["rate_hz"])
    assert isinstance(audio, CallerAudio)
    assert len(audio.payload) == started.format_in.frame_bytes(20)
    (frame,) = codec.encode(SendAudio(audio.payload))
    assert isinstance(frame, bytes)
    assert frame == wire(vector)[len(START) :]


@pytest.mark.parametrize("vector", load("audiosocket", "starts.json"), ids=lambda v: v["name"])
def test_a_set_rate_starts_the_call_at_its_uuid(vector: Vector) -> None:
    started, _ = AudioSocketCodec(vector["rate_hz"]).receive(wire(vector))
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom) == (UUID, {"token": uuid.UUID(UUID).hex})


def test_broken_audio_that_would_tell_the_rate_starts_the_call_all_the_same() -> None:
    codec = AudioSocketCodec(0)
    codec.receive(START)
    started, error = codec.receive(b"\x12\x00\x01x")
    assert isinstance(started, CallStarted)
    assert isinstance(error, PeerError)
    assert (started.format_in.rate_hz, error.code) == (16000, "odd_payload")


def test_another_rate_than_the_one_set_names_the_setting() -> None:
    (event,) = open_codec().receive(b"\x12\x00\x02xx")
    assert isinstance(event, PeerError)
    assert event.detail == "audio of 16000 Hz where 8000 is set: set audiosocket.rate_hz"


def test_text_is_refused_and_the_pieces_around_it_still_meet() -> None:
    codec = open_codec()
    assert codec.receive(MEDIA[:2]) == []
    (event,) = codec.receive("x")
    assert isinstance(event, PeerError)
    assert event.code == "text_message"
    assert codec.receive(MEDIA[2:]) == [CallerAudio(b"\1\2")]


def test_a_close_inside_a_frame_is_an_end() -> None:
    codec = open_codec()
    codec.receive(MEDIA[:3])
    assert codec.receive_eof() == [CallEnded("closed")]


def test_an_unknown_rate_is_the_operators_mistake() -> None:
    with pytest.raises(ValueError, match="11025"):
        AudioSocket(rate_hz=11025)


def test_the_answer_is_the_token_as_a_uuid_which_comes_back() -> None:
    platform = AudioSocket()
    token = "40325ec25efd4bd3805f53576e581d13"
    document = platform.answer(STREAM, token, {"call": "1.1"})
    assert (document.content_type, document.body) == ("text/plain", UUID)
    (event,) = platform.codec().receive(b"\x01\x00\x10" + uuid.UUID(document.body).bytes)
    assert isinstance(event, CallStarted)
    assert event.custom["token"] == token
    with pytest.raises(ValueError, match="UUID"):
        platform.answer(STREAM, "secret", {})


def test_the_platform_has_no_queue_to_lead_into_and_wants_to_hear_something() -> None:
    can = AudioSocket().capabilities
    assert can.longest_lead_ms <= 100
    assert can.silence_every_s is not None
    assert can.silence_every_s < 2.0
    assert not can.marks
    assert not can.clear
    assert AudioSocketCodec().capabilities is can


def test_the_dial_plans_question_is_checked_with_the_credentials() -> None:
    request = WebhookRequest("POST", "https://bot.example.test/audiosocket/voice", {"authorization": "Basic Ym90OnB3"})
    assert AudioSocket("bot", "pw").verify(request)
    assert not AudioSocket("bot", "other").verify(request)
