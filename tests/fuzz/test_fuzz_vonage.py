"""Random and mutated messages at the Vonage codec: taken or refused with a documented code, nothing else."""

import pytest

from gateway.platforms.vonage_stream import VonageCodec
from tests.rig.codec_fuzz import FEW, MANY, CodecFuzz
from tests.rig.codec_vectors import load, message_of

FILES = ("session.json", "starts.json", "broken.json")
FUZZ = CodecFuzz(
    make=VonageCodec,
    starts=[str(message_of(vector)) for vector in load("vonage", "starts.json")],
    messages=[message_of(vector) for name in FILES for vector in load("vonage", name)],
    codes=frozenset(
        ("bad_json", "unknown_event", "before_start", "second_start", "bad_field", "bad_start", "unsupported_format")
        + ("empty_payload", "odd_payload", "payload_too_large", "bad_digit", "bad_mark", "message_too_large")
    ),
)


def test_a_few_thousand_inputs_are_taken_or_refused() -> None:
    FUZZ.run(FEW)


@pytest.mark.fuzz
def test_many_inputs_are_taken_or_refused() -> None:
    FUZZ.run(MANY)
