"""E-mail and web addresses, phone numbers, versions and codes: read by their parts."""

import re

from gateway.text.languages.speech import SpeechRules
from gateway.text.numerals import cardinal, digits
from gateway.text.passage import Passage, Rule

_TLDS = "com|org|net|io|co|id|uk|de|fr|es|it|br|in|gov|edu|info|app|dev|ai|me|tv|us|ca|au|eu|biz|shop|store|online"
_EMAIL = re.compile(r"[A-Za-z0-9][\w.+-]*@[A-Za-z0-9][\w-]*(?:\.[A-Za-z0-9][\w-]*)+")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"'，。]*[^\s<>\"'.,;:!?)\]}*_，。]", re.IGNORECASE)
_DOMAIN = re.compile(
    rf"(?<![\w@.])[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:{_TLDS})(?![\w-])(?:/[^\s<>\"']*[^\s<>\"'.,;:!?)\]])?"
)
_FILE = re.compile(r"(?<![\w.])[A-Za-z][\w-]+(?:\.[a-z][a-z0-9]{1,4})+(?!\w)")
_PHONE = re.compile(r"(?<![\w.,/])(?:\+|\()?\d[\d ().\u00a0–-]{5,22}\d(?![\w/]|[.,]\d)")
_SINGLES = re.compile(r"(?<![\w.,-])\d(?:-\d){2,}(?![\w-])")
_ADDRESS_PARTS = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_VERSION = re.compile(r"(?<![\w.,])[vV]?\d+(?:\.\d+){2,3}(?![\w]|[.,]\d)|(?<![\w.,])[vV]\d+(?:\.\d+)?(?![\w]|[.,]\d)")
_CODE = re.compile(r"(?<![\w])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w])")
_VOWELS = re.compile(r"[aeiouyáéíóúàèìòùâêîôûãõ]")
# Shorter rows of digit groups are ranges and sums, longer ones no phone number of any country.
_PHONE_DIGITS = range(7, 20)
_READ_PARTS = frozenset(
    {"com", "org", "net", "info", "gov", "co", "app", "me", "biz", "my", "go", "ac", "or", "no", "is"}
)


def rules(speech: SpeechRules) -> tuple[list[Rule], list[Rule]]:
    """Rules of addresses and phone numbers, and of codes: the latter only for what no other rule knows."""
    signs = speech.signs

    def address(text: str) -> str:
        names = {".": signs["dot"], "@": signs["at"], "-": signs["dash"], "_": signs["underscore"], "/": signs["slash"]}
        names |= {
            "+": signs["plus"],
            "?": signs["question"],
            "=": signs["equals"],
            "&": signs["and"],
            "#": signs["hash"],
        }
        names |= {"%": signs["percent"], "~": "tilde", ":": signs["colon"]}
        said = []
        host = re.split(r"[/?]", text.lower().rpartition("@")[2], maxsplit=1)[0]
        ending = host.rpartition(".")[2]
        for part in _ADDRESS_PARTS.findall(text.lower()):
            if part.isdecimal():
                said.append(_short_number(speech, part))
            else:
                said.append(names.get(part, _part(part, speech.code, ending) if part.isalpha() else ""))
        return " ".join(word for word in said if word)

    def web(match: re.Match[str], _: Passage) -> str:
        return address(re.sub(r"^https?://", "", match[0], flags=re.IGNORECASE).rstrip("/"))

    def phone(match: re.Match[str], passage: Passage) -> str | None:
        text = match[0]
        if not _is_phone(speech, text, passage, match.start()):
            return None
        groups = [digits(speech, group) for group in re.findall(r"\d+", text)]
        return (signs["plus"] + " " if text.startswith("+") else "") + ", ".join(groups)

    def version(match: re.Match[str], _: Passage) -> str | None:
        text = match[0].lower()
        numbers = text.lstrip("v").split(".")
        if len(numbers) == 3 and sum(map(len, numbers)) >= _PHONE_DIGITS.start:
            return None  # a phone number or a grouped number
        if len(numbers) == 4 and all(int(part) < 256 for part in numbers):
            return f" {signs['dot']} ".join(digits(speech, part) for part in numbers)
        said = f" {speech.point if speech.point == 'point' else signs['dot']} ".join(
            cardinal(speech, int(part)) for part in numbers
        )
        return f"{signs['version']} {said}" if text[0] == "v" else said

    def file(match: re.Match[str], passage: Passage) -> str | None:
        known = match[0].lower()
        abbreviated = known in speech.abbreviations or f"{known}." in speech.abbreviations
        return None if abbreviated else web(match, passage)

    def code(match: re.Match[str], _: Passage) -> str | None:
        doubled = re.fullmatch(r"([a-z]{2,})2", match[0]) if speech.code == "id" else None
        if doubled:
            return f"{doubled[1]} {doubled[1]}"
        if re.fullmatch(r"\d+(?:-\d+)?-[a-z]{3,}", match[0]):
            return None  # "10-minute": a number and its noun
        parts = re.findall(r"[A-Za-z]+|\d+", match[0])
        return " ".join(_code_number(speech, part) if part.isdecimal() else _code_letters(part) for part in parts)

    return [
        Rule(_EMAIL, lambda match, _: address(match[0])),
        Rule(_URL, web),
        Rule(_DOMAIN, web),
        Rule(_FILE, file),
        Rule(_VERSION, version),
        Rule(_PHONE, phone),
        Rule(_SINGLES, lambda match, _: digits(speech, match[0])),
    ], [Rule(_CODE, code)]


def _part(word: str, language: str, ending: str) -> str:
    """A part of an address: a word, or letters where it cannot be read as one, as few countries' endings can."""
    country = word == ending and len(word) == 2
    if (
        word in _READ_PARTS
        or (country and word == language and word in ("es", "it"))
        or (not country and len(word) > 1 and _VOWELS.search(word))
    ):
        return word
    return " ".join(word) if len(word) <= 4 else word


def _short_number(speech: SpeechRules, text: str) -> str:
    short = len(text) <= 2 and not text.startswith("0")
    return cardinal(speech, int(text)) if short else digits(speech, text)


def _code_number(speech: SpeechRules, text: str) -> str:
    return _short_number(speech, text)


def _code_letters(letters: str) -> str:
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
        return False
    if len(groups) == 2 and marks == {"-"}:
        first, second = groups
        years = all(len(group) == 4 and 1500 <= int(group) <= 2100 for group in groups)
        return not years and not (first.endswith("00") and second.endswith("00"))
    return marks != {" "} or len(groups) > 1
