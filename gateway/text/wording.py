"""Abbreviations, words in capitals, Roman numerals and single signs."""

import re

from gateway.text.dates import day_names, month_names
from gateway.text.languages.speech import SpeechRules
from gateway.text.numerals import cardinal, ordinal, roman
from gateway.text.passage import Passage, Rule

_CAPITALS = re.compile(r"(?<![\w'’])[^\W\d_a-zß-öø-ÿ]{2,}s?(?![\w])")
_DOTTED_CAPITALS = re.compile(r"(?<!\w)(?:[A-Z]\.){2,}(?!\w)|(?<!\w)(?:[A-Z]\.){1,}[A-Z](?![\w.])")
_ROMAN = re.compile(r"(?<![\w'’])[IVXLC]+(?![\w'’])")
_FRENCH_CENTURY = re.compile(r"(?<!\w)([IVX]{1,5})(?:e|er|ème)(?!\w)")
_DAYS_DASH = re.compile(r"(?<=[\w.])\s?[–-]\s?(?=\w)")
_VOWELS = re.compile(r"[AEIOUYÁÉÍÓÚÀÈÌÒÙÂÊÎÔÛÃÕ]")
# A capital word longer than this is read, if it can be.
_MAX_SPELLED = 3
# Text with at least so many words in capitals, and few others, is shouted, not abbreviated.
_MIN_SHOUTED_WORDS = 3
_MAX_NAMED_ORDINAL = 10
_CENTURIES = frozenset({"century", "siglo", "siècle", "secolo", "século"})
_COUNTED = re.compile(r"\d\s[^\W\d]+$")
_FORMS_OF_AND = re.compile(r"(?<=\w)\s?&\s?(?=\w)|&")


def abbreviation_rules(speech: SpeechRules) -> list[Rule]:
    """Abbreviations by their surroundings, the narrowest first."""

    def table(words: dict[str, str], head: str, tail: str) -> Rule:
        keys = "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or r"(?!)"
        pattern = re.compile(rf"{head}(?P<key>{keys}){tail}", re.IGNORECASE)

        def say(match: re.Match[str], passage: Passage) -> str | None:
            return _expand(speech, words, match, passage)

        return Rule(pattern, say)

    word_start = r"(?<![\w.@/])"
    return [
        table(dict(speech.before_number), word_start, r"(?=\s?#?\s?\d|\s(?-i:[IVXLC]{2,}|[VX])(?!\w))"),
        table(dict(speech.after_number), r"(?<=\d)\s?", r"(?!\w)"),
        table(dict(speech.abbreviations), word_start, r"(?![\w])"),
    ]


def _expand(speech: SpeechRules, words: dict[str, str], match: re.Match[str], passage: Passage) -> str | None:
    key, written = match["key"].lower(), match["key"]
    start, end = match.start("key"), match.end("key")
    if key.endswith(".") and len(key) > 3 and key.count(".") == 1 and written.isupper():
        return None  # "EST." is no "established"
    if written.isupper() and key in speech.spelled:
        return None
    if key[-1].isalpha() and written not in (key, key.upper()):
        after = passage.after(end)[:1]
        begins = len(key) > 2 and passage.begins_sentence(start)
        titled = written == key.capitalize() and (after.isupper() or after.isdigit() or begins)
        if not titled and "." not in key:
            return None  # without a stop it could be a name or a word
    if speech.code == "id" and written in ("Dr.", "Dr"):
        return "doktor"  # the small "dr." is the physician
    if speech.code == "id" and written == "dr" and passage.after(end)[:1].isupper():
        return "dokter"
    if len(key) == 2 and key[1] == "." and key[0].isalpha() and words is not None and "(?=" not in match.re.pattern:
        name_follows = passage.after(end)[:1].isupper() or passage.after(end) == "et"
        if match.re.pattern.endswith(r"(?![\w])") and not (written[0].isupper() and name_follows):
            return None
    if speech.code == "en" and key.rstrip(".") in ("dr", "st"):
        place, title = ("drive", "doctor") if key[0] == "d" else ("street", "saint")
        before = passage.before(start)
        named = before[:1].isupper() or before[:1].isdigit()
        begins = passage.begins_sentence(start - len(before) - 1)
        numbered = before[:1].isdigit() and before[-1:].isalpha()  # "12th St."
        after_name = named and before[-1:].isalnum() and (numbered or not begins)
        return place if after_name or not passage.after(end)[:1].isupper() else title
    return words[key]


