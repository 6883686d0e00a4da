"""The speech benchmark runs both ways against one worker; with the tone engine it proves the path, not the figures."""

import json
from pathlib import Path

from gateway.bench.incremental import REPLY, bench_tts


async def test_both_ways_are_timed(tmp_path: Path) -> None:
    assert await bench_tts(2, ("worker.engine=tone",), tmp_path) == 0
    figures = json.loads((tmp_path / "tts.json").read_text("utf-8"))
    for way in ("whole reply first", "sentence by sentence"):
        assert len(figures[way]) == 2
        assert all(0.0 < first_s <= last_s for first_s, last_s in figures[way])


def test_the_reply_is_a_receptionists() -> None:
    assert 200 <= len(REPLY) <= 400
    assert REPLY.count(".") + REPLY.count("?") == 4
