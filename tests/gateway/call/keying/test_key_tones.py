"""Keys in the caller's audio: found where nobody reports them, and kept from the recogniser."""

import pytest

from gateway.call.keying.key_tones import key_tones
from gateway.call.keying.keypad import Listening
from media.dtmf import tones
from media.formats import ULAW_8K, AudioFormat, Encoding
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from media.level import rms_dbfs


def test_keys_are_found_and_not_passed_on() -> None:
    listening = key_tones(Listening.AUTO, False, ULAW_8K)
    assert listening is not None
    wire, pressed, passed = pcm_to_ulaw(tones("42", 8000)), "", b""
    for at in range(0, len(wire), 160):
        passed += listening.take(wire[at : at + 160])
        pressed += listening.pressed
    assert pressed == "42"
    assert len(passed) == len(wire)
    # What is left of a key is shorter than any word.
    loud = [at for at in range(0, len(passed), 160) if rms_dbfs(ulaw_to_pcm(passed[at : at + 160])) > -40]
    assert len(loud) <= 4


def test_speech_and_silence_pass_as_they_are() -> None:
    wire_format = AudioFormat(Encoding.L16, 16_000)
    listening = key_tones(Listening.ALWAYS, True, wire_format)
    assert listening is not None
    hum = bytes(range(256)) * 4
    assert listening.take(hum) == hum
    assert listening.pressed == ""


@pytest.mark.parametrize(
    ("listening", "reported", "wanted"),
    [("auto", True, False), ("auto", False, True), ("always", True, True), ("never", False, False)],
)
def test_the_setting_and_the_platform_decide(listening: str, reported: bool, wanted: bool) -> None:
    assert (key_tones(Listening(listening), reported, ULAW_8K) is not None) is wanted
