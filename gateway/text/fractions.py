"""Fractions, ratios and sides: two numbers with a sign between."""

import re
import unicodedata

from gateway.text.languages.speech import SpeechRules
from gateway.text.languages.units import UNITS
from gateway.text.measures import UNIT_PATTERN, unit_name
from gateway.text.numerals import agreed, cardinal, number, number_pattern
from gateway.text.passage import Passage, Rule

_UNICODE_FRACTION = r"(\d+)?\s?([½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])"
_FRACTION = r"(?<![\w.,/])(?:(\d{1,3})\s)?(\d{1,3})/(\d{1,3})(?![\w/]|[.,]\d)"
_BY = re.compile(r"(?<![\w.,])(\d+)\s?[x×]\s?(\d+)(?:\s?[x×]\s?(\d+))?(?=\s?(?:[^\W\d]|[,.!?)]|$|\s))(?!\s?=)")
_LENGTH = r"(?:mm|cm|m|km|ft)"
_SCORE = re.compile(r"(?<![\w.,/])(\d+[.,]\d{1,2})/(\d{1,3})(?![\w/]|[.,]\d)")
_RATIO = re.compile(r"(?<![\w:.,])(\d{1,3}):(\d{1,3})(?![\d:])")
_DECADE = re.compile(r"(?<![\w.,])(\d0|1\d\d0|20\d0)-an(?!\w)")  # "tahun 1990-an"


def rules(speech: SpeechRules) -> list[Rule]:
    """Before measures: "1/2 kg" is no two kilograms."""
    pairs = _Pairs(speech)
    unit = rf"(?:\s?(?P<unit>{UNIT_PATTERN})(?![\w²³/]|\.\w))?"
    side = rf"({number_pattern(speech)})\s?({_LENGTH}?)"
    sides = rf"(?<![\w.,]){side}\s?[x×]\s?{side}(?:\s?[x×]\s?{side})?(?<=[a-z])(?![\w²³])"
    return [
        *([Rule(_DECADE, pairs.decade)] if speech.code == "id" else []),
        Rule(re.compile(sides), pairs.sides),
        Rule(_BY, pairs.by),
        Rule(re.compile(rf"{_UNICODE_FRACTION}{unit}"), pairs.unicode_fraction),
        Rule(re.compile(rf"{_FRACTION}{unit}"), pairs.fraction),
        Rule(_SCORE, pairs.score),
        Rule(_RATIO, pairs.ratio),
    ]


class _Pairs:
    """Says two numbers as one thing, in one language."""

    def __init__(self, speech: SpeechRules) -> None:
        self._speech = speech
        self._signs = speech.signs

    def unicode_fraction(self, match: re.Match[str], _: Passage) -> str:
        top, _slash, bottom = unicodedata.normalize("NFKC", match[2]).partition("⁄")
        return (self._mixed(match[1], int(top), int(bottom)) or "") + self._fraction_unit(match)

    def fraction(self, match: re.Match[str], passage: Passage) -> str | None:
        top, bottom = int(match[2]), int(match[3])
        said = self._mixed(match[1], top, bottom) if bottom else None
        noun = passage.after(match.end()).lower()
        if said is not None and noun and not match["unit"]:
            said = agreed(self._speech, said, noun)
        if said is None:
            sign = self._signs["over" if top > bottom else "out_of"]  # more than all there is: a blood pressure
            joined = "" if (top, bottom) == (24, 7) or top == bottom else sign + " "
            said = f"{cardinal(self._speech, top)} {joined}{cardinal(self._speech, bottom)}"
        return said + self._fraction_unit(match)

    def _fraction_unit(self, match: re.Match[str]) -> str:
        """The unit after a fraction, in the singular unless a whole number stands before."""
        if not match["unit"]:
            return ""
        return " " + unit_name(UNITS[match["unit"]], self._speech.locale, 2 if match[1] else 1)

    def _mixed(self, whole: str | None, top: int, bottom: int) -> str | None:
        """A fraction with a name, after its whole number if it has one."""
        speech = self._speech
        if whole and (top, bottom) == (1, 2):
            return f"{cardinal(speech, int(whole))} {self._signs['and_half']}"
        said = speech.fraction_words.get((top, bottom))
        if said is None:
            if bottom not in speech.fractions or top >= bottom:
                return None
            one, many = speech.fractions[bottom]
            said = f"{agreed(speech, cardinal(speech, top), one)} {one if top == 1 else many}"
        if not whole:
            return said
        if speech.code == "en":
            said = re.sub("^one ", "a ", said)
        return f"{cardinal(speech, int(whole))} {self._signs['and']} {said}"

    def decade(self, match: re.Match[str], _: Passage) -> str:
        return f"{cardinal(self._speech, int(match[1]))}an"

    def sides(self, match: re.Match[str], _: Passage) -> str | None:
        """Lengths multiplied make an area or a box, whichever of them have the unit: "3 x 4 m"."""
        numbers = [side for side in match.groups()[::2] if side]
        units = {unit for unit in match.groups()[1::2] if unit}
        if len(units) != 1:
            return None
        said = f" {self._signs['by']} ".join(number(self._speech, side) for side in numbers)
        return f"{said} {unit_name(UNITS[units.pop()], self._speech.locale, 2)}"

    def score(self, match: re.Match[str], _: Passage) -> str:
        top, bottom = number(self._speech, match[1]), cardinal(self._speech, int(match[2]))
        return f"{top} {self._signs['out_of']} {bottom}"

    def by(self, match: re.Match[str], _: Passage) -> str | None:
        if " x " in match[0] or "×" in match[0]:
            return None  # a multiplication
        sides = [cardinal(self._speech, int(side)) for side in match.groups() if side]
        return f" {self._signs['by']} ".join(sides)

    def ratio(self, match: re.Match[str], _: Passage) -> str:
        return f"{cardinal(self._speech, int(match[1]))} {self._signs['ratio']} {cardinal(self._speech, int(match[2]))}"
