"""Which engines count as lost."""

import threading

from tests.tts_worker.gated import WAIT_S
from tts_worker.watchdog import LOOKS, MAX_FAILURES_IN_A_ROW, Watchdog


def looks(watchdog: Watchdog, times: int) -> list[str]:
    return [watchdog.look() for _ in range(times)]


def test_a_call_that_returns_in_time_is_never_missed() -> None:
    watchdog = Watchdog()
    for _ in range(3):
        with watchdog.call("synthesize"):
            assert looks(watchdog, LOOKS) == [""] * LOOKS
    assert looks(watchdog, LOOKS) == [""] * LOOKS


def test_a_call_seen_too_often_is_named_with_where_it_is() -> None:
    watchdog, begun, free = Watchdog(), threading.Event(), threading.Event()

    def hang_for_the_test() -> None:
        with watchdog.call("synthesize"):
            begun.set()
            free.wait(WAIT_S)

    thread = threading.Thread(target=hang_for_the_test)
    thread.start()
    assert begun.wait(WAIT_S)
    with watchdog.call("plan"):
        watchdog.look()
    assert looks(watchdog, LOOKS - 1) == [""] * (LOOKS - 1)
    hang = watchdog.look()
    free.set()
    thread.join(WAIT_S)
    assert hang.startswith("synthesize does not return: ")
    assert "hang_for_the_test" in hang
    assert watchdog.look() == ""


def test_a_call_that_raises_is_over() -> None:
    watchdog = Watchdog()
    try:
        with watchdog.call("plan"):
            raise MemoryError
    except MemoryError:
        pass
    assert looks(watchdog, LOOKS + 1) == [""] * (LOOKS + 1)


def test_an_engine_is_lost_when_it_only_fails() -> None:
    watchdog = Watchdog()
    for _ in range(3):
        for _ in range(MAX_FAILURES_IN_A_ROW - 1):
            watchdog.went(well=False)
        assert watchdog.look() == ""
        watchdog.went(well=True)
    for _ in range(MAX_FAILURES_IN_A_ROW):
        watchdog.went(well=False)
    assert watchdog.look() == f"{MAX_FAILURES_IN_A_ROW} calls in a row failed"
