"""What every codec with JSON on its socket owes its vectors (session, starts, broken, commands), as a test class.

`TestFooCodec = codec_contract("foo", FooCodec)` in a test file makes pytest collect it there. The third message of the
session is four bytes 0xff of audio.
"""

import json
from base64 import b64encode
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import CallEnded, CallerAudio, CallStarted, ClearOutput, PeerError
from gateway.platforms.base import MAX_MESSAGE_BYTES, Codec
from tests.rig.codec_vectors import Vector, command_of, events_of, load, message_of, wires_of

HEARD = CallerAudio(b"\xff" * 4)


def codec_contract(platform: str, make: Callable[[], Codec]) -> type:
    """The class for one platform's codec."""
    session, starts, broken = (load(platform, f"{name}.json") for name in ("session", "starts", "broken"))
    start = next(step["message"] for step in session if "CallStarted" in str(step["events"]))
    media = next(step["message"] for step in session if "CallerAudio" in str(step["events"]))

    def opened() -> Codec:
        codec = make()
        assert isinstance(codec.receive(start)[0], CallStarted)
        return codec

    class Contract:
        def test_a_recorded_session_gives_its_events(self) -> None:
            codec = make()
            for step in session:
                assert codec.receive(message_of(step)) == events_of(step)

        @pytest.mark.parametrize("vector", starts, ids=lambda v: v["name"])
        def test_a_start_is_read_however_it_is_spelt(self, vector: Vector) -> None:
            assert make().receive(message_of(vector)) == events_of(vector)

        @pytest.mark.parametrize("vector", broken, ids=lambda v: v["name"])
        def test_a_broken_message_is_one_peer_error_and_the_stream_goes_on_or_is_over(self, vector: Vector) -> None:
            codec = make() if vector["phase"] == "waiting" else opened()
            (event,) = codec.receive(message_of(vector))
            assert isinstance(event, PeerError)
            assert (event.code, event.fatal) == (vector["code"], vector["fatal"])
            if vector["fatal"]:
                assert codec.receive(start) == []
                assert codec.encode(ClearOutput()) == []
            else:
                if vector["phase"] == "waiting":
                    assert isinstance(codec.receive(start)[0], CallStarted)
                assert codec.receive(media) == [HEARD]
            assert codec.receive_eof() == [CallEnded("closed")]

        @pytest.mark.parametrize(
            ("message", "code"),
            [
                (b"\x00\x01", "binary_message"),
                ("[" * 30_000, "bad_json"),
                ("x" * (MAX_MESSAGE_BYTES + 1), "message_too_large"),
                (media.replace("/////w==", b64encode(b"\xff" * 16_002).decode()), "payload_too_large"),
            ],
            ids=lambda v: f"{v[:12]!r}",
        )
        def test_messages_no_file_should_hold_are_refused_too(self, message: str | bytes, code: str) -> None:
            (event,) = opened().receive(message)
            assert isinstance(event, PeerError)
            assert event.code == code

        @pytest.mark.parametrize(
            "vector", load(platform, "commands.json"), ids=lambda v: f"{v['command']} {v['value']}"
        )
        def test_a_command_is_written_byte_for_byte_while_the_stream_is_open(self, vector: Vector) -> None:
            assert make().encode(command_of(vector)) == []
            codec = opened()
            assert codec.encode(command_of(vector)) == wires_of(vector)
            codec.receive_eof()
            assert codec.encode(command_of(vector)) == []

        def test_an_error_never_repeats_what_a_caller_might_have_said(self) -> None:
            codec = opened()
            for message in (json.dumps({"event": "my number is +15550100001"}), '{"digits": "555-0100'):
                assert "555" not in repr(codec.receive(message))

        @given(st.permutations([message_of(step) for step in session] * 2))
        def test_in_any_order_a_call_starts_and_ends_at_most_once(self, messages: list[str | bytes]) -> None:
            codec = make()
            events = [event for message in messages for event in codec.receive(message)] + codec.receive_eof()
            assert sum(isinstance(event, CallStarted) for event in events) <= 1
            assert sum(isinstance(event, CallEnded) for event in events) == 1
            codes = [event.code for event in events if isinstance(event, PeerError)]
            assert len(codes) == len(set(codes))

    return Contract
