"""Dates and years."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Literal

from babel.dates import get_day_names, get_month_names

from gateway.text.languages.speech import SpeechRules
from gateway.text.numerals import cardinal, ordinal, year
from gateway.text.passage import Passage, Rule

_ISO = re.compile(r"(?<![\w-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\w-])")
_NUMERIC = re.compile(r"(?<![\w./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\w/-])")
_DECADE = re.compile(r"(?<![\w'’])(1[1-9]|20)(\d)0['’]?s(?!\w)|['’](\d)0s(?!\w)")
_WEEKDAYS = {"Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday"} | {
    "Sat": "Saturday",
    "Sun": "Sunday",
}
# A short weekday counts only beside a date, a range or with its full stop: "Sun" and "Sat" are words.
_WEEKDAY = re.compile(
    r"(?<!\w)(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?:\.(?=\s|$|[–,-])|(?=\s?[–-]\s?[A-Z]|,?\s\d|,\s[A-Z][a-z]{2}\w*\.?\s\d))"
    r"|(?<=[–-])(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?!\w)"
)
_SLASHED = re.compile(r"(?<![\w.,/-])(\d{1,2})/(\d{1,2})(?![\w/-]|[.,]\d)")
_SPAN = re.compile(
    r"(?<![\w–-])(?P<first>[^\W\d_]{3,9})[.॰]?\s?[–-]\s?(?P<last>[^\W\d_]{3,9})(?![\w–-])[.॰]?"
    r"(?:\s(?P<year>[12]\d{3})(?![\w:%]|[.,]\d))?"
)
_TENS = ("", "tens", "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")


def month_names(speech: SpeechRules) -> dict[str, int]:
    """Full and short month names in small letters, without full stops."""
    names: dict[str, int] = {}
    for width in ("wide", "abbreviated"):
        for context in ("format", "stand-alone"):
            for number, name in get_month_names(width, context, locale=speech.locale).items():
                names[name.lower().rstrip(".॰")] = number
    if speech.code in ("en", "id"):
        names |= {"sept": 9} | ({"agt": 8} if speech.code == "id" else {})
    if speech.code == "hi":
        names |= {"फरवरी": 2, "सितम्बर": 9, "नवम्बर": 11, "दिसम्बर": 12}
    return names


def day_names(speech: SpeechRules) -> frozenset[str]:
    """Names of the days of the week in small letters."""
    widths: tuple[Literal["wide"], Literal["abbreviated"]] = ("wide", "abbreviated")
    names = [name for width in widths for name in get_day_names(width, locale=speech.locale).values()]
    return frozenset(name.lower().rstrip(".") for name in names)


def _full_names(speech: SpeechRules) -> list[dict[str, str]]:
    """Days, and months, by their short names, in small letters and without full stops."""
    tables = [
        (names("abbreviated", locale=speech.locale), names("wide", locale=speech.locale))
        for names in (get_day_names, get_month_names)
    ]
    return [{short[key].lower().rstrip(".॰"): wide[key] for key in short} for short, wide in tables]


class _Calendar:
    """Says dates in one language."""

    def __init__(self, speech: SpeechRules) -> None:
        self._speech = speech
        self.months = month_names(speech)
        self._names: Mapping[int, str] = get_month_names("wide", locale=speech.locale)
        self._days = day_names(speech)
        self._full = _full_names(speech)

    def say(self, day: int, month: int, of_year: int | None, passage: Passage, start: int) -> str | None:
        if not (1 <= month <= 12 and 0 <= day <= 31):
            return None
        name = str(self._names[month])
        said_year = "" if of_year is None else year(self._speech, of_year)
        if self._speech.code == "en":
            return " ".join(part for part in (name, ordinal(self._speech, day) if day else "", said_year) if part)
        join_month, join_year = self._speech.date_joins
        first = self._speech.first_of_month if day == 1 else ""
        said_day = (first or cardinal(self._speech, day)) + join_month if day else ""
        return f"{said_day}{name}{join_year + said_year if said_year else ''}"

    def numeric(self, match: re.Match[str], passage: Passage) -> str | None:
        first, mark, second, of_year = int(match[1]), match[2], int(match[3]), int(match[4])
        if len(match[4]) == 2:
            if mark != "/":
                return None
            of_year += 2000
        day, month = self._in_order(first, mark, second)
        return self.say(day, month, of_year, passage, match.start())

    def _in_order(self, first: int, mark: str, second: int) -> tuple[int, int]:
        """Day and month; Americans write the month first, between slashes."""
        month_first = self._speech.code == "en" and mark == "/" and first <= 12
        return (second, first) if month_first else (first, second)

    def day_and_month(self, match: re.Match[str], passage: Passage) -> str | None:
        """5/1 is a date where something names it one."""
        before = passage.known_before(match.start())
        if before not in self._speech.date_words and before not in self._days or passage.after(match.end()) == "of":
            return None
        day, month = self._in_order(int(match[1]), "/", int(match[2]))
        return self.say(day, month, None, passage, match.start())

    def span(self, match: re.Match[str], _: Passage) -> str | None:
        """Short names count only side by side: "Sun" and "mar" are words."""
        first, last = (match[side].lower() for side in ("first", "last"))
        for full in self._full:
            if first in full and last in full:
                said_year = f" {year(self._speech, int(match['year']))}" if match["year"] else ""
                return f"{full[first]} {self._speech.signs['to']} {full[last]}{said_year}"
        return None

    def iso(self, match: re.Match[str], passage: Passage) -> str | None:
        return self.say(int(match[3]), int(match[2]), int(match[1]), passage, match.start())

    def day_month(self, match: re.Match[str], passage: Passage) -> str | None:
        month = self.months[match["month"].lower().rstrip(".॰")]
        of_year = int(match["year"]) if match["year"] else None
        if self._speech.code != "en":
            return self.say(int(match["day"]), month, of_year, passage, match.start())
        day = ordinal(self._speech, int(match["day"]))
        the = "" if passage.known_before(match.start()) == "the" else "the "
        said_year = " " + year(self._speech, of_year) if of_year else ""
        return f"{the}{day} of {self._names[month]}{said_year}"

    def month_day(self, match: re.Match[str], passage: Passage) -> str | None:
        month = self.months[match["month"].lower().rstrip(".")]
        of_year = int(match["year"]) if match["year"] else None
        if match["until"] and of_year is None:
            days = f"{ordinal(self._speech, int(match['day']))} {self._speech.signs['to']} "
            return f"{self._names[month]} {days}{ordinal(self._speech, int(match['until']))}"
        return self.say(int(match["day"]), month, of_year, passage, match.start())

    def month_year(self, match: re.Match[str], _: Passage) -> str | None:
        join = self._speech.date_joins[1] if match["of"] else " "
        return (
            self._names[self.months[match["month"].lower().rstrip(".॰")]]
            + join
            + year(self._speech, int(match["year"]))
        )


def rules(speech: SpeechRules) -> list[Rule]:
    """From the numeric to the named."""
    calendar = _Calendar(speech)
    names = "|".join(sorted(map(re.escape, calendar.months), key=len, reverse=True))
    month = rf"(?P<month>{'(?-i:(?=[A-Z]))' if speech.code in ('en', 'id') else ''}(?:{names})(?!\w)[.॰]?)"
    ordinal_mark = f"(?:{speech.ordinal_pattern})?" if speech.ordinal_pattern else ""
    of = r"(?:of\s|de\s|del\s)?"
    day_month = rf"(?<![\w.,:/-])(?P<day>\d{{1,2}}){ordinal_mark}\s{of}{month}(?:,?\s{of}(?P<year>\d{{4}})(?!\w))?"
    month_day = rf"(?<!\w){month}\s(?P<day>\d{{1,2}}){ordinal_mark}(?:\s?[–-]\s?(?P<until>\d{{1,2}}))?"
    month_day += r"(?![\w:%]|[.,]\d)(?:,?\s(?P<year>[12]\d{3})(?![\w:%]|[.,]\d))?"
    found = [
        Rule(_SPAN, calendar.span),
        Rule(_SLASHED, calendar.day_and_month),
        Rule(_ISO, calendar.iso),
        Rule(_NUMERIC, calendar.numeric),
        Rule(re.compile(day_month, re.IGNORECASE), calendar.day_month),
    ]
    if speech.code == "en":
        found.append(Rule(_WEEKDAY, lambda match, _: _WEEKDAYS[match[0].rstrip(".")[:3]]))
        found.append(Rule(re.compile(month_day, re.IGNORECASE), calendar.month_day))
        found.append(Rule(_DECADE, partial(_decade, speech)))
    month_year = rf"(?<!\w){month},?\s(?P<of>de\s)?(?P<year>[12]\d{{3}})(?![\w:%]|[.,]\d)"
    return [*found, Rule(re.compile(month_year, re.IGNORECASE), calendar.month_year)]


def _decade(speech: SpeechRules, match: re.Match[str], _: Passage) -> str:
    if match[3]:
        return _TENS[int(match[3])]
    if match[2] == "0":
        return f"{cardinal(speech, int(match[1]))} hundreds" if match[1] != "20" else "two thousands"
    return f"{cardinal(speech, int(match[1]))} {_TENS[int(match[2])]}"


def is_year(speech: SpeechRules, text: str, passage: Passage, start: int, end: int) -> bool:
    """Whether four digits are a year, told by the words around them."""
    if len(text) != 4 or not 1100 <= int(text) <= 2099:
        return False
    after = passage.after(end).lower()
    if passage.known_before(start) in speech.year_words:
        return not after or after in speech.not_counted or not after[0].isalpha()
    recent = 1900 <= int(text) <= 2099
    linked = passage.text[start - 1 : start] in ("–", "-", "(", "/") or passage.text[end : end + 1] in (
        "–",
        "-",
        ")",
        "/",
    )
    return recent and (linked or not after.endswith("s") and passage.known_before(start) in ("the", "a", ""))
