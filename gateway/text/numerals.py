"""Numbers as words, per language."""

import re
from functools import lru_cache

from num2words import num2words

from gateway.text.languages import hi
from gateway.text.languages.speech import SpeechRules

# num2words would spell out any length; nobody follows a longer number, so it is read digit by digit.
_MAX_CARDINAL_DIGITS = 15
# Thousands as in English, where a comma marks decimals: models and callers write them, and nobody means 27,000 as 27.
_ENGLISH_GROUPS = r"\d{1,3}(?:(?:,\d{3}){2,}|,000)(?!\d)"

# num2words knows "seribu" for 1,000 itself only, not behind millions.
_SERIBU = re.compile(r"(?<=(?:juta|liar|liun) )satu ribu")


@lru_cache(maxsize=2048)  # prices and times recur; the bound keeps odd numbers from filling memory
def cardinal(rules: SpeechRules, number: int) -> str:
    """The number as words, without commas."""
    if rules.code == "hi":
        return hi.cardinal(number)
    if len(str(abs(number))) > _MAX_CARDINAL_DIGITS:
        return digits(rules, str(number))
    said = str(num2words(number, lang=rules.num2words)).replace(",", "").replace("-", " ")
    return _SERIBU.sub("seribu", said) if rules.code == "id" else said


def ordinal(rules: SpeechRules, number: int) -> str:
    """The number as an ordinal word (masculine where that matters)."""
    special = rules.ordinals.get(number)
    if special:
        return special
    if rules.ordinal_prefix:
        return rules.ordinal_prefix + cardinal(rules, number)
    if rules.code == "hi":
        return cardinal(rules, number) + "वाँ"
    return str(num2words(number, lang=rules.num2words, to="ordinal")).replace(",", "").replace("-", " ")


def digits(rules: SpeechRules, text: str) -> str:
    """The digits of the text one by one."""
    return " ".join(rules.digit_names[int(char)] for char in text if char.isdecimal())


def short_number(rules: SpeechRules, text: str) -> str:
    """Digits inside a code or an address: one or two are a number, more are read one by one."""
    short = len(text) <= 2 and not text.startswith("0")
    return cardinal(rules, int(text)) if short else digits(rules, text)


def parse(rules: SpeechRules, text: str) -> tuple[int, str]:
    """A written number as its whole part and its decimals ("" when it has none)."""
    if rules.decimal_mark == "," and re.fullmatch(_ENGLISH_GROUPS, text):
        return int(text.replace(",", "")), ""
    whole, point, decimals = text.partition(rules.decimal_mark)
    if not point and rules.decimal_mark == "," and re.fullmatch(r"\d+\.(?!\d{3}$)\d+", text):
        whole, _, decimals = text.partition(".")  # "2.5" in a language that writes 2,5
    return int(re.sub(r"\D", "", whole) or "0"), decimals


def number_pattern(rules: SpeechRules) -> str:
    """A regular expression for written numbers: grouped or not, with decimals or not."""
    group, mark = re.escape(rules.group_marks), re.escape(rules.decimal_mark)
    whole = rf"\d{{1,3}}(?:[{group}]\d{{3}})+(?!\d)"
    if rules.decimal_mark == ".":
        whole = rf"\d{{1,2}}(?:,\d\d)+,\d{{3}}(?!\d)|{whole}"  # lakhs and crores
    point = ""
    if rules.decimal_mark == ",":  # 2.5 and 27,000 where 2,5 and 27.000 are usual
        point = rf"\d+\.(?:\d{{1,2}}|\d{{4,}})(?!\d)|{_ENGLISH_GROUPS}|"
    return rf"(?:(?:{whole})(?:{mark}\d+)?|{point}\d+(?:{mark}\d+)?)"


def number(rules: SpeechRules, text: str) -> str:
    """A written number, with its grouping marks and decimals, as words."""
    whole, decimals = parse(rules, text)
    words = cardinal(rules, whole)
    if not decimals:
        return words
    spelled = digits(rules, decimals)
    if rules.decimals_as_number and not decimals.startswith("0") and len(decimals) <= 2:
        spelled = cardinal(rules, int(decimals))
    return f"{words} {rules.point} {spelled}"


def year(rules: SpeechRules, value: int) -> str:
    """A year as it is said."""
    pairs = rules.year_in_pairs and 1100 <= value <= 2099
    if rules.code == "hi" and 1100 <= value <= 1999:
        rest = cardinal(rules, value % 100) if value % 100 else ""
        return f"{cardinal(rules, value // 100)} सौ {rest}".strip()
    if not pairs or 2000 <= value <= 2009:
        return cardinal(rules, value)
    century, rest_of = divmod(value, 100)
    if rest_of == 0:
        return f"{cardinal(rules, century)} hundred"
    tail = f"oh {cardinal(rules, rest_of)}" if rest_of < 10 else cardinal(rules, rest_of)
    return f"{cardinal(rules, century)} {tail}"


_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def roman(text: str) -> int:
    """The value of a Roman numeral; 0 when it is not well formed."""
    if not re.fullmatch(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})", text):
        return 0
    values = [_ROMAN[char] for char in text]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def agreed(rules: SpeechRules, words: str, noun: str) -> str:
    """The number words in the form they take before the noun ("uno" → "un euro", "una hora")."""
    if rules.code == "it" and words == "uno" and rules.is_feminine(noun) and noun[0] in "aeiou":
        return "un'"
    feminine = bool(noun) and rules.is_feminine(noun)
    for masculine, before_masculine, before_feminine in rules.agreement:
        if words == masculine or words.endswith(" " + masculine) or (rules.glued and words.endswith(masculine)):
            return words[: len(words) - len(masculine)] + (before_feminine if feminine else before_masculine)
    return words
