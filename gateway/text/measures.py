"""Names of units in each language, and how a measure stands before its noun."""

import re
from functools import lru_cache

from babel.units import format_compound_unit, format_unit

from gateway.text.languages.speech import SpeechRules
from gateway.text.languages.units import UNITS
from gateway.text.passage import Passage

# The symbols as a regular expression, longest first.
UNIT_PATTERN = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))


@lru_cache(maxsize=1024)  # unit names are looked up again and again; the bound is beyond what replies use
def unit_name(unit: str, locale: str, value: float) -> str:
    """The long name of the unit, or of one unit per another, in the form it takes after the value."""
    unit, _, per = unit.partition("/")
    if per:
        said = format_compound_unit(value, unit, denominator_unit=per, length="long", locale=locale) or ""
    else:
        said = format_unit(value, unit, length="long", locale=locale)
    return re.sub(r"^\D*[\d.,\s\u00a0\u202f]+", "", said).replace("-", " ")


def is_adjective(speech: SpeechRules, match: re.Match[str], passage: Passage) -> bool:
    """Whether a price or a measure stands before its noun: "a $50 deposit", "a 60W bulb"."""
    noun = passage.after(match.end())
    if not noun[:1].islower() or noun in speech.not_priced:
        return False
    return passage.known_before(match.start()) in speech.articles
