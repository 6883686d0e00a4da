"""Prices and sums."""

import pytest

from gateway.text.speakable import speak
from tests.gateway.text.tables import Case, cases


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Rp150,500", "seratus lima puluh ribu lima ratus rupiah"),
        ("2,250 rupiah", "dua ribu dua ratus lima puluh rupiah"),
        ("Rp 12.500,00", "dua belas ribu lima ratus rupiah"),
        ("Rp 1,5 juta", "satu koma lima juta rupiah"),
    ],
)
def test_rupiah_are_thousands_whichever_mark_parts_them(text: str, said: str) -> None:
    assert speak(text, "id").text == said


@pytest.mark.parametrize("case", cases("money", "spoken"), ids=lambda case: case.name)
def test_each_kind_is_said_as_people_say_it(case: Case) -> None:
    assert speak(case.text, case.lang).text == case.right[0]
