"""Who has answered a call that we placed: a person, an answering machine, or a fax machine (F-119).

A person says a word or two and waits. A machine goes on, beeps, and waits. So a short sound and the silence behind it
are a person, a long sound is a machine, and a beep is one in any case, even after the bot has begun to speak. What the
platform tells by itself counts more than what we hear.

Sans-IO: the owner looks several times a second; times are seconds since the call was answered.
"""

from dataclasses import dataclass
from enum import StrEnum

from media.beep import Tone

# A beep is heard as such from the shortest tone to this; longer ones are fax machines and lines out of order.
LONGEST_BEEP_S = 1.5
# In this band networks ring (1 s and longer) and tell that a line is busy (0.35 s and longer).
_NETWORK_HZ = (400.0, 500.0)
_SHORTEST_NETWORK_TONE_S = 0.35
# A calling fax machine: 1100 Hz for half a second, every three seconds (ITU-T T.30). One alone may be a beep.
_FAX_HZ, _FAX_OFF_HZ = 1100.0, 38.0
_FAX_S, _FAX_OFF_S = 0.5, 0.1
# After the bot has greeted a person, a machine with a short announcement still shows itself by its beep within this.
SECOND_THOUGHTS_S = 15.0


class AnsweredBy(StrEnum):
    HUMAN = "human"
    MACHINE = "machine"
    FAX = "fax"


@dataclass(frozen=True, slots=True)
class AnsweringRules:
    """How long is long. Every figure trades the person's wait against greeting a machine."""

    # Silence after a short sound that makes it a person's "hello?". Announcements pause for less.
    human_silence_s: float = 0.6
    # A person who answers the phone seldom says more in one breath.
    machine_speech_s: float = 2.4
    # Nobody has said anything: some people wait for the caller to speak.
    silent_s: float = 3.0
    # Silence behind an announcement that stands for the beep we missed, or that there was none.
    message_silence_s: float = 2.5
    # An announcement that goes on for longer gets the message all the same.
    longest_wait_s: float = 45.0


class Answering:
    """One call. `answered_by` is None until it is known; `may_speak` tells when a machine takes a message."""

    def __init__(self, rules: AnsweringRules | None = None) -> None:
        self.rules = rules or AnsweringRules()
        self.answered_by: AnsweredBy | None = None
        self._began_s: float | None = None  # the sound that may be an announcement, its short pauses included
        self._sound_s = 0.0  # when there was last a sound
        self.recording = False  # a machine takes the message now: it has beeped, or the platform says so
        self._fax_tones = 0
        self._told = False  # by the platform

    def look(self, now_s: float, speaking: bool, silence_s: float, tone_s: float = 0.0) -> None:
        """See what is going on: speech, or how long it has been silent; and how long a tone has been sounding."""
        if tone_s > LONGEST_BEEP_S:
            self._is(AnsweredBy.FAX)
        if speaking or tone_s:
            if self._began_s is None or now_s - self._sound_s >= self.rules.human_silence_s:
                self._began_s = now_s
            self._sound_s = now_s
        elif self._began_s is not None:
            self._sound_s = max(self._sound_s, now_s - silence_s)
        if self.answered_by is None:
            self._judge(now_s, speaking or tone_s > 0)

    def heard(self, tone: Tone) -> None:
        """A tone has ended, and it has been quiet behind it."""
        if abs(tone.hz - _FAX_HZ) <= _FAX_OFF_HZ and abs(tone.lasted_s - _FAX_S) <= _FAX_OFF_S:
            self._fax_tones += 1
            if self._fax_tones > 1:
                self._is(AnsweredBy.FAX)
        elif is_beep(tone) and self.answered_by is not AnsweredBy.FAX:
            self.answered_by, self.recording = AnsweredBy.MACHINE, True

    def told(self, answered_by: AnsweredBy, *, announced: bool = False) -> None:
        """The platform knows; `announced`: the machine has finished its announcement."""
        self._told = True
        self.answered_by = answered_by
        self.recording = self.recording or announced

    def may_speak(self, now_s: float) -> bool:
        """Whether a message would be recorded, as far as can be told."""
        quiet_s = now_s - self._sound_s
        return self.recording or quiet_s >= self.rules.message_silence_s or now_s >= self.rules.longest_wait_s

    def _judge(self, now_s: float, sounding: bool) -> None:
        rules = self.rules
        if self._began_s is None:
            if now_s >= rules.silent_s:
                self._is(AnsweredBy.HUMAN)
        elif self._sound_s - self._began_s >= rules.machine_speech_s:
            self._is(AnsweredBy.MACHINE)
        elif not sounding and now_s - self._sound_s >= rules.human_silence_s:
            self._is(AnsweredBy.HUMAN)

    def _is(self, answered_by: AnsweredBy) -> None:
        if not self._told:
            self.answered_by = answered_by


def is_beep(tone: Tone) -> bool:
    """Whether a tone is what answering machines make, and not what networks and fax machines do."""
    low_hz, high_hz = _NETWORK_HZ
    longest_s = _SHORTEST_NETWORK_TONE_S if low_hz <= tone.hz <= high_hz else LONGEST_BEEP_S
    return tone.lasted_s < longest_s
