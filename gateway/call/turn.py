"""Whose turn it is: a table from (state, what happened) to (next state, what to do).

The theory. Two voices share one line. The bot is silent, thinking, or speaking; the caller is quiet, or makes a
sound that may or may not be speech. While the bot is silent every sound counts: it is heard out, and a long enough
silence ends the turn. While the bot thinks or speaks, a sound must last before it counts (barge-in); a cough
changes nothing. Whatever the caller said that has no answer yet stays unanswered until a reply is heard: a reply
that is abandoned before its first word is asked for again, together with what came after.

This file knows no time, no audio and no tasks. The session turns happenings into `Happening`s, carries out the
`Act`s, and owns the two timers: the end timer (silence that ends a turn) and the barge timer (speech that interrupts).
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class State(Enum):
    """What the two sides are doing."""

    LISTENING = auto()  # both quiet
    HEARING = auto()  # the caller speaks, or has paused for less than the end silence
    DECIDING = auto()  # the caller's turn is over; its words are being recognised
    THINKING = auto()  # a reply has been asked for and is not audible yet
    THINKING_OVER = auto()  # the same while the caller makes a sound
    SPEAKING = auto()  # the bot is audible
    SPEAKING_OVER = auto()  # the same while the caller makes a sound
    CLOSING = auto()  # the goodbye is on its way; nothing interrupts it
    OVER = auto()


class Happening(Enum):
    """What the session saw."""

    SPEECH_STARTED = auto()
    SPEECH_PAUSED = auto()
    END_SILENCE = auto()  # the end timer ran out
    BARGE_IN = auto()  # the barge timer ran out: the caller means it
    WORDS = auto()  # a recognition came, and something the caller said is unanswered
    NO_WORDS = auto()  # a recognition came, and there is nothing to answer
    PROMPT = auto()  # the session wants to say something of its own: greeting, reprompt, fallback
    REPLY_AUDIBLE = auto()  # the first frame of a reply or prompt went out
    REPLY_OVER = auto()  # it has been played to its end, or had nothing to say
    FAREWELL = auto()  # time to end the call politely: silence, hard cap, drain
    CALL_ENDED = auto()


class Act(Enum):
    """What the session is to do, in order."""

    START_END_TIMER = auto()
    STOP_END_TIMER = auto()
    START_BARGE_TIMER = auto()
    STOP_BARGE_TIMER = auto()
    COMMIT = auto()  # ask the recogniser for the final words
    DISCARD = auto()  # forget the sound: it was no turn
    REPLY = auto()  # answer what is unanswered, in place of any reply under way
    INTERRUPT = auto()  # cancel the model, the speech, the playout and the platform's queue; keep what was heard
    REPROMPT = auto()
    SAY_GOODBYE = auto()
    HANG_UP = auto()


S, H, A = State, Happening, Act

TABLE: Mapping[tuple[State, Happening], tuple[State, tuple[Act, ...]]] = MappingProxyType(
    {
        (S.LISTENING, H.SPEECH_STARTED): (S.HEARING, (A.STOP_END_TIMER,)),
        (S.LISTENING, H.END_SILENCE): (S.DECIDING, (A.COMMIT,)),  # a short "yes" at the tail of the bot's sentence
        (S.LISTENING, H.WORDS): (S.THINKING, (A.REPLY,)),
        (S.LISTENING, H.NO_WORDS): (S.LISTENING, ()),
        (S.LISTENING, H.PROMPT): (S.THINKING, ()),
        (S.HEARING, H.SPEECH_STARTED): (S.HEARING, (A.STOP_END_TIMER,)),
        (S.HEARING, H.SPEECH_PAUSED): (S.HEARING, (A.START_END_TIMER,)),
        (S.HEARING, H.END_SILENCE): (S.DECIDING, (A.COMMIT,)),
        (S.HEARING, H.WORDS): (S.HEARING, ()),  # they wait for the rest
        (S.HEARING, H.NO_WORDS): (S.HEARING, ()),
        (S.HEARING, H.PROMPT): (S.THINKING_OVER, ()),
        (S.DECIDING, H.SPEECH_STARTED): (S.HEARING, ()),
        (S.DECIDING, H.SPEECH_PAUSED): (S.HEARING, (A.START_END_TIMER,)),
        (S.DECIDING, H.WORDS): (S.THINKING, (A.REPLY,)),
        (S.DECIDING, H.NO_WORDS): (S.THINKING, (A.REPROMPT,)),
        (S.DECIDING, H.PROMPT): (S.THINKING, ()),
        (S.THINKING, H.SPEECH_STARTED): (S.THINKING_OVER, (A.STOP_END_TIMER, A.START_BARGE_TIMER)),
        (S.THINKING, H.END_SILENCE): (S.THINKING, (A.DISCARD,)),
        (S.THINKING, H.WORDS): (S.THINKING, (A.REPLY,)),
        (S.THINKING, H.NO_WORDS): (S.THINKING, ()),
        (S.THINKING, H.PROMPT): (S.THINKING, ()),
        (S.THINKING, H.REPLY_AUDIBLE): (S.SPEAKING, ()),
        (S.THINKING, H.REPLY_OVER): (S.LISTENING, ()),
        (S.THINKING_OVER, H.SPEECH_PAUSED): (S.THINKING, (A.STOP_BARGE_TIMER, A.START_END_TIMER)),
        (S.THINKING_OVER, H.BARGE_IN): (S.HEARING, (A.INTERRUPT,)),
        (S.THINKING_OVER, H.WORDS): (S.THINKING_OVER, (A.REPLY,)),
        (S.THINKING_OVER, H.NO_WORDS): (S.THINKING_OVER, ()),
        (S.THINKING_OVER, H.PROMPT): (S.THINKING_OVER, ()),
        (S.THINKING_OVER, H.REPLY_AUDIBLE): (S.SPEAKING_OVER, ()),
        (S.THINKING_OVER, H.REPLY_OVER): (S.HEARING, (A.STOP_BARGE_TIMER,)),
        (S.SPEAKING, H.SPEECH_STARTED): (S.SPEAKING_OVER, (A.STOP_END_TIMER, A.START_BARGE_TIMER)),
        (S.SPEAKING, H.END_SILENCE): (S.SPEAKING, (A.DISCARD,)),
        (S.SPEAKING, H.WORDS): (S.THINKING, (A.INTERRUPT, A.REPLY)),
        (S.SPEAKING, H.NO_WORDS): (S.SPEAKING, ()),
        (S.SPEAKING, H.PROMPT): (S.SPEAKING, ()),
        (S.SPEAKING, H.REPLY_AUDIBLE): (S.SPEAKING, ()),
        (S.SPEAKING, H.REPLY_OVER): (S.LISTENING, ()),
        (S.SPEAKING_OVER, H.SPEECH_PAUSED): (S.SPEAKING, (A.STOP_BARGE_TIMER, A.START_END_TIMER)),
        (S.SPEAKING_OVER, H.BARGE_IN): (S.HEARING, (A.INTERRUPT,)),
        (S.SPEAKING_OVER, H.WORDS): (S.THINKING_OVER, (A.INTERRUPT, A.REPLY)),
        (S.SPEAKING_OVER, H.NO_WORDS): (S.SPEAKING_OVER, ()),
        (S.SPEAKING_OVER, H.PROMPT): (S.SPEAKING_OVER, ()),
        (S.SPEAKING_OVER, H.REPLY_AUDIBLE): (S.SPEAKING_OVER, ()),
        (S.SPEAKING_OVER, H.REPLY_OVER): (S.HEARING, (A.STOP_BARGE_TIMER,)),
        (S.CLOSING, H.REPLY_OVER): (S.OVER, (A.HANG_UP,)),
        # Whatever is under way, the goodbye replaces it; after it nothing counts but its end.
        **{
            (state, H.FAREWELL): (S.CLOSING, (A.INTERRUPT, A.SAY_GOODBYE))
            for state in S
            if state not in (S.CLOSING, S.OVER)
        },
        **{(S.CLOSING, happening): (S.CLOSING, ()) for happening in H if happening not in (H.REPLY_OVER, H.CALL_ENDED)},
        **{(state, H.CALL_ENDED): (S.OVER, ()) for state in S},
        **{(S.OVER, happening): (S.OVER, ()) for happening in H},
    }
)


class ImpossibleTurn(Exception):
    """A happening that the table does not allow in this state: our bug, never the caller's."""

    def __init__(self, state: State, happening: Happening) -> None:
        super().__init__(f"{happening.name} cannot happen while {state.name}")
        self.state = state
        self.happening = happening


class Turn:
    """The state of one call's conversation."""

    def __init__(self) -> None:
        self.state = State.LISTENING

    def on(self, happening: Happening) -> tuple[Act, ...]:
        """Move to the next state and return what to do; ImpossibleTurn when the table has no such entry."""
        entry = TABLE.get((self.state, happening))
        if entry is None:
            raise ImpossibleTurn(self.state, happening)
        self.state, acts = entry
        return acts
