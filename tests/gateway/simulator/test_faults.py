"""Faults as pure questions about a moment."""

import pytest

from gateway.simulator.faults import Faults, Packets


def test_without_options_nothing_goes_wrong() -> None:
    faults = Faults()
    assert not faults.dropped(1e9)
    assert not faults.half_open(1e9)
    assert not faults.loses(1)
    assert faults.stalled_until_s(5.0) == 5.0


@pytest.mark.parametrize(("at_s", "until_s"), [(0.9, 0.9), (1.0, 3.0), (2.9, 3.0), (3.0, 3.0), (4.0, 4.0)])
def test_a_stall_lasts_its_time(at_s: float, until_s: float) -> None:
    assert Faults(stall_at_s=1.0, stall_s=2.0).stalled_until_s(at_s) == until_s


def test_a_drop_and_a_half_open_line_last_for_ever() -> None:
    assert [Faults(drop_at_s=1.0).dropped(at_s) for at_s in (0.9, 1.0, 9.0)] == [False, True, True]
    assert [Faults(half_open_at_s=1.0).half_open(at_s) for at_s in (0.9, 1.0, 9.0)] == [False, True, True]


def test_every_nth_mark_is_lost() -> None:
    assert [Faults(lose_every_ack=3).loses(number) for number in range(1, 7)] == [False, False, True] * 2
    assert all(Faults(lose_every_ack=1).loses(number) for number in range(1, 4))


@pytest.mark.parametrize(
    ("faults", "arriving"),
    [(Faults(), "123456"), (Faults(lose_every_frame=3), "1245"), (Faults(delay_every_frame=3), "12435")],
    ids=["all", "lost", "overtaken"],
)
def test_the_callers_packets_arrive_lost_or_overtaken(faults: Faults, arriving: str) -> None:
    packets = Packets(faults)
    assert "".join(str(message) for number in "123456" for message in packets.carry([number])) == arriving
