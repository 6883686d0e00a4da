"""Random and mutated messages at the Bandwidth codec: taken or refused with a documented code, nothing else."""

import pytest

from gateway.platforms.bandwidth import BandwidthCodec
from tests.rig.codec_fuzz import FEW, MANY, CodecFuzz
from tests.rig.codec_vectors import load, message_of

FILES = ("session.json", "starts.json", "broken.json")
FUZZ = CodecFuzz(
    make=BandwidthCodec,
    starts=[message_of(vector) for vector in load("bandwidth", "starts.json")],
    messages=[message_of(vector) for name in FILES for vector in load("bandwidth", name)],
    codes=frozenset(
        (
            "bad_json",
            "unknown_event",
            "before_start",
            "bad_field",
            "bad_start",
            "unsupported_format",
            "message_too_large",
        )
        + ("second_start", "bad_base64", "empty_payload", "payload_too_large", "wrong_stream", "binary_message")
    ),
)


def test_a_few_thousand_inputs_are_taken_or_refused() -> None:
    FUZZ.run(FEW)


@pytest.mark.fuzz
def test_many_inputs_are_taken_or_refused() -> None:
    FUZZ.run(MANY)
