"""The truth of what was heard: from how long the scripted voice was audible."""

from dataclasses import replace

from gateway.bench.conversation_cases import REPLIES, question
from gateway.bench.heard_truth import words_off
from gateway.bench.leaping import leap
from gateway.bench.scripted_caller import Breath, utterance
from gateway.bench.stage import Stage, answers
from gateway.simulator.script import Manners


def test_history_is_compared_with_what_was_audible_by_words() -> None:
    sound = utterance("stop", [Breath("Stop, please.")], interrupt_after_s=2.0)
    trace, record = leap(Stage(answers(REPLIES[0])).call([question(1), sound], manners=Manners(2.5, 4.0, 12.0)))
    reply = next(turn for turn in record.turns if turn.interrupted)
    off = words_off(trace, reply)
    assert off <= 1
    heard = reply.heard_text.split()
    assert words_off(trace, replace(reply, heard_text=" ".join(heard[:-3]))) >= 2
