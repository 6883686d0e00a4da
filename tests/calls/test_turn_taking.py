"""Whole calls in which callers hesitate, listen aloud, cough, interrupt and echo: who has the floor, what is heard."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest

from gateway.bench.scripted_caller import Breath, Utterance, utterance
from gateway.bench.scripted_voice import CHAR_S
from gateway.bench.stage import SCRIPT, TIMING, Stage, answers
from gateway.call.record import CallRecord
from gateway.llm.base import LlmEvent, Message, Tool
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.call import CallTrace
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from tests.rig.clock import run_leaping

LONG = "We open at nine in the morning and close at six. On Saturday we open at ten, and on Sunday we are closed."
QUESTION = utterance("question", [Breath("What time do you open?")])


class Model(ScriptedModel):
    """Remembers what it was asked."""

    def __init__(self, *replies: str, first_token_s: float = 0.4, tokens_per_s: float = 60.0) -> None:
        super().__init__(replies, first_token_s, tokens_per_s)
        self.asked: list[str] = []

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        self.asked.append(messages[-1].text)
        return super().stream(messages, system, tools)


def over(name: str, *breaths: Breath, after_s: float = 2.0) -> Utterance:
    return utterance(name, breaths, interrupt_after_s=after_s)


def held(
    *utterances: Utterance, stage: Stage | None = None, faults: Faults | None = None
) -> tuple[CallTrace, CallRecord]:
    stage = stage or Stage(Model(LONG, "Fine."))
    return run_leaping(stage.call([QUESTION, *utterances], faults, Manners(quiet_s=2.5, reply_s=12.0)))


def audible_s(trace: CallTrace, from_s: float, until_s: float) -> float:
    """For how long the bot was audible, pauses left out."""
    steps = range(round((until_s - from_s) / 0.01))
    return (
        sum(trace.playback.audible(from_s + n * 0.01 + 0.002, from_s + n * 0.01 + 0.008) is not None for n in steps)
        * 0.01
    )


# The end of a turn.


@pytest.mark.parametrize("pause_ms", [600, 700, 800, 900])
@pytest.mark.parametrize("begun", ["I would like to, um,", "I'd like to book a table for", "My number is 555"])
def test_a_hesitation_inside_a_sentence_is_waited_for(pause_ms: int, begun: str) -> None:
    asks = utterance("asks", [Breath(begun, pause_ms), Breath("1234567 please.")])
    _, record = held(asks)
    assert [turn.caller_text for turn in record.turns][2:] == [f"{begun} 1234567 please."]


def test_a_whole_sentence_is_answered_after_a_short_silence() -> None:
    _, record = held()
    assert record.turns[1].stages_ms()["end_of_turn_wait"] == pytest.approx(TIMING.whole_silence_ms, abs=30)


def test_f35_a_turn_that_ended_by_mistake_is_taken_together_with_the_rest() -> None:
    model = Model(LONG)
    asks = utterance("asks", [Breath("I have a question.", 600), Breath("What time do you open?")])
    trace, record = run_leaping(Stage(model).call([asks], None, Manners(quiet_s=2.5)))
    assert model.asked[-1].replace("\n", " ") == "I have a question. What time do you open?"
    assert [turn.heard_text for turn in record.turns] == [SCRIPT.greeting, LONG]
    assert audible_s(trace, trace.spoken[0].end_s, trace.duration_s) == pytest.approx(len(LONG) * CHAR_S, abs=0.15)


# The model is asked in advance.


def test_the_model_is_asked_once_and_its_time_is_saved() -> None:
    model = Model(LONG)
    _, record = held(stage=Stage(model))
    assert model.asked == ["What time do you open?"]
    eager = record.turns[1].stages_ms()["total"]
    _, record = held(stage=Stage(Model(LONG), timing=replace(TIMING, speculate=False)))
    assert record.turns[1].stages_ms()["total"] - eager >= 80


def test_what_was_asked_in_vain_is_neither_heard_nor_remembered() -> None:
    model = Model("Never heard.", LONG)
    asks = utterance("asks", [Breath("I have a question.", 240), Breath("What time do you open?")])
    _, record = run_leaping(Stage(model, behind_s=0.02).call([asks], None, Manners(quiet_s=2.5)))
    assert model.asked == ["I have a question.", "I have a question. What time do you open?"]
    assert [turn.bot_text for turn in record.turns] == [SCRIPT.greeting, LONG]


# Over the bot.


@pytest.mark.parametrize(
    "breath",
    [
        Breath("Mm-hm.", seconds=0.4),
        Breath("Yeah, okay."),
        Breath("", seconds=0.3),
        Breath("", seconds=0.6),
        Breath("", seconds=1.2),
        Breath("", seconds=0.12),
    ],
)
@pytest.mark.parametrize("after_s", [0.3, 1.5, 3.0])
def test_f42_f45_listening_aloud_and_noise_cost_no_word(breath: Breath, after_s: float) -> None:
    trace, record = held(over("sound", breath, after_s=after_s))
    assert [(turn.heard_text, turn.interrupted) for turn in record.turns] == [(SCRIPT.greeting, False), (LONG, False)]
    began_s = trace.spoken[0].end_s
    assert audible_s(trace, began_s, trace.duration_s) == pytest.approx(len(LONG) * CHAR_S, abs=0.15)
    assert trace.violations == ()


def test_f45_noise_again_and_again_makes_the_bot_harder_to_stop() -> None:
    noise = Breath("", 500, seconds=0.3)
    trace, record = held(over("noise", noise, noise, noise, noise, after_s=0.5))
    assert [turn.heard_text for turn in record.turns] == [SCRIPT.greeting, LONG]
    assert trace.duration_s < 22.0


@pytest.mark.parametrize("after_s", [0.2, 1.0, 2.7, 4.1])
def test_f01_real_words_stop_the_bot_at_once_and_history_ends_where_it_was_heard(after_s: float) -> None:
    model = Model(LONG, "Fine.")
    trace, record = held(over("stop", Breath("Wait, I meant Sunday."), after_s=after_s), stage=Stage(model))
    cut, speech = record.turns[1], trace.spoken[1]
    assert cut.interrupted
    assert audible_s(trace, speech.start_s + 0.35, speech.end_s) == pytest.approx(0.0, abs=0.01)
    heard_chars = audible_s(trace, trace.spoken[0].end_s, speech.end_s) / CHAR_S
    truth = len(LONG[: round(heard_chars)].split())
    assert abs(len(cut.heard_text.split()) - truth) <= 1
    assert record.turns[-1].heard_text == "Fine."
    assert model.asked[-1].endswith("Wait, I meant Sunday.")


def test_f41_a_yes_at_the_tail_of_a_question_is_its_answer() -> None:
    question = "Shall I book it for you?"
    late = over("yes", Breath("Yes.", seconds=0.4), after_s=len(question) * CHAR_S - 0.25)
    model = Model(question, "Done.")
    _, record = held(late, stage=Stage(model))
    assert model.asked[-1] == "Yes."
    assert [turn.heard_text for turn in record.turns] == [SCRIPT.greeting, question, "Done."]


def test_f43_a_greeting_that_does_not_yield_is_heard_to_its_end() -> None:
    stage = Stage(Model("Fine."), timing=replace(TIMING, greeting_yields=False))
    early = over("early", Breath("Wait, I have a question."), after_s=0.3)
    _, record = run_leaping(stage.call([early], None, Manners(quiet_s=2.5)))
    assert record.turns[0].heard_text == SCRIPT.greeting
    assert not record.turns[0].interrupted


@pytest.mark.parametrize("echo_db", [-20.0, -12.0])
def test_f44_an_echo_neither_interrupts_nor_is_answered(echo_db: float) -> None:
    model = Model(LONG, "Fine.")
    trace, record = held(
        utterance("thanks", [Breath("Thank you very much.")]),
        stage=Stage(model),
        faults=Faults(echo_db=echo_db, echo_delay_s=0.15),
    )
    assert model.asked == ["What time do you open?", "Thank you very much."]
    assert [turn.heard_text for turn in record.turns] == [SCRIPT.greeting, LONG, "Fine."]
    assert trace.gaps == ()


def test_f44_a_caller_with_an_echo_can_interrupt() -> None:
    stop = over("stop", Breath("Wait, I meant Sunday."), after_s=2.0)
    trace, record = held(stop, faults=Faults(echo_db=-20.0))
    assert record.turns[1].interrupted
    speech = trace.spoken[1]
    assert audible_s(trace, speech.start_s + 0.4, speech.end_s) == pytest.approx(0.0, abs=0.01)


# Silence and trouble.


def test_an_idle_caller_is_asked_and_then_left() -> None:
    script = replace(SCRIPT, still_there="Are you still there?")
    stage = Stage(Model("x"), script=script, timing=replace(TIMING, idle_s=8.0, silence_s=20.0))
    trace, record = run_leaping(stage.call([], None, Manners(quiet_s=60.0)))
    assert [turn.heard_text for turn in record.turns] == [SCRIPT.greeting, *[script.still_there] * 2, SCRIPT.goodbye]
    assert record.ended == "goodbye"
    assert trace.duration_s == pytest.approx(24.0, abs=2.0)


def test_an_idle_caller_who_answers_is_served() -> None:
    script = replace(SCRIPT, still_there="Are you still there?")
    stage = Stage(Model("Good."), script=script, timing=replace(TIMING, idle_s=3.0, silence_s=20.0))
    here = over("here", Breath("Yes, I am here."), after_s=6.8)  # a moment after it was asked
    _, record = run_leaping(stage.call([here], None, Manners(quiet_s=2.5)))
    assert "Good." in [turn.heard_text for turn in record.turns]
    assert record.ended == "stop"


def test_f73_noise_is_asked_about_twice_and_then_left_alone() -> None:
    noises = [utterance(f"noise {n}", [Breath("", seconds=0.4)]) for n in range(4)]
    stage = Stage(Model("x"), timing=replace(TIMING, silence_s=12.0))
    _, record = run_leaping(stage.call(noises, None, Manners(quiet_s=2.5, reply_s=3.0)))
    assert [turn.heard_text for turn in record.turns].count(SCRIPT.reprompt) == 2


def test_f73_the_silence_clock_runs_on_after_a_sound_without_words() -> None:
    stage = Stage(Model("x"), timing=replace(TIMING, silence_s=8.0))
    noise = utterance("noise", [Breath("", seconds=0.4)])
    _, record = run_leaping(stage.call([noise], None, Manners(quiet_s=60.0, reply_s=60.0)))
    assert record.ended == "goodbye"


FILLERS = ("One moment, please.", "Let me see.", "Just a second.")


def test_f120_a_slow_model_is_bridged_by_fillers_that_vary_and_are_let_finish() -> None:
    stage = Stage(
        Model("We open at nine.", first_token_s=2.0),
        script=replace(SCRIPT, fillers=FILLERS),
        timing=replace(TIMING, filler_s=1.2),
    )
    again = [utterance(f"again {n}", [Breath("And on Sunday?")]) for n in range(3)]
    trace, record = held(*again, stage=stage)
    assert [turn.heard_text for turn in record.turns][1:] == ["We open at nine."] * 4
    lengths = []
    for spoken in trace.spoken:
        said = audible_s(trace, spoken.end_s, spoken.end_s + 6.0) - len("We open at nine.") * CHAR_S
        lengths.append(min(FILLERS, key=lambda text: abs(len(text) * CHAR_S - said)))
        assert abs(len(lengths[-1]) * CHAR_S - said) < 0.1
    assert all(a != b for a, b in zip(lengths, lengths[1:], strict=False))


def test_a_model_that_is_fast_needs_no_filler() -> None:
    stage = Stage(Model(LONG), script=replace(SCRIPT, fillers=FILLERS), timing=replace(TIMING, filler_s=1.2))
    trace, _ = held(stage=stage)
    assert audible_s(trace, trace.spoken[0].end_s, trace.duration_s) == pytest.approx(len(LONG) * CHAR_S, abs=0.15)


class Dribbling(Model):
    """Says a few words and falls asleep."""

    async def _dribble(self) -> AsyncGenerator[LlmEvent]:
        async for event in answers("We open at nine in the ", tokens_per_s=20).stream([], ""):
            if type(event).__name__ != "Completed":
                yield event
        async for event in answers("morning.", first_token_s=9.0).stream([], ""):
            yield event

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        self.asked.append(messages[-1].text)
        return self._dribble()


def test_f68_a_dribbling_model_is_cut_loose_at_a_word_and_hello_is_no_question() -> None:
    model = Dribbling("unused")
    hello = utterance("hello", [Breath("Hello?", seconds=0.5)])
    stage = Stage(model)
    trace, record = run_leaping(stage.call([QUESTION, hello], None, Manners(quiet_s=2.2, reply_s=20.0)))
    assert model.asked == ["What time do you open?"]
    first = trace.playback.first_frame_s(trace.spoken[0].end_s)
    assert first is not None
    assert first - trace.spoken[0].end_s < 4.0
    assert record.turns[1].heard_text == "We open at nine in the morning."


def test_f07_a_reply_longer_than_the_silence_clock_is_heard_to_its_end() -> None:
    minute = " ".join([LONG] * 8)
    stage = Stage(Model(minute), timing=replace(TIMING, silence_s=15.0))
    _, record = run_leaping(stage.call([QUESTION], None, Manners(quiet_s=2.5)))
    assert record.turns[1].heard_text == minute
    assert record.ended == "stop"


def test_f04_marks_that_a_clear_returns_in_a_burst_do_not_count_as_heard() -> None:
    reply = "One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten. Eleven. Twelve."
    _, record = held(over("stop", Breath("Wait, I meant Sunday."), after_s=0.9), stage=Stage(Model(reply, "Fine.")))
    assert 2 <= len(record.turns[1].heard_text.split()) <= 6
