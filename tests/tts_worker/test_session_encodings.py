"""A session whose client wants its audio ready for the telephone."""

import asyncio
from collections.abc import Callable

import numpy as np
import pytest

from media.g711 import alaw_to_pcm, ulaw_to_pcm
from tests.rig.clock import run_leaping
from tests.tts_worker.test_session import Client, pcm_of, types_of
from tts_worker.outbox import HIGH_MARK_S


@pytest.mark.parametrize(("encoding", "expand"), [("ulaw", ulaw_to_pcm), ("alaw", alaw_to_pcm)])
def test_a_gateway_may_receive_ready_telephone_audio(encoding: str, expand: Callable[[bytes], bytes]) -> None:
    async def talk() -> None:
        client = Client()
        client.send(type="session", framing="raw", encoding=encoding)
        client.send(text="Hello there.", request_id="a")
        said = await client.hear()

        assert types_of(said) == ["session", "synthesis_start", "words", "audio", "synthesis_complete"]
        agreed, complete, audio = said[0], said[-1], pcm_of(said)
        assert isinstance(agreed, dict)
        assert isinstance(complete, dict)
        assert (agreed["encoding"], agreed["sample_rate"]) == (encoding, 8_000)
        assert complete["samples"] == len(audio) == 12 * 480
        assert complete["duration_s"] == 0.72
        assert np.abs(np.frombuffer(expand(audio), "<i2").astype(int)).max() == pytest.approx(8_000, rel=0.1)

    run_leaping(talk())


def test_a_cancel_counts_the_samples_of_the_encoding() -> None:
    async def talk() -> None:
        client = Client()
        client.send(text="Hello there.", request_id="a", encoding="ulaw")
        client.send(text="word " * 200, request_id="b", encoding="ulaw")
        said = await client.hear(0.15)
        client.send(type="cancel", request_id="b")
        said += client.read()
        spoken = len(pcm_of(said))
        (cancelled,) = [one for one in said if isinstance(one, dict) and one["type"] == "cancelled"]
        (complete,) = [one for one in said if isinstance(one, dict) and one["type"] == "synthesis_complete"]
        assert complete["samples"] + cancelled["samples"] == spoken

    run_leaping(talk())


def test_g711_at_another_rate_is_refused() -> None:
    async def talk() -> None:
        client = Client()
        client.send(text="Hello there.", encoding="ulaw", sample_rate=16_000)
        (error,) = client.controls()
        assert (error["type"], error["code"]) == ("error", "bad_field")

    run_leaping(talk())


@pytest.mark.parametrize(
    "delivery", [{"sample_rate": 24_000}, {"sample_rate": 8_000}, {"sample_rate": 8_000, "encoding": "ulaw"}]
)
def test_as_many_seconds_wait_for_a_slow_client_whatever_its_rate_and_encoding(delivery: dict[str, object]) -> None:
    async def talk() -> None:
        client = Client()
        client.send(text="word " * 900, **delivery)
        await asyncio.sleep(60.0)
        spoken_s = 0.06 * sum(len(text) for text in client.speakers.spoken)
        assert client.speakers.held
        assert HIGH_MARK_S <= spoken_s < HIGH_MARK_S + 7.2  # a piece more

    run_leaping(talk())
