"""One call, two languages, real ears: recorded English and Indonesian callers, and the bot that follows them."""

import asyncio
from importlib import resources

import pytest

from config.models import ModelStore
from gateway.simulator.caller import CallerTurn, recorded_turn
from gateway.stt.whisper import WhisperRecognisers
from media import wav
from tests.calls.test_languages import ALSO, Answering
from tests.rig.call import WIRE_RATE_HZ, Rig

pytestmark = [pytest.mark.models, pytest.mark.timeout(300)]


def turn(folder: str, name: str) -> CallerTurn:
    with resources.as_file(resources.files("gateway.simulator") / folder / f"{name}.wav") as path:
        return recorded_turn(name, wav.load(path, WIRE_RATE_HZ), WIRE_RATE_HZ, name)


async def test_the_bot_answers_each_in_their_own_language_and_a_yes_in_the_last_one() -> None:
    model, ears = Answering(), WhisperRecognisers(ModelStore().locate("whisper-base"))
    async with asyncio.timeout(60):
        while not await ears.ready():  # noqa: ASYNC110  # the process tells nobody when it is
            await asyncio.sleep(0.2)
    rig = Rig(model=model, ears=ears, also=ALSO)
    turns = [("callers", "hours"), ("callers_id", "janji"), ("callers", "yes"), ("callers_id", "selesai")]
    turns += [("callers", "change")]
    _, record = await rig.call([turn(*each) for each in turns])
    await ears.close()
    heard = [turn.heard_text for turn in record.turns][1:]
    assert heard == ["$50.", "Rp50.000.", "Rp50.000.", "Rp50.000.", "$50."]
