"""Dates and years."""

import pytest

from gateway.text.speakable import speak
from tests.gateway.text.tables import Case, cases


@pytest.mark.parametrize("case", cases("dates", "spoken"), ids=lambda case: case.name)
def test_each_kind_is_said_as_people_say_it(case: Case) -> None:
    assert speak(case.text, case.lang).text == case.right[0]
