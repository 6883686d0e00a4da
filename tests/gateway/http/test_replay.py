"""Signed requests are taken once, within a window, in bounded memory."""

import pytest

from gateway.errors import Refused
from gateway.http.replay import MAX_REMEMBERED, Replays


def test_a_second_time_is_refused_until_the_window_is_over() -> None:
    now_s = [0.0]
    replays = Replays(60.0, lambda: now_s[0])
    replays.admit("plivo 1")
    replays.admit("plivo 2")
    now_s[0] = 59.9
    with pytest.raises(Refused) as refused:
        replays.admit("plivo 1")
    assert (refused.value.code, refused.value.http_status) == ("replayed", 403)
    now_s[0] = 60.0
    replays.admit("plivo 1")
    with pytest.raises(Refused):
        replays.admit("plivo 1")


def test_a_refused_one_does_not_begin_its_window_anew() -> None:
    now_s = [0.0]
    replays = Replays(60.0, lambda: now_s[0])
    replays.admit("a")
    now_s[0] = 50.0
    with pytest.raises(Refused):
        replays.admit("a")
    now_s[0] = 61.0
    replays.admit("a")


def test_without_a_window_nothing_is_remembered() -> None:
    replays = Replays(0.0, lambda: 0.0)
    replays.admit("a")
    replays.admit("a")


def test_beyond_the_bound_the_oldest_gives_way() -> None:
    replays = Replays(60.0, lambda: 0.0)
    for number in range(MAX_REMEMBERED + 1):
        replays.admit(str(number))
    replays.admit("0")
    with pytest.raises(Refused):
        replays.admit(str(MAX_REMEMBERED))
