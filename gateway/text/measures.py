"""Names of units in each language."""

import re
from functools import lru_cache

from babel.units import format_unit

from gateway.text.languages.units import UNITS

# The symbols as a regular expression, longest first.
UNIT_PATTERN = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))


@lru_cache(maxsize=1024)  # unit names are looked up again and again; the bound is beyond what replies use
def unit_name(unit: str, locale: str, value: float) -> str:
    """The unit's long name in the form it takes after the value."""
    return re.sub(r"^\D*[\d.,\s\u00a0\u202f]+", "", format_unit(value, unit, length="long", locale=locale)).replace(
        "-", " "
    )
