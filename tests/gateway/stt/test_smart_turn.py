"""The prosody model: what it tells of recorded callers, and what becomes of too many questions or a broken file."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
import structlog

from config.models import ModelStore
from gateway.bench.caller_set import load_callers
from gateway.stt.pause import SOUNDS_FINAL
from gateway.stt.smart_turn import MOST_WAITING, SmartTurn, SmartTurnNetwork
from media.resample import StreamResampler

RATE_HZ = 16_000


def until(name: str, end_s: float) -> bytes:
    """A recorded caller up to `end_s` of the recording, at 16 kHz."""
    caller = next(caller for caller in load_callers()[0] if caller.name == name).turn()
    resampler = StreamResampler(8000, RATE_HZ)
    pcm = resampler.feed(caller.pcm + bytes(8000)) + resampler.flush()
    return pcm[: round(end_s * RATE_HZ) * 2]


@pytest.fixture(scope="module")
def network() -> SmartTurnNetwork:
    return SmartTurnNetwork(ModelStore().locate("smart-turn"))


@pytest.mark.models
def test_a_whole_question_sounds_final_and_an_um_does_not(network: SmartTurnNetwork) -> None:
    assert network.finality(until("opening-hours", 2.2)) > SOUNDS_FINAL
    assert network.finality(until("id-open", 2.6)) > SOUNDS_FINAL
    assert network.finality(until("do-you-have", 1.4)) < 0.1
    assert network.finality(until("trail-um-and", 2.6)) < 0.1


@pytest.mark.models
def test_any_length_is_taken(network: SmartTurnNetwork) -> None:
    for seconds in (0.0, 0.01, 3.0, 20.0):
        pcm = np.zeros(round(seconds * RATE_HZ), np.int16).tobytes()
        assert 0 <= network.finality(pcm) <= 1


@pytest.mark.models
async def test_it_answers_on_the_loop() -> None:
    prosody = SmartTurn(ModelStore().locate("smart-turn"))
    answer: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    prosody.ask(until("opening-hours", 2.2), answer.set_result)
    assert await asyncio.wait_for(answer, 30) > SOUNDS_FINAL
    await prosody.close()


@pytest.mark.models
async def test_more_questions_than_can_be_answered_in_time_are_left_to_the_words() -> None:
    prosody = SmartTurn(ModelStore().locate("smart-turn"))
    answers: list[float] = []
    done = asyncio.Event()

    def tell(finality: float) -> None:
        answers.append(finality)
        if len(answers) == MOST_WAITING:
            done.set()

    for _ in range(MOST_WAITING + 3):
        prosody.ask(bytes(RATE_HZ), tell)
    await asyncio.wait_for(done.wait(), 30)
    last: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    prosody.ask(bytes(RATE_HZ), last.set_result)
    await asyncio.wait_for(last, 30)
    assert len(answers) == MOST_WAITING
    await prosody.close()


async def test_a_file_that_is_no_model_is_told_once_and_the_words_decide(tmp_path: Path) -> None:
    broken = tmp_path / "smart-turn.onnx"
    broken.write_bytes(b"no model")
    prosody = SmartTurn(broken)
    answers: list[float] = []
    with structlog.testing.capture_logs() as lines:
        for _ in range(2):
            prosody.ask(bytes(RATE_HZ), answers.append)
        await prosody.close()
    assert [line["event"] for line in lines] == ["prosody_failed"]
    assert answers == []
