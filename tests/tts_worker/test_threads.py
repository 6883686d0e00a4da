"""Threads are worth their cores, or are left to others."""

from collections.abc import Callable
from itertools import cycle

import pytest

from tts_worker.threads import choose_threads, usable_cores


class Machine:
    """Where a test sentence takes so long with so many threads; the first run of each is slow, one of the rest too."""

    def __init__(self, took_s: dict[int, float]) -> None:
        self.now_s = 0.0
        self._took_s = took_s

    def test_of(self, threads: int) -> Callable[[], object]:
        hindrance = cycle([5.0, 1.3, 1.0])

        def run() -> None:
            self.now_s += self._took_s[threads] * next(hindrance)

        return run


@pytest.mark.parametrize(
    ("took_s", "chosen"),
    [
        ({1: 0.4, 2: 0.2, 4: 0.1}, 4),
        ({1: 0.4, 2: 0.2, 4: 0.19}, 2),
        ({1: 0.2, 2: 0.8, 4: 0.1}, 1),  # a machine that others use
    ],
)
def test_the_fewest_are_chosen_that_twice_as_many_do_not_beat(took_s: dict[int, float], chosen: int) -> None:
    machine = Machine(took_s)
    assert choose_threads(machine.test_of, cores=4, clock_s=lambda: machine.now_s) == chosen


@pytest.mark.parametrize(
    ("took_s", "chosen", "within_s"),
    [
        ({1: 3.0, 2: 0.1, 4: 0.1}, 1, 15.0),  # one run, and no other is begun
        ({1: 0.8, 2: 0.4, 4: 4.0}, 2, 30.0),
        ({1: 1.0, 2: 0.9, 4: 0.1}, 1, 15.0),
    ],
)
def test_a_crowded_machine_is_not_tried_for_long(took_s: dict[int, float], chosen: int, within_s: float) -> None:
    machine = Machine(took_s)
    assert choose_threads(machine.test_of, cores=4, clock_s=lambda: machine.now_s) == chosen
    assert machine.now_s <= within_s


def test_there_are_no_more_threads_than_cores() -> None:
    machine = Machine({1: 0.8, 2: 0.4, 4: 0.2})
    assert choose_threads(machine.test_of, cores=3, clock_s=lambda: machine.now_s) == 2
    assert choose_threads(lambda threads: lambda: None) <= usable_cores()
