"""Conference rooms: nobody hears anybody before they begin, and who ends them takes all with them."""

from gateway.simulator.carrier.base import Enter
from gateway.simulator.carrier.rooms import Rooms


def test_who_comes_first_waits_until_one_enters_who_starts_the_conference() -> None:
    rooms = Rooms()
    rooms.enter("caller", Enter("r1", starts=False))
    rooms.enter("friend", Enter("r1", starts=False))
    assert (rooms.hears("caller"), rooms.hears("friend")) == (frozenset(), frozenset())
    rooms.enter("agent", Enter("r1"))
    assert rooms.hears("caller") == {"friend", "agent"}
    assert rooms.hears("agent") == {"friend", "caller"}
    assert rooms.room_of("caller") == "r1"


def test_rooms_are_apart() -> None:
    rooms = Rooms()
    rooms.enter("one", Enter("r1"))
    rooms.enter("two", Enter("r2"))
    assert rooms.hears("one") == frozenset()
    assert rooms.hears("nobody") == frozenset()


def test_who_ends_a_conference_takes_all_with_them_also_before_it_has_begun() -> None:
    rooms = Rooms()
    for room, starts in (("r1", True), ("r2", False)):
        rooms.enter(f"caller-{room}", Enter(room, starts=False, ends=True))
        rooms.enter(f"agent-{room}", Enter(room, starts, ends=True))
        assert rooms.leave(f"caller-{room}") == {f"agent-{room}"}
        assert rooms.room_of(f"agent-{room}") == ""


def test_who_does_not_end_it_leaves_the_others_there_and_the_last_closes_the_room() -> None:
    rooms = Rooms()
    rooms.enter("caller", Enter("r1"))
    rooms.enter("agent", Enter("r1"))
    assert rooms.leave("caller") == frozenset()
    assert (rooms.room_of("agent"), rooms.hears("agent")) == ("r1", frozenset())
    assert rooms.leave("agent") == frozenset()
    assert rooms.leave("agent") == frozenset()
    rooms.enter("late", Enter("r1", starts=False))
    rooms.enter("later", Enter("r1", starts=False))
    assert rooms.hears("late") == frozenset()  # another conference, which has not begun
