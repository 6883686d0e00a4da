"""Events and commands: few, frozen, and silent about what people said or pressed."""

from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import get_args

import pytest

from gateway.events import CallStarted, Command, Digit, Event, MarkReached, SendDigits, Transfer
from media.formats import ULAW_8K


def test_there_are_few_of_both() -> None:
    assert len(get_args(Event)) <= 12
    assert len(get_args(Command)) <= 8


@pytest.mark.parametrize("kind", [*get_args(Event), *get_args(Command)])
def test_each_is_frozen_and_slotted(kind: type) -> None:
    assert is_dataclass(kind)
    assert "__dict__" not in dir(kind)
    assert hasattr(kind, "__slots__") or not fields(kind)


def test_a_frozen_event_stays_as_it_was() -> None:
    mark = MarkReached("1")
    with pytest.raises(FrozenInstanceError):
        mark.name = "2"  # type: ignore[misc]  # the point of the test


def test_reprs_hold_no_personal_words() -> None:
    started = CallStarted("CA1", "MZ1", ULAW_8K, ULAW_8K, {"token": "hush"}, "+15550100001", "+15550100002")
    shown = repr((started, Digit("7"), Transfer("+15550100003"), SendDigits("4321")))
    assert not any(secret in shown for secret in ("hush", "555", "'7'", "4321"))
