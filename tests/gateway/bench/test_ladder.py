"""What is climbed, and how far up is good enough."""

import pytest

from gateway.bench.ladder import Ladder, Rung, q_max


def rung(clients: int, p95_ms: float, failed: int = 0, load: str = "closed") -> Rung:
    return Rung("sessions", load, clients, 10, failed, 1.0, 2.0, 50.0, p95_ms, p95_ms, 90.0, None)


def test_q_max_is_the_most_callers_within_the_limit() -> None:
    rungs = [rung(1, 60), rung(5, 280), rung(10, 570), rung(20, 100, load="Poisson")]

    assert q_max(rungs, 300) == 5
    assert q_max(rungs, 50) == 0
    assert q_max([rung(5, 10, failed=1)], 300) == 0
    assert q_max([rung(20, 90), rung(5, 50), rung(10, 400)], 300) == 5  # a lucky rung above a bad one proves nothing


@pytest.mark.parametrize("text", ["short", "replies"])
def test_both_kinds_of_text_are_what_they_are_called(text: str) -> None:
    lengths = [len(reply) for reply in Ladder(text=text).replies]

    assert set(lengths) == {1} if text == "short" else set(lengths) == {2, 3, 4}
