"""Payloads of a JSON platform: read back as they were written, or a violation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.simulator.dialect import BotAudio, BotViolation
from gateway.simulator.wire_audio import WireAudio
from media.g711 import alaw_to_pcm, ulaw_to_pcm


@given(st.binary(min_size=1, max_size=400))
def test_audio_survives_there_and_back(audio: bytes) -> None:
    for encoding, pcm in (("ulaw", ulaw_to_pcm(audio)), ("alaw", alaw_to_pcm(audio)), ("l16", audio + audio)):
        wire = WireAudio(encoding, 8000)
        assert wire.read(wire.written(pcm)) == BotAudio(pcm)


@pytest.mark.parametrize("payload", [None, 5, "", "*", "/", "é", "YWJj"])
def test_a_payload_that_is_none_is_a_violation(payload: object) -> None:
    assert isinstance(WireAudio("l16", 8000).read(payload), BotViolation)
