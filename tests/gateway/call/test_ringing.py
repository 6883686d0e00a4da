"""Placed calls that nobody has answered yet keep their places: until they are over, and for so long at most."""

from gateway.call.ringing import Ringing


def test_who_rings_keeps_a_place_for_its_bot_until_it_is_over() -> None:
    ringing = Ringing(lambda: 0.0)
    ringing.begin("one", "clinic", 60.0)
    ringing.begin("two", "garage", 60.0)
    assert ringing.bots() == ["clinic", "garage"]
    assert ringing.bots("one") == ["garage"]
    ringing.end("one")
    ringing.end("one")
    assert ("one" in ringing, "two" in ringing, len(ringing)) == (False, True, 1)


def test_a_place_is_kept_for_so_long_at_most() -> None:
    now_s = [0.0]
    ringing = Ringing(lambda: now_s[0])
    ringing.begin("one", "clinic", 60.0)
    now_s[0] = 59.9
    assert ("one" in ringing, len(ringing)) == (True, 1)
    now_s[0] = 60.0
    assert ("one" in ringing, len(ringing)) == (False, 0)
