"""Whose turn it is."""

from hypothesis import given
from hypothesis import strategies as st

from tts_worker.fair_queue import FairQueue


def popped(queue: FairQueue[str], count: int = 1000) -> list[str]:
    items: list[str] = []
    while len(items) < count and (item := queue.pop()) is not None:
        items.append(item)
    return items


def test_an_empty_queue_gives_nothing() -> None:
    assert FairQueue[str]().pop() is None


def test_one_session_is_served_in_order() -> None:
    queue = FairQueue[str]()
    for item in "abc":
        queue.push("A", item, opens=True)
    assert popped(queue) == ["a", "b", "c"]


def test_sessions_take_turns_piece_by_piece() -> None:
    queue = FairQueue[str]()
    for n in range(3):
        for session in "AB":
            queue.push(session, f"{session}{n}", opens=False)
    assert popped(queue) == ["A0", "B0", "A1", "B1", "A2", "B2"]


def test_a_new_session_waits_for_one_piece_at_most_behind_fifty_queued_sentences() -> None:
    queue = FairQueue[str]()
    for n in range(50):
        queue.push("busy", f"old{n}", opens=True)
    assert popped(queue, 3) == ["old0", "old1", "old2"]
    queue.push("new", "first", opens=True)
    assert popped(queue, 2) == ["first", "old3"]


def test_a_new_session_goes_before_all_that_were_served() -> None:
    queue = FairQueue[str]()
    for n in range(50):
        for session in "ABC":
            queue.push(session, f"{session}{n}", opens=True)
    popped(queue, 10)
    queue.push("new", "first", opens=True)
    assert queue.pop() == "first"


def test_first_pieces_go_before_later_pieces() -> None:
    queue = FairQueue[str]()
    queue.push("A", "a later", opens=False)
    queue.push("B", "b first", opens=True)
    assert popped(queue) == ["b first", "a later"]


def test_nobody_waits_for_ever_behind_first_pieces() -> None:
    queue = FairQueue[str]()
    queue.push("patient", "at last", opens=False)
    served = []
    for n in range(40):
        queue.push(f"new{n}", f"first{n}", opens=True)
        served += popped(queue, 1)
    assert "at last" in served


def test_what_does_not_fit_is_overtaken_and_keeps_its_place() -> None:
    queue = FairQueue[str]()
    for session, item in (("A", "long"), ("B", "b"), ("C", "c")):
        queue.push(session, item, opens=True)
    assert queue.pop(lambda item: len(item) == 1) == "b"
    assert queue.pop(lambda item: item == "nothing") is None
    assert popped(queue) == ["long", "c"]


def test_a_held_session_is_passed_over_until_released() -> None:
    queue = FairQueue[str]()
    queue.hold("A")
    queue.push("A", "a", opens=True)
    queue.push("B", "b", opens=True)
    assert popped(queue) == ["b"]
    queue.release("A")
    assert popped(queue) == ["a"]


def test_releasing_a_session_that_is_not_held_changes_nothing() -> None:
    queue = FairQueue[str]()
    queue.release("A")
    queue.push("A", "a", opens=True)
    queue.release("A")
    assert popped(queue) == ["a"]


def test_dropped_items_are_gone_and_the_others_stay() -> None:
    queue = FairQueue[str]()
    for item in ("x1", "y1", "x2"):
        queue.push("A", item, opens=True)
    queue.drop("A", lambda item: item.startswith("x"))
    queue.drop("unknown", lambda item: True)
    assert len(queue) == 1
    assert popped(queue) == ["y1"]


def test_a_session_that_is_served_leaves_nothing_behind() -> None:
    queue = FairQueue[str]()
    for session in "ABC":
        queue.hold(session)
        queue.push(session, "x", opens=True)
        queue.drop(session, lambda item: True)
        queue.release(session)
        queue.push(session, "y", opens=True)
        queue.pop()
    assert queue._lines == {}


@given(pushes=st.lists(st.tuples(st.sampled_from("ABCDE"), st.booleans()), max_size=60), data=st.data())
def test_whatever_happens_every_item_is_served_once_and_in_its_sessions_order(
    pushes: list[tuple[str, bool]], data: st.DataObject
) -> None:
    queue = FairQueue[str]()
    served: list[str] = []
    for n, (session, opens) in enumerate(pushes):
        queue.push(session, f"{session}{n:03}", opens=opens)
        if data.draw(st.booleans()):
            served += popped(queue, 1)
    served += popped(queue)
    assert sorted(served) == sorted(f"{session}{n:03}" for n, (session, _) in enumerate(pushes))
    for session in "ABCDE":
        own = [item for item in served if item.startswith(session)]
        assert own == sorted(own)
