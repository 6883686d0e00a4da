"""What the caller heard of a reply, by the simulator's speaker, against what the gateway believes was heard."""

from gateway.bench.scripted_voice import CHAR_S
from gateway.call.record import TurnRecord
from gateway.simulator.call import CallTrace

_STEP_S = 0.01


def words_off(trace: CallTrace, reply: TurnRecord) -> int:
    """By how many words the history is off, for a reply between the caller's first and second turn.

    A character of the scripted voice is CHAR_S long, so how long it was audible tells the words.
    """
    begin_s, end_s = trace.spoken[0].end_s, trace.spoken[1].end_s
    steps = round((end_s - begin_s) / _STEP_S)
    middles = (begin_s + (step + 0.5) * _STEP_S for step in range(steps))
    audible_s = sum(trace.playback.audible(at - 0.002, at + 0.002) is not None for at in middles) * _STEP_S
    truth = reply.bot_text[: round(audible_s / CHAR_S)]
    return abs(len(truth.split()) - len(reply.heard_text.split()))
