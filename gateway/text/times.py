"""Times of day."""

import re

from gateway.text.languages.speech import SpeechRules
from gateway.text.measures import unit_name
from gateway.text.numerals import agreed, cardinal
from gateway.text.passage import Passage, Rule

_HALF_DAY = r"(?:\s?([ap])(?:\.\s?m\.|m(?!\w)))"
_CLOCK = re.compile(rf"(?<![\w:.,])(\d{{1,2}}):(\d{{2}})(?::(\d{{2}}))?(?![\d:]){_HALF_DAY}?", re.IGNORECASE)
_HOUR = re.compile(rf"(?<![\w:.,])(\d{{1,2}}){_HALF_DAY}", re.IGNORECASE)
_H_TIME = re.compile(r"(?<![\w:.,])(\d{1,2})\s?[hH]\s?(\d{2})?(?!\w|\s?\d)")
_DOTTED = re.compile(r"(?<![\w:.,])(\d{1,2})\.(\d{2})(?:\s?[–-]\s?(\d{1,2})\.(\d{2}))?(?![\w]|[.,]\d)")
_NEAR_CHARS = 24
_TIME_ZONES = frozenset({"wib", "wita", "wit"})


def rules(speech: SpeechRules) -> list[Rule]:
    """After dates: both are digits with marks between."""

    def said(hour: int, minute: int) -> str:
        return speech.time(hour, minute, lambda number: cardinal(speech, number))

    def duration(*parts: int) -> str:
        units = ("duration-hour", "duration-minute", "duration-second")
        named = [(part, unit_name(unit, speech.locale, part)) for part, unit in zip(parts, units, strict=True) if part]
        return " ".join(f"{agreed(speech, cardinal(speech, part), name)} {name}" for part, name in named)

    def clock(match: re.Match[str], passage: Passage) -> str | None:
        hour, minute, half = int(match[1]), int(match[2]), match[4]
        ratio = "ratio" in _near(passage, match.start())
        if hour > 24 or minute > 59 or ratio:
            return None
        if match[3] and not half:
            return duration(hour, minute, int(match[3])) or None
        if half and hour <= 12:
            return f"{_half_day_time(speech, hour, minute)} {_half(speech, half)}"
        return said(hour % 24, minute)

    def hour_only(match: re.Match[str], _: Passage) -> str | None:
        hour = int(match[1])
        return f"{cardinal(speech, hour)} {_half(speech, match[2])}" if 0 < hour <= 12 else None

    def h_time(match: re.Match[str], _: Passage) -> str | None:
        hour, minute = int(match[1]), int(match[2] or 0)
        if not match[2] and speech.code in ("es", "it"):
            return None  # a measure: "24 h"
        return said(hour, minute) if hour <= 24 and minute <= 59 else None

    def dotted(match: re.Match[str], passage: Passage) -> str | None:
        hour, minute = int(match[1]), int(match[2])
        until = (int(match[3]), int(match[4])) if match[3] else None
        named = any(word.strip(".,") in speech.time_words for word in _near(passage, match.start()).split())
        named = named or passage.after(match.end()).lower() in _TIME_ZONES or passage.claimed(match.start() - 2)
        if hour > 24 or minute > 59 or not (named or (until and minute % 15 == 0 and until[1] % 15 == 0)):
            return None
        return said(hour, minute) + (f" {speech.signs['to']} {said(*until)}" if until else "")

    def bajey(match: re.Match[str], passage: Passage) -> str | None:
        time = clock(match, passage)  # minutes are said with a word that takes the place of "o'clock"
        return time if time is None or time.endswith("मिनट") else f"{time} बजे"

    found = [Rule(_CLOCK, clock)]
    if speech.code == "hi":
        return [Rule(re.compile(_CLOCK.pattern + r"\s?बजे", re.IGNORECASE), bajey), *found]
    found.append(Rule(_HOUR, hour_only))
    if "h" in speech.time_marks or speech.code in ("es", "it"):
        found.append(Rule(_H_TIME, h_time))
    if "." in speech.time_marks:
        found.append(Rule(_DOTTED, dotted))
    return found


def _near(passage: Passage, at: int) -> str:
    """What stands shortly before a number: "jam 08.00 s.d. 16.00" names the kind only once."""
    return passage.text[max(0, at - _NEAR_CHARS) : at].lower()


def _half(speech: SpeechRules, letter: str) -> str:
    return f"{letter.upper()} M" if speech.code != "es" else ("de la mañana" if letter in "aA" else "de la tarde")


def _half_day_time(speech: SpeechRules, hour: int, minute: int) -> str:
    if speech.code != "en":
        return speech.time(hour, minute, lambda number: cardinal(speech, number))
    oh = "oh " if 0 < minute < 10 else ""
    return f"{cardinal(speech, hour)} {oh}{cardinal(speech, minute) if minute else ''}".strip()
