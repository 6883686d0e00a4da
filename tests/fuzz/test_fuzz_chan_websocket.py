"""Random and mutated messages at the chan_websocket codec, in JSON and in words: taken or refused, nothing else."""

import pytest

from gateway.platforms.chan_websocket_stream import ChanWebsocketCodec
from tests.rig.codec_fuzz import FEW, MANY, CodecFuzz
from tests.rig.codec_vectors import load, message_of

FILES = ("session.json", "session_plain.json", "starts.json", "broken.json")
FUZZ = CodecFuzz(
    make=ChanWebsocketCodec,
    starts=[message_of(vector) for vector in load("chan_websocket", "starts.json")],
    messages=[message_of(vector) for name in FILES for vector in load("chan_websocket", name)],
    codes=frozenset(
        ("bad_json", "unknown_event", "before_start", "bad_field", "bad_start", "unsupported_format", "second_start")
        + ("empty_payload", "odd_payload", "payload_too_large", "bad_digit", "bad_mark", "queue_full")
        + ("reported_error", "message_too_large")
    ),
    speaks_json=False,
)


def test_a_few_thousand_inputs_are_taken_or_refused() -> None:
    FUZZ.run(FEW)


@pytest.mark.fuzz
def test_many_inputs_are_taken_or_refused() -> None:
    FUZZ.run(MANY)
