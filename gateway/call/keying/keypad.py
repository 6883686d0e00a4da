"""What the caller keys in: presses become entries, each ended by a terminator, its length, or a pause.

An entry reaches the model as a turn of the caller, in the language of the call: "[keys pressed: 1 2 3 4]". The keys
stand apart so that a model sees each of them, and the brackets say that this was not spoken.

Sans-IO: times are seconds of one clock, which the owner reads and waits by.
"""

from collections import deque
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf

from media.dtmf import ToneTiming

# No person and no dialler presses a key again within this: the shortest tone and the shortest pause are 40 ms each.
# Platforms that report a key at its beginning and at its end, or send the report again, do.
REPEAT_S = 0.075
# A key that is heard in the audio and reported by the platform, too, comes twice within this.
BOTH_WAYS_S = 1.0

_PRESSED = {
    "en": "keys pressed",
    "id": "tombol ditekan",
    "es": "teclas pulsadas",
    "fr": "touches pressées",
    "it": "tasti premuti",
    "pt": "teclas pressionadas",
    "hi": "दबाई गई कुंजियाँ",
    "ja": "押されたキー",
    "zh": "按下的按键",
}


class Listening(StrEnum):
    """Whether keys are listened for in the caller's audio."""

    AUTO = "auto"  # where the platform does not report them
    ALWAYS = "always"  # for lines whose keys get lost on the way to the platform
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class KeyRules:
    """When an entry ends, and what a key does meanwhile."""

    # Keys that end an entry without belonging to it; none: only length and pauses do.
    terminators: str = "#"
    # Longer than any card or account number; a key held down by a pocket must not fill a model's prompt.
    max_digits: int = 32
    # People look a digit up on a card in a second or two; beyond it they wait for the bot.
    pause_s: float = 3.0
    # Whether a key silences the bot.
    interrupts: bool = True
    # Whether the record of the call shows the keys, or only how many there were.
    recorded: bool = False
    in_band: Listening = Listening.AUTO
    # How our own keys sound where they are played as tones.
    sound: ToneTiming = ToneTiming()


@dataclass(frozen=True, slots=True)
class _Press:
    digit: str = field(repr=False)
    at_s: float
    in_band: bool
    matched: bool = False  # both its report and its sound have come


class Keypad:
    """One call's keys. `press` and `ring` return the entry that is thereby whole, blank when none is."""

    def __init__(self, rules: KeyRules) -> None:
        self._rules = rules
        self._digits = ""
        self._latest: deque[_Press] = deque(maxlen=2 * rules.max_digits)
        self._filled_s = -inf  # when an entry had its full length
        self.due_s = 0.0  # when a pause ends the entry, while there is one

    @property
    def typing(self) -> bool:
        """Whether an entry has begun and is not whole."""
        return bool(self._digits)

    def is_new(self, digit: str, now_s: float, *, in_band: bool = False) -> bool:
        """Whether this is a press of its own: not the same one, reported again or heard beside its report."""
        press = _Press(digit, now_s, in_band)
        for earlier in self._latest:
            if earlier.digit != digit:
                continue
            if earlier.in_band == in_band and now_s - earlier.at_s < REPEAT_S:
                return False
            if earlier.in_band != in_band and not earlier.matched and now_s - earlier.at_s < BOTH_WAYS_S:
                # Another one is a press of its own, but for a repetition of either.
                self._latest[self._latest.index(earlier)] = replace(earlier, matched=True)
                self._latest.append(replace(press, matched=True))
                return False
        self._latest.append(press)
        return True

    def confirms(self, digit: str, now_s: float) -> bool:
        """Whether this only confirms the entry before, which its length had ended: "1234" of four, and "#" by habit.

        In a menu of single keys a terminator is an answer like any other.
        """
        filled_s, self._filled_s = self._filled_s, -inf
        habit = digit in self._rules.terminators and self._rules.max_digits > 1
        return habit and now_s - filled_s < self._rules.pause_s

    def press(self, digit: str, now_s: float) -> str:
        """Take a key. A terminator alone is an entry, too: "press hash to repeat"."""
        if digit in self._rules.terminators:
            return self._whole() or digit
        self._digits += digit
        self.due_s = now_s + self._rules.pause_s
        if len(self._digits) < self._rules.max_digits:
            return ""
        self._filled_s = now_s
        return self._whole()

    def ring(self, now_s: float) -> str:
        """It is `due_s`, or was thought to be."""
        return self._whole() if self.typing and now_s >= self.due_s else ""

    def _whole(self) -> str:
        entry, self._digits = self._digits, ""
        return entry


def as_turn(entry: str, language: str) -> str:
    """An entry as the model reads it."""
    return f"[{_label(language)}: {' '.join(entry)}]"


def as_recorded(entry: str, language: str) -> str:
    """An entry where its keys are nobody's business: how many there were."""
    return f"[{_label(language)}: {len(entry)}]"


def _label(language: str) -> str:
    return _PRESSED.get(language.partition("-")[0].lower(), _PRESSED["en"])
