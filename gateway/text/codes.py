"""Phone numbers, versions and codes: read by their parts."""

import re

from gateway.text.languages.speech import SpeechRules
from gateway.text.markdown import SERVICE_CODE
from gateway.text.numerals import cardinal, digits, short_number
from gateway.text.passage import Passage, Rule

_PHONE = re.compile(r"(?<![\w.,/])(?:\+|\()?\d[\d ().\u00a0–-]{5,22}\d(?![\w/]|[.,]\d)")
_SINGLES = re.compile(r"(?<![\w.,-])\d(?:-\d){2,}(?![\w-])")
_VERSION = re.compile(r"(?<![\w.,])[vV]?\d+(?:\.\d+){2,3}(?![\w]|[.,-]\d)|(?<![\w.,])[vV]\d+(?:\.\d+)?(?![\w]|[.,]\d)")
_SERVICE = re.compile(SERVICE_CODE)
_CODE = re.compile(r"(?<![\w])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w])")
_VOWELS = re.compile(r"[aeiouyáéíóúàèìòùâêîôûãõ]")
# Shorter rows of digit groups are ranges and sums, longer ones no phone number of any country.
_PHONE_DIGITS = range(7, 20)
# Two kinds of marks make a date or a sum of shorter rows; longer ones are a tax number (01.234.567.8-901.000).
_TAX_DIGITS = 12


def rules(speech: SpeechRules) -> list[Rule]:
    """Rows of digits that are no numbers."""
    codes = _Codes(speech)
    return [
        Rule(_SERVICE, codes.service),
        Rule(_VERSION, codes.version),
        Rule(_PHONE, codes.phone),
        Rule(_SINGLES, codes.singles),
    ]


def mixed_rules(speech: SpeechRules) -> list[Rule]:
    """Letters and digits together, for what no other rule knows."""
    return [Rule(_CODE, _Codes(speech).code)]


class _Codes:
    """Says phone numbers, versions and codes in one language."""

    def __init__(self, speech: SpeechRules) -> None:
        self._speech = speech

    def phone(self, match: re.Match[str], passage: Passage) -> str | None:
        text = match[0]
        if not _is_phone(self._speech, text, passage, match.start()):
            return None
        groups = [digits(self._speech, group) for group in re.findall(r"\d+", text)]
        return (self._speech.signs["plus"] + " " if text.startswith("+") else "") + ", ".join(groups)

    def service(self, match: re.Match[str], _: Passage) -> str:
        """What is dialled to reach a network's own service: *123#."""
        names = {"*": self._speech.signs["star"], "#": self._speech.signs["hash"]}
        return " ".join(names.get(char) or digits(self._speech, char) for char in match[0])

    def singles(self, match: re.Match[str], _: Passage) -> str:
        return digits(self._speech, match[0])

    def version(self, match: re.Match[str], _: Passage) -> str | None:
        speech, text = self._speech, match[0].lower()
        numbers = text.lstrip("v").split(".")
        if len(numbers) == 3 and sum(map(len, numbers)) >= _PHONE_DIGITS.start:
            return None  # a phone number or a grouped number
        if len(numbers) == 4 and all(int(part) < 256 and str(int(part)) == part for part in numbers):
            return f" {speech.signs['dot']} ".join(digits(speech, part) for part in numbers)
        if "." in speech.group_marks and re.fullmatch(r"\d{1,3}(?:\.\d{3})+", text):
            return None  # thousands: 2.000.000.000
        point = speech.point if speech.decimal_mark == "." else speech.signs["dot"]
        said = f" {point} ".join(cardinal(speech, int(part)) for part in numbers)
        return f"{speech.signs['version']} {said}" if text[0] == "v" else said

    def code(self, match: re.Match[str], _: Passage) -> str | None:
        doubled = re.fullmatch(r"([A-Za-z][a-z]+)2", match[0]) if self._speech.code == "id" else None
        if doubled:
            return f"{doubled[1]} {doubled[1].lower()}"
        if re.fullmatch(r"\d+(?:-\d+)?-[a-z]{3,}", match[0]):
            return None  # "10-minute": a number and its noun
        parts = re.findall(r"[A-Za-z]+|\d+", match[0])
        return " ".join(short_number(self._speech, part) if part.isdecimal() else _letters(part) for part in parts)


def _letters(letters: str) -> str:
    readable = len(letters) > 2 and not letters.isupper() or (len(letters) > 4 and _VOWELS.search(letters.lower()))
    return letters if readable else " ".join(letters)


def _is_phone(speech: SpeechRules, text: str, passage: Passage, start: int) -> bool:
    groups = re.findall(r"\d+", text)
    if sum(map(len, groups)) not in _PHONE_DIGITS or text.count("(") != text.count(")"):
        return False
    if text[0] in "+(":
        return True
    if len(groups) == 1:
        return text[0] == "0" or len(text) >= 10
    marks = set(re.findall(r"[^\d]", text))
    grouped = re.fullmatch(rf"[1-9]\d{{0,2}}(?:[{re.escape(speech.group_marks)}]\d{{3}})+", text)
    if (
        (grouped and not passage.recent(start) & speech.code_words)
        or "–" in marks
        or re.search(r"\s[-.(]|[-.]\s", text)
    ):
        return False
    if "." in marks and len(marks) > 1:
        return sum(map(len, groups)) >= _TAX_DIGITS
    if len(groups) == 2 and marks == {"-"}:
        first, second = groups
        years = all(len(group) == 4 and 1500 <= int(group) <= 2100 for group in groups)
        return not years and not (first.endswith("00") and second.endswith("00"))
    return marks != {" "} or len(groups) > 1
