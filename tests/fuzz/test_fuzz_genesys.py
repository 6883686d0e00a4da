"""Random and mutated messages at the AudioHook codec: taken or refused with a documented code, nothing else."""

import re

import pytest

from gateway.platforms.genesys_stream import GenesysCodec
from tests.rig.codec_fuzz import FEW, MANY, CodecFuzz
from tests.rig.codec_vectors import load, message_of


def numbered(message: str | bytes, codec: GenesysCodec) -> str | bytes:
    """The message with the number that is due, else one wrong number would end each stream; some keep their own."""
    if isinstance(message, bytes) or len(message) % 8 == 0:
        return message
    due = codec._numbers._theirs + 1
    counted = re.sub('"serverseq": ?[0-9]+', '"serverseq":0', message, count=1)
    return re.sub('"seq": ?[0-9]+', f'"seq":{due}', counted, count=1)


FILES = ("session.json", "starts.json", "broken.json")
FUZZ = CodecFuzz(
    make=GenesysCodec,
    starts=[str(message_of(vector)) for vector in load("genesys", "starts.json") if vector["events"]],
    messages=[message_of(vector) for name in FILES for vector in load("genesys", name)],
    codes=frozenset(
        ("bad_json", "unknown_event", "before_start", "second_start", "bad_field", "bad_start", "unsupported_format")
        + ("empty_payload", "odd_payload", "payload_too_large", "bad_digit", "message_too_large")
        + ("wrong_stream", "bad_sequence", "peer_error")
    ),
    place=numbered,
)


def test_a_few_thousand_inputs_are_taken_or_refused() -> None:
    FUZZ.run(FEW)


@pytest.mark.fuzz
def test_many_inputs_are_taken_or_refused() -> None:
    FUZZ.run(MANY)
