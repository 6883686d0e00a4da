"""The bounded, revocable queue in front of a socket."""

import pytest

from tts_worker.outbox import HIGH_MARK_S, LOW_MARK_S, MAX_CONTROLS, Close, Frame, Outbox

BYE = Close(1000, "bye")


class Recorded(Outbox):
    def __init__(self) -> None:
        self.calls: list[str] = []
        super().__init__(
            lambda: self.calls.append("ready"), lambda: self.calls.append("high"), lambda: self.calls.append("low")
        )


def audio(seconds: float, number: int = 1) -> Frame:
    return Frame(bytes(8), number, seconds)


def test_frames_come_out_in_order_and_then_nothing() -> None:
    outbox = Recorded()
    assert outbox.take() is None
    frames = [Frame("a"), audio(0.1), Frame("b")]
    for frame in frames:
        outbox.put(frame)
    assert [outbox.take() for _ in range(4)] == [*frames, None]
    assert outbox.calls == ["ready"] * 3


def test_the_close_comes_last_and_nothing_behind_it() -> None:
    outbox = Recorded()
    outbox.put(Frame("a"))
    outbox.close(BYE)
    outbox.put(Frame("late"))
    outbox.close(Close(1008, "second"))
    assert [outbox.take(), outbox.take(), outbox.take()] == [Frame("a"), BYE, BYE]


def test_a_close_now_drops_what_waits() -> None:
    outbox = Recorded()
    outbox.put(audio(HIGH_MARK_S))
    outbox.close(BYE, now=True)
    assert outbox.take() == BYE
    assert outbox.calls == ["high", "ready", "low", "ready"]


def test_the_marks_are_said_once_on_the_way_up_and_once_on_the_way_down() -> None:
    outbox = Recorded()
    for _ in range(6):
        outbox.put(audio(LOW_MARK_S))
    assert outbox.calls.count("high") == 1
    while outbox.take():
        pass
    assert outbox.calls.count("low") == 1
    outbox.put(audio(HIGH_MARK_S))
    assert outbox.calls.count("high") == 2


def test_revoking_a_request_leaves_the_others_and_makes_room() -> None:
    outbox = Recorded()
    outbox.put(audio(0.1, number=1))
    outbox.put(audio(HIGH_MARK_S, number=2))
    outbox.put(Frame("words", number=2))
    outbox.put(Frame("error"))
    outbox.revoke(2)
    assert outbox.calls[-1] == "low"
    assert [outbox.take(), outbox.take(), outbox.take()] == [audio(0.1, number=1), Frame("error"), None]


@pytest.mark.parametrize("extra", [0, 1])
def test_answers_nobody_reads_close_the_session(extra: int) -> None:
    outbox = Recorded()
    outbox.put(audio(2))
    for _ in range(MAX_CONTROLS + extra):
        outbox.put(Frame("error"))
    first = outbox.take()
    assert isinstance(first, Close) == bool(extra)


def test_a_frames_repr_shows_no_data() -> None:
    assert "secret" not in repr(Frame("secret"))
