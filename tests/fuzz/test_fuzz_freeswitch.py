"""Random and mutated messages at the FreeSWITCH codec: taken or refused with a documented code, nothing else."""

import pytest

from gateway.platforms.freeswitch import FreeSwitch
from tests.rig.codec_fuzz import FEW, MANY, CodecFuzz
from tests.rig.codec_vectors import load, message_of

FILES = ("session.json", "starts.json", "broken.json")
FUZZ = CodecFuzz(
    make=FreeSwitch().codec,
    starts=[message_of(vector) for vector in load("freeswitch", "starts.json")],
    messages=[message_of(vector) for name in FILES for vector in load("freeswitch", name)],
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
        + ("empty_payload", "odd_payload", "payload_too_large", "bad_digit")
    ),
)


def test_a_few_thousand_inputs_are_taken_or_refused() -> None:
    FUZZ.run(FEW)


@pytest.mark.fuzz
def test_many_inputs_are_taken_or_refused() -> None:
    FUZZ.run(MANY)
