"""Tables of the configuration."""

import pytest
from pydantic import ValidationError

from config.group import Group, Seconds


class Kettle(Group):
    boil_s: Seconds


def test_a_key_that_is_unknown_is_refused() -> None:
    with pytest.raises(ValidationError, match="boil_m"):
        Kettle.model_validate({"boil_s": 1.0, "boil_m": 2.0})


def test_values_stay_as_they_were_at_the_start() -> None:
    kettle = Kettle(boil_s=90.0)
    with pytest.raises(ValidationError, match="frozen"):
        kettle.boil_s = 1.0


@pytest.mark.parametrize("wrong", [0.0, -1.0, 86_401.0])
def test_a_time_is_above_zero_and_at_most_a_day(wrong: float) -> None:
    with pytest.raises(ValidationError, match="boil_s"):
        Kettle(boil_s=wrong)
