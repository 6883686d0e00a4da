"""A worker that cannot be had is told of, not shouted about."""

import asyncio
from typing import Any

import structlog

from gateway.errors import TtsError
from gateway.tts.outage import SAY_AGAIN_S, Outage
from tests.rig.clock import run_leaping

AWAY = TtsError("worker_unreachable", "nobody listens at ws://worker:8081; start a worker there", retryable=True)


def told(tries: int, every_s: float, back: bool = False) -> list[Any]:
    async def main() -> None:
        outage = Outage()
        for _ in range(tries):
            outage.tell(AWAY)
            await asyncio.sleep(every_s)
        if back:
            outage.over()
            outage.over()
            outage.tell(AWAY)

    with structlog.testing.capture_logs() as lines:
        run_leaping(main())
    return lines


def test_many_tries_are_one_line_with_place_and_remedy() -> None:
    (line,) = told(tries=20, every_s=1.0)
    assert (line["event"], line["log_level"], line["since_s"]) == ("tts_worker_away", "warning", 0)
    assert line["error"] == AWAY.detail


def test_it_is_said_again_while_it_lasts() -> None:
    assert [line["since_s"] for line in told(tries=150, every_s=1.0)] == [0, SAY_AGAIN_S, 2 * SAY_AGAIN_S]


def test_its_end_is_said_once_and_the_next_one_at_once() -> None:
    assert [line["event"] for line in told(tries=10, every_s=1.0, back=True)] == [
        "tts_worker_away",
        "tts_worker_back",
        "tts_worker_away",
    ]


def test_a_connection_that_broke_is_its_sessions_own_matter() -> None:
    with structlog.testing.capture_logs() as lines:
        Outage().tell(TtsError("worker_lost", "closed with 1011 she said her number"))
        Outage().tell(TtsError("worker_lost"))
    assert [(line["event"], line["code"]) for line in lines] == [("tts_connection_lost", "worker_lost")] * 2
    assert "number" not in str(lines)
