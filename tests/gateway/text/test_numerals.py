"""Numbers as words."""

import pytest

from gateway.text.languages import speech_rules
from gateway.text.languages.speech import SpeechRules
from gateway.text.numerals import agreed, cardinal, digits, number, ordinal, parse, roman, year


def rules(language: str) -> SpeechRules:
    found = speech_rules(language)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("language", "value", "said"),
    [
        ("en", 1204, "one thousand two hundred and four"),
        ("en", 10**16, "one zero zero zero zero zero zero zero zero zero zero zero zero zero zero zero zero"),
        ("id", 1155, "seribu seratus lima puluh lima"),
        ("id", 11_000, "sebelas ribu"),
        ("hi", 0, "शून्य"),
        ("hi", 99, "निन्यानवे"),
        ("hi", 100, "एक सौ"),
        ("hi", 1_245, "एक हज़ार दो सौ पैंतालीस"),
        ("hi", 25_00_000, "पच्चीस लाख"),
        ("hi", 1_00_00_000, "एक करोड़"),
        ("hi", -5, "ऋण पाँच"),
        ("fr", 80, "quatre vingts"),
    ],
)
def test_cardinals(language: str, value: int, said: str) -> None:
    assert cardinal(rules(language), value) == said


@pytest.mark.parametrize(
    ("language", "value", "said"),
    [
        ("en", 22, "twenty second"),
        ("id", 1, "pertama"),
        ("id", 17, "ketujuh belas"),
        ("hi", 1, "पहला"),
        ("hi", 5, "पाँचवाँ"),
        ("fr", 1, "premier"),
        ("es", 3, "tercero"),
    ],
)
def test_ordinals(language: str, value: int, said: str) -> None:
    assert ordinal(rules(language), value) == said


@pytest.mark.parametrize(
    ("language", "written", "said"),
    [
        ("en", "0.5", "zero point five"),
        ("en", "1,204.06", "one thousand two hundred and four point zero six"),
        ("id", "2,5", "dua koma lima"),
        ("id", "2.5", "dua koma lima"),
        ("id", "12.480", "dua belas ribu empat ratus delapan puluh"),
        ("id", "27,000", "dua puluh tujuh ribu"),
        ("id", "1,234,567", "satu juta dua ratus tiga puluh empat ribu lima ratus enam puluh tujuh"),
        ("id", "1,234", "satu koma dua tiga empat"),
        ("es", "10,000", "diez mil"),
        ("es", "3,14", "tres coma catorce"),
        ("es", "3,05", "tres coma cero cinco"),
        ("fr", "1 250,5", "mille deux cent cinquante virgule cinq"),
        ("hi", "1,00,000", "एक लाख"),
    ],
)
def test_written_numbers(language: str, written: str, said: str) -> None:
    assert number(rules(language), written) == said


def test_a_written_number_is_parsed_into_whole_and_decimals() -> None:
    assert parse(rules("en"), "1,204.06") == (1204, "06")
    assert parse(rules("id"), "1.250.000,50") == (1_250_000, "50")
    assert parse(rules("id"), "1.250") == (1250, "")


@pytest.mark.parametrize(
    ("language", "value", "said"),
    [
        ("en", 1999, "nineteen ninety nine"),
        ("en", 1905, "nineteen oh five"),
        ("en", 1900, "nineteen hundred"),
        ("en", 2005, "two thousand and five"),
        ("en", 2026, "twenty twenty six"),
        ("en", 900, "nine hundred"),
        ("id", 1945, "seribu sembilan ratus empat puluh lima"),
        ("hi", 1999, "उन्नीस सौ निन्यानवे"),
        ("hi", 1900, "उन्नीस सौ"),
        ("hi", 2026, "दो हज़ार छब्बीस"),
    ],
)
def test_years(language: str, value: int, said: str) -> None:
    assert year(rules(language), value) == said


def test_digits_are_read_one_by_one() -> None:
    assert digits(rules("en"), "(0) 42") == "zero four two"
    assert digits(rules("hi"), "४2") == "चार दो"


@pytest.mark.parametrize(("written", "value"), [("IV", 4), ("XXI", 21), ("MCMXCIX", 1999), ("IIII", 0), ("VX", 0)])
def test_roman_numerals(written: str, value: int) -> None:
    assert roman(written) == value


@pytest.mark.parametrize(
    ("language", "said", "noun", "form"),
    [
        ("es", "uno", "euro", "un"),
        ("es", "uno", "hora", "una"),
        ("es", "veintiuno", "personas", "veintiuna"),
        ("es", "doscientos", "páginas", "doscientas"),
        ("es", "uno", "", "un"),
        ("it", "uno", "ora", "un'"),
        ("it", "uno", "lira", "una"),
        ("pt", "dois", "horas", "duas"),
        ("pt", "vinte e dois", "quilogramas", "vinte e dois"),
        ("fr", "vingt et un", "personnes", "vingt et une"),
        ("en", "one", "hour", "one"),
    ],
)
def test_numbers_agree_with_their_noun(language: str, said: str, noun: str, form: str) -> None:
    assert agreed(rules(language), said, noun) == form