def rules(speech: SpeechRules) -> list[Rule]:
    """Roman numerals, capitals and signs: what stands for words without being one."""
    days = day_names(speech) | frozenset(month_names(speech))

    def days_to(match: re.Match[str], passage: Passage) -> str | None:
        before, after = passage.known_before(match.start()), passage.after(match.end()).lower().rstrip(".")
        both_claimed = passage.claimed(match.start() - 1) and passage.claimed(match.end())
        return speech.signs["to"] if both_claimed or (before in days and after in days) else None

    def capitals(match: re.Match[str], passage: Passage) -> str | None:
        beside = passage.text[match.start() - 1 : match.start()] + passage.text[match.end() : match.end() + 1]
        if "&" in beside:
            return " ".join(match[0])  # "AT&T"
        return _capitals(speech, match[0], passage)

    def dotted(match: re.Match[str], _: Passage) -> str:
        return " ".join(char for char in match[0] if char.isalpha())

    def numeral(match: re.Match[str], passage: Passage) -> str | None:
        return _roman(speech, match, passage)

    def century(match: re.Match[str], _: Passage) -> str | None:
        value = roman(match[1])
        return ordinal(speech, value) if value else None

    return [
        Rule(_DAYS_DASH, days_to),
        Rule(_DOTTED_CAPITALS, dotted),
        *([Rule(_FRENCH_CENTURY, century)] if speech.code == "fr" else []),
        Rule(_ROMAN, numeral),
        Rule(_CAPITALS, capitals),
        *_sign_rules(speech),
    ]


def _capitals(speech: SpeechRules, written: str, passage: Passage) -> str | None:
    word = written.removesuffix("s")
    if not (word.isupper() and word.isalpha()):
        return None
    known = word.lower()
    sounds = bool(_VOWELS.search(word))
    if sounds and (known in speech.read or _shouted(speech, passage.text)):
        return written.lower()
    if sounds and len(word) > _MAX_SPELLED and known not in speech.spelled:
        return None
    return " ".join(word) + (" s" if written.endswith("s") else "")


def _shouted(speech: SpeechRules, text: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", text)
    loud = [word for word in words if word.isupper()]
    plain = sum(len(word) > _MAX_SPELLED + 1 or word.lower() in speech.read for word in loud)
    return plain * 2 >= len(loud) >= _MIN_SHOUTED_WORDS and len(loud) * 3 >= len(words) * 2


def _roman(speech: SpeechRules, match: re.Match[str], passage: Passage) -> str | None:
    written, value = match[0], roman(match[0])
    if not value:
        return None
    before = passage.before(match.start())
    known = passage.known_before(match.start())
    if known in speech.labels_for_roman:
        return cardinal(speech, value)
    if passage.after(match.end()).lower() in _CENTURIES:
        return ordinal(speech, value)
    if known in speech.names_for_roman and before[:1].isupper():
        if speech.code == "en":
            return f"the {ordinal(speech, value)}"
        return ordinal(speech, value) if value <= _MAX_NAMED_ORDINAL else cardinal(speech, value)
    plain = len(written) > 1 and set(written) <= set("IVX") and before[:1].isupper()
    return cardinal(speech, value) if plain and before[-1:].isalpha() and not before.isupper() else None


def _sign_rules(speech: SpeechRules) -> list[Rule]:
    names = speech.signs

    def fixed(pattern: str, said: str) -> Rule:
        return Rule(re.compile(pattern), lambda _match, _passage: said)

    def per(match: re.Match[str], passage: Passage) -> str | None:
        counted = _COUNTED.search(passage.text, 0, match.start())  # "24 jam/hari"
        if not (counted or passage.claimed(match.start() - 1)):
            return None
        word = match[1]
        return f"{names['per']} {speech.abbreviations.get(word) or speech.after_number.get(word) or word}"

    def divided(_match: re.Match[str], passage: Passage) -> str | None:
        return names["divided"] if "=" in passage.text else None

    return [
        Rule(_FORMS_OF_AND, lambda _match, _passage: names["and"]),
        fixed(r"(?<![\w#])#(?![\w#])", names["hash"]),
        fixed(r"(?<=\b[CF])#(?!\w)", names.get("sharp", names["hash"])),
        fixed(r"(?<=\s)\*(?=\s|[.,!?;]|$)", names["star"]),
        fixed(r"\s?=\s?", names["equals"]),
        fixed(r"±", names["plusminus"]),
        fixed(r"\+", names["plus"]),
        fixed(r"\s?×\s?", names["times"]),
        fixed(r"\s?÷\s?", names["divided"]),
        Rule(re.compile(r"(?<=\d)\s[/:]\s(?=\d)"), divided),
        fixed(r"≥|>=", names["atleast"]),
        fixed(r"≤|<=", names["atmost"]),
        fixed(r"[~≈](?=\s?\w)", names["about"]),
        fixed(r"(?<=\s)<(?=\s)|(?<!\S)<(?=\s?[\d$€£₹])", names["less"]),
        fixed(r"(?<=\s)>(?=\s)|(?<!\S)>(?=\s?[\d$€£₹])", names["more"]),
        fixed(r"(?<!\w)@", names["at"]),
        fixed(r"%", names["percent"]),
        fixed(r"§", names["section"]),
        fixed(r"°", names["degrees"]),
        fixed(r"(?<=\w)²", names["squared"]),
        fixed(r"(?<=\w)³", names["cubed"]),
        Rule(re.compile(r"\s?/\s?([a-zß-ÿ\u0900-\u097f]+)(?!\w)"), per),
        fixed(r"(?<=\w)/(?=\w)", ""),
    ]
