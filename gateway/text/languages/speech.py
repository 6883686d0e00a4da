"""The form of a language's speaking rules: how numbers, money, times and signs are said."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Currency:
    """Names of a currency: one and many of it, one and many of its hundredth part."""

    one: str
    many: str
    cent: str = ""
    cents: str = ""


def table(text: str) -> dict[str, str]:
    """Entries of the form `written=said`, separated by bars or line ends; white space around them does not count."""
    entries = (entry.strip().partition("=") for entry in re.split(r"[|\n]", text) if entry.strip())
    return {written: said for written, _, said in entries}


def _no(_: str) -> bool:
    return False


def _plain_time(hour: str, minute: str) -> str:
    return f"{hour} {minute}".strip()


@dataclass(frozen=True, slots=True, eq=False)  # one object a language, so identity is equality
class SpeechRules:
    """Data of one language; words are given as they are said. Keys of the tables are lower case."""

    code: str
    num2words: str
    locale: str  # for babel: month, day and unit names
    digit_names: tuple[str, ...]
    point: str
    decimal_mark: str
    group_marks: str  # characters that may stand between groups of three digits
    signs: Mapping[str, str]  # what single signs are called
    currencies: Mapping[str, Currency]
    scales: Mapping[str, tuple[str, str]]  # "m" after a number: (one, many)
    scale_of: str = ""  # between a scale word and the currency ("millones de euros")
    cents_join: str = ""  # between euros and cents
    says_cents: bool = False  # whether the cents are named
    abbreviations: Mapping[str, str] = field(default_factory=dict)
    before_number: Mapping[str, str] = field(default_factory=dict)  # said so only before a number
    after_number: Mapping[str, str] = field(default_factory=dict)  # said so only after a number
    spelled: frozenset[str] = frozenset()  # words in capitals that are spelled though they could be read
    read: frozenset[str] = frozenset()  # words in capitals that are read though they are short
    names_for_roman: frozenset[str] = frozenset()  # kings and popes: the numeral after them is an ordinal
    labels_for_roman: frozenset[str] = frozenset()  # "chapter": the numeral after it is a number
    code_words: frozenset[str] = frozenset()  # a number after one of these is read digit by digit
    id_words: frozenset[str] = frozenset()  # so is a long number after one of these
    places: frozenset[str] = frozenset()  # a letter after their number is no scale ("apartment 5B")
    year_words: frozenset[str] = frozenset()
    not_counted: frozenset[str] = frozenset()  # words after a year that are nothing to be counted
    articles: frozenset[str] = frozenset()  # before "$50 deposit"; empty where a price is no adjective
    not_priced: frozenset[str] = frozenset()  # words after a price that are no noun ("the $50 you paid")
    time_words: frozenset[str] = frozenset()  # "14.30" after one of these is a time
    time_marks: str = ":"
    date_words: frozenset[str] = frozenset()  # "5/1" after one of these, or after a weekday, is a day and a month
    ordinals: Mapping[int, str] = field(default_factory=dict)
    ordinal_prefix: str = ""
    ordinal_pattern: str = ""  # after the digits of an ordinal
    decimals_as_number: bool = False
    year_in_pairs: bool = False
    agreement: tuple[tuple[str, str, str], ...] = ()
    glued: bool = False
    is_feminine: Callable[[str], bool] = _no
    time: Callable[[int, int, Callable[[int], str]], str] = field(
        default=lambda hour, minute, say: _plain_time(say(hour), say(minute))
    )
    date_joins: tuple[str, str] = (" ", " ")  # between day and month, month and year
    first_of_month: str = ""
    fractions: Mapping[int, tuple[str, str]] = field(default_factory=dict)  # denominator: (one of it, many of it)
    fraction_words: Mapping[tuple[int, int], str] = field(default_factory=dict)  # whole fractions with a name
