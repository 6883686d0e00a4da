"""Random and mutated messages at the Plivo codec: taken or refused with a documented code, nothing else."""

from base64 import b64encode

import pytest

from gateway.platforms.plivo_stream import PlivoCodec
from tests.rig.codec_fuzz import FEW, MANY, CodecFuzz
from tests.rig.codec_vectors import load, message_of

FILES = ("session.json", "starts.json", "broken.json")
MESSAGES = [str(message_of(vector)) for name in FILES for vector in load("plivo", name)]
# Beside the recorded ones, an odd payload for L16 streams and one that is too long.
PAYLOADS = ("YWJj", b64encode(bytes(16_002)).decode())
FUZZ = CodecFuzz(
    make=PlivoCodec,
    starts=[str(message_of(vector)) for vector in load("plivo", "starts.json")],
    messages=[*MESSAGES, *(m.replace("/////w==", p) for m in MESSAGES if "/////w==" in m for p in PAYLOADS)],
    codes=frozenset(
        ("bad_json", "unknown_event", "before_start", "second_start", "bad_field", "bad_start", "unsupported_format")
        + ("bad_base64", "empty_payload", "odd_payload", "payload_too_large", "wrong_stream", "bad_digit", "bad_mark")
        + ("binary_message", "message_too_large", "platform_error")
    ),
)


def test_a_few_thousand_inputs_are_taken_or_refused() -> None:
    FUZZ.run(FEW)


@pytest.mark.fuzz
def test_many_inputs_are_taken_or_refused() -> None:
    FUZZ.run(MANY)
