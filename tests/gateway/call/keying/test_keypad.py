"""The keypad without a clock: when an entry is whole, and which presses are one and the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.call.keying.keypad import BOTH_WAYS_S, REPEAT_S, Keypad, KeyRules, as_recorded, as_turn


def keyed(pad: Keypad, keys: str, every_s: float = 0.2) -> list[str]:
    return [pad.press(key, number * every_s) for number, key in enumerate(keys)]


def test_a_terminator_ends_an_entry_and_is_no_part_of_it() -> None:
    pad = Keypad(KeyRules())
    assert keyed(pad, "12#") == ["", "", "12"]
    assert not pad.typing


def test_a_terminator_alone_is_an_entry_and_star_and_letters_are_keys() -> None:
    assert keyed(Keypad(KeyRules()), "#") == ["#"]
    assert keyed(Keypad(KeyRules()), "*A9#")[-1] == "*A9"
    assert keyed(Keypad(KeyRules(terminators="*")), "7#*")[-1] == "7#"
    assert keyed(Keypad(KeyRules(terminators="", max_digits=3)), "1#*")[-1] == "1#*"


def test_a_menu_takes_the_first_key_at_once() -> None:
    assert keyed(Keypad(KeyRules(max_digits=1)), "12") == ["1", "2"]


def test_a_terminator_behind_a_full_entry_confirms_it_and_is_none_itself() -> None:
    pad = Keypad(KeyRules(max_digits=4, pause_s=3.0))
    assert keyed(pad, "1234")[-1] == "1234"
    assert pad.confirms("#", 1.0)
    assert not pad.confirms("#", 1.2)  # once
    keyed(pad, "1234")
    assert not pad.confirms("#", 0.6 + 3.0)  # too late to belong to it
    keyed(pad, "1234")
    assert not pad.confirms("5", 0.8)
    assert not pad.confirms("#", 1.0)  # of the 5
    menu = Keypad(KeyRules(max_digits=1))
    menu.press("1", 0.0)
    assert not menu.confirms("#", 0.2)


def test_a_pause_ends_an_entry_and_every_key_puts_it_off() -> None:
    pad = Keypad(KeyRules(pause_s=3.0))
    pad.press("1", 10.0)
    assert pad.due_s == 13.0
    pad.press("2", 12.0)
    assert pad.ring(13.0) == ""
    assert pad.ring(pad.due_s) == "12"
    assert pad.ring(99.0) == ""


def test_a_key_that_is_reported_twice_is_pressed_once() -> None:
    pad = Keypad(KeyRules())
    assert pad.is_new("1", 0.0)
    assert not pad.is_new("1", REPEAT_S - 0.001)
    assert pad.is_new("1", 0.16)  # the fastest dialler
    assert pad.is_new("2", 0.17)  # another key, reported late


def test_a_key_that_is_reported_and_heard_is_pressed_once() -> None:
    pad = Keypad(KeyRules())
    assert pad.is_new("1", 0.0)
    assert not pad.is_new("1", 0.3, in_band=True)
    assert pad.is_new("1", 0.5)
    assert not pad.is_new("1", 0.8, in_band=True)
    assert pad.is_new("1", 0.8 + BOTH_WAYS_S, in_band=True)


@pytest.mark.parametrize("again_in_band", [False, True])
def test_a_key_that_is_reported_twice_and_heard_is_one_press(again_in_band: bool) -> None:
    pad = Keypad(KeyRules())
    assert pad.is_new("5", 0.0)
    assert not pad.is_new("5", 0.02, in_band=True)
    assert not pad.is_new("5", 0.06, in_band=again_in_band)
    assert pad.is_new("5", 0.2)
    assert not pad.is_new("5", 0.22, in_band=True)


@pytest.mark.parametrize("language", ["en", "id", "es", "fr", "it", "pt-br", "hi", "ja", "zh", "xx"])
def test_an_entry_is_a_turn_with_its_keys_apart(language: str) -> None:
    assert as_turn("12*", language).endswith(": 1 2 *]")
    assert as_recorded("12*", language).endswith(": 3]")
    assert as_turn("1", language).startswith("[")


def test_languages_have_words_of_their_own() -> None:
    assert as_turn("12", "en") == "[keys pressed: 1 2]"
    assert as_turn("12", "id-ID") == "[tombol ditekan: 1 2]"


@given(st.text("0123456789*#ABCD", max_size=200), st.integers(1, 40), st.sampled_from(["", "#", "#*"]))
def test_no_key_is_lost_and_no_entry_is_too_long(keys: str, longest: int, terminators: str) -> None:
    pad = Keypad(KeyRules(terminators=terminators, max_digits=longest))
    entries = [*keyed(pad, keys), pad.ring(1e9)]
    assert all(len(entry) <= longest for entry in entries)
    plain = [key for key in keys if key not in terminators]
    assert [key for entry in entries for key in entry if key not in terminators] == plain
