"""A caller who changes the language: words, voice, prompts and what the model is told follow, and change back."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from gateway.bench.scripted_caller import Breath, utterance
from gateway.bench.stage import Stage, answers
from gateway.bots.bot import Speech
from gateway.call.script import Script
from gateway.errors import LlmError
from gateway.llm.base import Completed, LlmEvent, Message, TextDelta, Tool
from gateway.simulator.script import Manners
from gateway.stt.energy import EnergyRecognisers
from tests.rig.call import GREETING, REPROMPT, Rig, sound
from tests.rig.clock import run_leaping

INDONESIAN = Script("id", "Be brief. Jawablah dalam bahasa Indonesia.", "", "Maaf, ulangi.", "Kurang jelas.", "Dadah.")
ALSO = (Speech(INDONESIAN, "em_alex", 0.85),)


class Answering:
    """Answers in the language that it is told to; fails where the caller says so."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def stream(
        self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[LlmEvent]:
        self.told.append(system)
        if "rusak" in messages[-1].text:
            raise LlmError("unavailable")
        yield TextDelta("Rp50.000." if "Indonesia" in system else "$50.")
        yield Completed("end_turn")

    async def ready(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is shared."""


def conversation(*words: str) -> tuple[Rig, Answering, list[str]]:
    model = Answering()
    rig = Rig(model=model, ears=EnergyRecognisers(words), also=ALSO)
    _, record = run_leaping(rig.call([sound(0.5) for _ in words]))
    return rig, model, [turn.heard_text for turn in record.turns]


def test_the_bot_goes_over_to_the_caller_s_language_and_back() -> None:
    rig, model, heard = conversation(
        "How much is it?", "[id] Berapa biaya periksa?", "[id] Okay.", "[en] Sorry, how much in dollars?"
    )
    assert heard == [GREETING, "$50.", "Rp50.000.", "Rp50.000.", "$50."]
    assert ["Indonesia" in system for system in model.told] == [False, True, True, False]
    (voice,) = rig.voices.made
    assert voice.spoken[1:] == [
        "fifty dollars.",
        "lima puluh ribu rupiah.",
        "lima puluh ribu rupiah.",
        "fifty dollars.",
    ]
    spoken_as = [(said.voice, said.language, said.speed) for said in voice.deliveries[1:]]
    english, indonesian = ("af_heart", "en", 1.0), ("em_alex", "id", 0.85)
    assert spoken_as == [english, indonesian, indonesian, english]


def test_a_caller_may_change_with_every_question_however_plain_its_words() -> None:
    _, model, _ = conversation("[id] Berapa biaya periksa?", "[en] How much is it?", "[id] Jam berapa buka?")
    assert ["Indonesia" in system for system in model.told] == [True, False, True]


def test_a_word_or_a_name_in_it_changes_nothing() -> None:
    _, model, heard = conversation("How much is it?", "[id] Okay.", "[id] Budi Santoso.")
    assert heard == [GREETING, "$50.", "$50.", "$50."]
    assert not any("Indonesia" in system for system in model.told)


def test_prompts_follow() -> None:
    _, _, heard = conversation("[id] Berapa biaya periksa?", "[id] Semuanya rusak sekarang.")
    assert heard == [GREETING, "Rp50.000.", "Maaf, ulangi."]
    _, _, heard = conversation("[id] Berapa biaya periksa?", "[id] ")
    assert heard[-1] == "Kurang jelas."
    assert heard[-1] != REPROMPT


def test_a_bot_of_one_language_takes_every_word_for_it() -> None:
    model = Answering()
    rig = Rig(model=model, ears=EnergyRecognisers(["[id] Berapa biaya periksa?"]))
    run_leaping(rig.call([sound(0.5)]))
    assert not any("Indonesia" in system for system in model.told)


@pytest.mark.parametrize("words", ["Iya, baik.", "Yeah, okay."])
def test_a_listener_agrees_in_either_language_and_the_bot_goes_on(words: str) -> None:
    stage = Stage(answers("We open at nine in the morning and close at six."), also=ALSO)
    caller = [
        utterance("asks", [Breath("What time do you open?")]),
        utterance("agrees", [Breath(words)], interrupt_after_s=1.0),
    ]
    _, record = run_leaping(stage.call(caller, None, Manners(quiet_s=2.5)))
    assert [(turn.caller_text, turn.interrupted) for turn in record.turns][1:] == [("What time do you open?", False)]
