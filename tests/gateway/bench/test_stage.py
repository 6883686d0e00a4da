"""The stage: a whole scripted call in memory."""

from gateway.bench.leaping import leap
from gateway.bench.scripted_caller import Breath, utterance
from gateway.bench.stage import SCRIPT, Stage, answers


def test_a_scripted_call_is_held_and_recorded() -> None:
    asks = utterance("asks", [Breath("What time do you open?")])
    trace, record = leap(Stage(answers("At nine.")).call([asks]))
    assert [turn.heard_text for turn in record.turns] == [SCRIPT.greeting, "At nine."]
    assert trace.violations == ()
