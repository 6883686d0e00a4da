"""Random callers: whatever they do over the bot and when, the account of the call stays true."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.bench.scripted_caller import Breath, Utterance, utterance
from gateway.bench.stage import SCRIPT, Stage, answers
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from tests.rig.clock import run_leaping

REPLIES = (
    "We open at nine in the morning and close at six. On Saturday we open at ten.",
    "All right, I have noted it down for you. Is there anything else?",
)
_BREATHS = st.one_of(
    st.sampled_from(["Mm-hm.", "Yeah.", "Wait, I meant Sunday.", "No.", "Um,", "Hello?", "I would like to"]).map(
        Breath
    ),
    st.tuples(st.integers(1, 15), st.integers(5, 60)).map(lambda t: Breath("", seconds=t[0] / 10, level=t[1] * 100.0)),
)
_SOUNDS = st.tuples(
    st.lists(st.tuples(_BREATHS, st.integers(0, 12)), min_size=1, max_size=3), st.one_of(st.none(), st.integers(0, 40))
)


def _caller(sounds: list[tuple[list[tuple[Breath, int]], int | None]]) -> list[Utterance]:
    made = [utterance("asks", [Breath("What time do you open?")])]
    for number, (breaths, after) in enumerate(sounds):
        paused = [Breath(breath.text, pause * 100, breath.seconds, breath.level) for breath, pause in breaths]
        made.append(utterance(f"sound {number}", paused, None if after is None else after / 10))
    return made


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_SOUNDS, max_size=4), st.sampled_from([None, -20.0]), st.integers(0, 9))
def test_what_is_recorded_as_heard_was_said_and_what_was_not_interrupted_was_heard_whole(
    sounds: list[tuple[list[tuple[Breath, int]], int | None]], echo_db: float | None, late: int
) -> None:
    stage = Stage(answers(*REPLIES), behind_s=late / 10)
    faults = Faults(echo_db=echo_db, ack_delay_s=late / 5)
    trace, record = run_leaping(stage.call(_caller(sounds), faults, Manners(quiet_s=1.5, reply_s=6.0)))
    assert record.ended in ("stop", "goodbye")
    assert trace.violations == ()
    for turn in record.turns:
        assert turn.bot_text.startswith(turn.heard_text)
        last = turn is record.turns[-1]
        assert turn.interrupted or last or turn.heard_text == turn.bot_text.strip()
    assert record.turns[0].bot_text == SCRIPT.greeting
