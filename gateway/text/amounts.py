"""Measures, ordinals and plain numbers."""

import re

from gateway.text.dates import is_year
from gateway.text.languages.speech import SpeechRules
from gateway.text.languages.units import UNITS
from gateway.text.measures import UNIT_PATTERN, is_adjective, unit_name
from gateway.text.numerals import agreed, cardinal, digits, number, number_pattern, ordinal, parse, year
from gateway.text.passage import Passage, Rule

_FEET = re.compile(r"(?<![\w.,])(\d{1,2})['′’](?:\s?(\d{1,2})(?:\"|″|”|''))?(?![\w])")
_FEET_AND_INCHES = re.compile(r"(?<![\w.,])(\d{1,2})\s?ft\.?\s?(\d{1,2})\s?in(?!\w)(?:\.(?=\s+[a-z]))?")
_INCHES = re.compile(r"(?<![\w.,])(\d{1,3}(?:[.,]\d+)?)(?:\"|″|”)(?=[\s.,;:!?)]|$)")
# Beside hours or seconds "m" is minutes: "1h 30m", "2m 30s".
_HOURS = re.compile(r"\d\s?(?:h|hrs?)\s?$")
_SECONDS = re.compile(r"\s?\d+\s?s(?!\w)")
_RANGE_DASH = re.compile(r"\s?[–—−-]\s?(?=[~$€£₹¥]?\s?(?:Rp\.?\s?)?\d)")
_TIMES = re.compile(r"(?<=\d)(\s?)([*×x])\s?(?=\d|Rp|[$€£₹¥])")
# Longer rows of digits are numbers of things to be noted down, not counts.
_MAX_COUNT_DIGITS = 9
_LONG_ID_DIGITS = 5


def rules(speech: SpeechRules) -> list[Rule]:
    """In order of certainty; plain numbers last."""
    amounts = _Amounts(speech)
    num = number_pattern(speech)
    short_scales = "|".join(scale for scale in speech.scales if len(scale) <= 3)
    sign = r"(?P<sign>(?:(?<![\w)%°])[-−+])?)"
    start = r"(?<![\w.,])"
    unit_end = r"(?![\w²³]|/(?![a-z]{3})|\.\w)(?:\.(?=\s+[a-z]))?"  # "15 min. with" goes on, "3 s.d. 9" is no unit
    ordinals = [Rule(re.compile(rf"{start}(\d+)({speech.ordinal_pattern})(?!\w)"), amounts.ordinal)]
    if speech.ordinal_prefix:
        ordinals = [Rule(re.compile(rf"(?<!\w){speech.ordinal_prefix}-?(\d+)()(?!\w)", re.IGNORECASE), amounts.ordinal)]
    return [
        Rule(re.compile(rf"\s?/\s?(?P<unit>{UNIT_PATTERN})(?!\w)"), amounts.per_unit),
        Rule(_FEET, amounts.feet),
        Rule(_FEET_AND_INCHES, amounts.feet),
        Rule(_INCHES, amounts.inches),
        *([] if not speech.ordinal_pattern and not speech.ordinal_prefix else ordinals),
        Rule(
            re.compile(rf"(?<![\w.,])(?P<about>[~≈]?)\s?{sign}(?P<num>{num})\s?(?P<unit>{UNIT_PATTERN}){unit_end}"),
            amounts.measure,
        ),
        Rule(re.compile(rf"{start}{sign}(?P<num>{num})\s?(?P<unit>[%‰])"), amounts.percent),
        Rule(re.compile(rf"{start}(?P<num>{num})(?P<scale>(?-i:[KMBT])|k|{short_scales})(?!\w)"), amounts.scaled),
        Rule(re.compile(rf"{start}(?P<num>{num})[x×](?![\w])"), amounts.multiple),
    ]


def plain_rules(speech: SpeechRules) -> list[Rule]:
    """What remains once codes are known: numbers, and the signs between them."""
    amounts = _Amounts(speech)
    num = number_pattern(speech)
    pattern = rf"(?<![\d])(?P<about>[~≈]?)(?P<sign>(?:(?<![\w)%°])[-−])?)(?P<num>{num})(?!\d)"
    signs = speech.signs

    def between(match: re.Match[str], passage: Passage) -> str | None:
        near = passage.text[match.start() - 1 : match.start()]
        near = near if "–" not in match[0] or not passage.claimed(match.end()) else "0"
        if "=" in passage.text and match[0][0].isspace():
            return signs["minus"]
        known = passage.claimed(match.start() - 1) or near.isdigit()
        return signs["to"] if known and match.start() > 0 else None

    def times(match: re.Match[str], _: Passage) -> str:
        return signs["times"] if match[1] or match[2] != "x" else signs["by"]

    def bare(match: re.Match[str], _: Passage) -> str:
        return f"{speech.point} {digits(speech, match[1])}"

    return [
        Rule(re.compile(r"(?<![\w.,])\.(\d+)(?!\w)"), bare),
        Rule(re.compile(pattern), amounts.plain),
        Rule(_RANGE_DASH, between),
        Rule(_TIMES, times),
    ]


