"""The caller's audio: recorded as it came, searched for keys, and heard without them."""

from dataclasses import dataclass, field
from typing import Any

from gateway.call.hearing.intake import Intake
from gateway.call.keying.key_tones import KeyTones
from media.dtmf import tones
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw


@dataclass
class Taker:
    """A listener, or a recording."""

    taken: bytes = b""
    at_s: list[float] = field(default_factory=list)

    def feed(self, payload: bytes, now_s: float) -> None:
        self.taken += payload
        self.at_s.append(now_s)

    caller = feed


def test_keys_are_recorded_and_told_but_not_listened_to() -> None:
    pressed: list[str] = []
    listener: Any = Taker()
    recording: Any = Taker()

    intake = Intake(listener, recording, KeyTones(ULAW_8K), pressed.append)
    wire = pcm_to_ulaw(tones("7", 8000))
    for at in range(0, len(wire), 160):
        intake.take(wire[at : at + 160], at / 8000)
    assert pressed == ["7"]
    assert recording.taken == wire
    assert listener.taken != wire
    assert len(listener.taken) == len(wire)
    assert listener.at_s == recording.at_s


def test_without_a_recording_and_a_detector_everything_is_for_the_ears() -> None:
    listener: Any = Taker()
    Intake(listener, None, None, lambda digit: None).take(b"\x10\x20", 1.0)
    assert (listener.taken, listener.at_s) == (b"\x10\x20", [1.0])