class _Amounts:
    """Says numbers and what they count, in one language."""

    def __init__(self, speech: SpeechRules) -> None:
        self._speech = speech
        self._signs = speech.signs

    def _number(self, text: str, noun: str = "") -> str:
        words = number(self._speech, text)
        return agreed(self._speech, words, noun) if noun else words

    def _signed(self, match: re.Match[str], words: str) -> str:
        name = {"-": "minus", "−": "minus", "+": "plus"}.get(match["sign"] or "")
        return f"{self._signs[name]} {words}" if name else words

    def feet(self, match: re.Match[str], _: Passage) -> str | None:
        if self._speech.code != "en":
            return None
        foot = "foot" if match[1] == "1" else "feet"
        inches = (
            f" {cardinal(self._speech, int(match[2]))} {'inch' if match[2] == '1' else 'inches'}" if match[2] else ""
        )
        return f"{cardinal(self._speech, int(match[1]))} {foot}{inches}"

    def inches(self, match: re.Match[str], passage: Passage) -> str | None:
        ahead = passage.text[: match.start()]
        if len(re.findall(r'(?<!\d)"', ahead)) % 2 or "“" in ahead:
            return None
        value = float(match[1].replace(",", "."))
        return f"{number(self._speech, match[1])} {unit_name('length-inch', self._speech.locale, value)}"

    def measure(self, match: re.Match[str], passage: Passage) -> str | None:
        whole, decimals = parse(self._speech, match["num"])
        unit = match["unit"]
        if unit in ("m", "l", "s", "h", "g", "V", "W", "L") and passage.known_before(match.start()) in ("no", "nomor"):
            return None
        text, start = passage.text, match.start()
        if unit == "m" and (_HOURS.search(text[max(0, start - 6) : start]) or _SECONDS.match(text, match.end())):
            unit = "min"
        count = 1 if is_adjective(self._speech, match, passage) else float(f"{whole}.{decimals or 0}")
        name = unit_name(UNITS[unit], self._speech.locale, count)
        said = self._signed(match, f"{self._number(match['num'], name.split()[0])} {name}")
        return f"{self._signs['about']} {said}" if match["about"] else said

    def per_unit(self, match: re.Match[str], passage: Passage) -> str | None:
        if not passage.claimed(match.start() - 1):
            return None
        return f"{self._signs['per']} {unit_name(UNITS[match['unit']], self._speech.locale, 1)}"

    def percent(self, match: re.Match[str], _: Passage) -> str:
        sign = self._signs["percent" if match["unit"] == "%" else "permille"]
        return self._signed(match, f"{self._number(match['num'])} {sign}")

    def scaled(self, match: re.Match[str], passage: Passage) -> str | None:
        scale = self._speech.scales.get(match["scale"].lower())
        if passage.known_before(match.start()) in self._speech.places:
            return None  # "apartment 5B"
        if scale is None or (match["scale"] in "mbt" and len(match["scale"]) == 1):
            return None
        if match["scale"] == "K" and match["num"] in ("4", "8") and not passage.after(match.end()).endswith("s"):
            return f"{self._number(match['num'])} K"  # a picture's size
        one, many = scale
        return f"{self._number(match['num'], many)} {one if match['num'] == '1' else many}"

    def multiple(self, match: re.Match[str], _: Passage) -> str:
        return f"{self._number(match['num'], 'x')} {self._signs['x']}"

    def ordinal(self, match: re.Match[str], passage: Passage) -> str:
        said = ordinal(self._speech, int(match[1]))
        mark = match[2].lower().strip(".")
        if self._speech.code == "hi" and mark in ("वीं", "वें"):
            return said.removesuffix("वाँ") + mark
        if self._speech.code == "es" and said in ("primero", "tercero") and mark != "ª":
            noun = passage.after(match.end())
            return said[:-1] if mark == "er" or noun[:1].islower() else said
        if mark in ("ª", "a", "ra", "da", "ta") and said.endswith("o"):
            return said[:-1] + "a"
        return "première" if mark in ("re", "ère") and said == "premier" else said

    def plain(self, match: re.Match[str], passage: Passage) -> str:
        text = match["num"]
        said = self._signed(match, self._plain(text, passage, match.start("num"), match.end()))
        return f"{self._signs['about']} {said}" if match["about"] else said

    def _plain(self, text: str, passage: Passage, start: int, end: int) -> str:
        speech = self._speech
        if text.isdecimal():
            if self._is_noted(text, passage, start):
                return digits(speech, text)
            if is_year(speech, text, passage, start, end):
                return year(speech, int(text))
        noun = passage.after(end)
        return self._number(text, noun.lower() if noun[:1].isalpha() else "")

    def _is_noted(self, text: str, passage: Passage, start: int) -> bool:
        """Whether the listener writes the digits down, rather than counts: codes, account numbers, leading zeros."""
        zeros = len(text) > 1 and text[0] in "0०"
        if zeros or len(text) > _MAX_COUNT_DIGITS:
            return True
        if passage.text[start - 1 : start] == "#" and len(text) > 3:
            return True
        recent = passage.recent(start) if len(text) > 2 else frozenset()
        code = bool(recent & self._speech.code_words)
        return code or (len(text) >= _LONG_ID_DIGITS and bool(recent & self._speech.id_words))
