"""Whose turn it is: a table from (state, what happened) to (next state, what to do).

The theory. Two voices share one line. The bot is silent, thinking, or speaking; the caller is quiet, or makes a
sound that may or may not be speech. While the bot is silent every sound counts: it is heard out, and a silence that is
long enough for the words it follows ends the turn. While the bot thinks or speaks, a sound interrupts in two steps: one
that lasts makes the bot hold its breath, which costs nothing and can be taken back; words, or a sound too long to be
anything else, make it an interruption, which cannot. A cough, an "mm-hm" or an echo is let go, and the bot goes on
where it was. Whatever the caller said that has no answer yet stays unanswered until a reply is heard: a reply that is
abandoned before its first word is asked for again, together with what came after.

This file knows no time, no audio, no words and no tasks. The floor (floor.py) makes `Happening`s of what it sees,
carries out the `Act`s, and owns the timers: end (silence that ends a turn), barge (sound that makes the bot hold), long
(sound that interrupts without words) and resume (how long words are waited for before the bot goes on).
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class State(Enum):
    """What the two sides are doing."""

    LISTENING = auto()  # both quiet
    HEARING = auto()  # the caller speaks, or has paused for less than the end silence
    DECIDING = auto()  # the caller's turn is over; its words are being recognised
    THINKING = auto()  # a reply has been asked for, and the next of it is not audible yet
    THINKING_OVER = auto()  # the same while the caller makes a sound
    SPEAKING = auto()  # the bot is audible
    SPEAKING_OVER = auto()  # the same while the caller makes a sound
    PAUSED = auto()  # the bot holds its breath while the caller makes a sound
    WEIGHING = auto()  # the sound is over; what it meant is awaited
    SCREENING = auto()  # a call that we placed, and nobody knows yet whether a person has answered
    CLOSING = auto()  # the goodbye is on its way; nothing interrupts it
    OVER = auto()


BOT_HAS_THE_FLOOR: frozenset[State] = frozenset(
    (State.THINKING, State.THINKING_OVER, State.SPEAKING, State.SPEAKING_OVER, State.PAUSED, State.WEIGHING)
)


class Happening(Enum):
    """What the floor saw."""

    SPEECH_STARTED = auto()
    SPEECH_PAUSED = auto()
    PARTIAL = auto()  # more is known of the words
    PROSODY = auto()  # more is known of how the caller's pause sounds
    END_SILENCE = auto()  # the end timer ran out
    BARGE_IN = auto()  # the barge timer ran out: this is no click
    MEANT = auto()  # the caller interrupts: by words, or by a sound too long to be anything else
    MERE_SOUND = auto()  # the sound was no turn: a backchannel, an echo, or nothing came of it
    WORDS = auto()  # a recognition came, and something the caller said is unanswered
    KEY = auto()  # the caller presses a key
    KEYS = auto()  # what was keyed in is whole, and so is what was said with it
    MORE_TO_COME = auto()  # the same, and the words sound unfinished: the caller is given more time
    NO_WORDS = auto()  # a recognition came, and there is nothing to answer
    SCREEN = auto()  # who has answered is to be found out first
    PROMPT = auto()  # the greeting is due
    IDLE = auto()  # nobody has said anything for a while
    REPLY_AUDIBLE = auto()  # the first frame of a reply or prompt went out, or the next one after a pause
    REPLY_OVER = auto()  # it has been played to its end, or had nothing to say
    PARTING = auto()  # the model ends the call: what it has said is the goodbye
    FAREWELL = auto()  # time to end the call politely: silence, hard cap, drain
    CALL_ENDED = auto()


class Act(Enum):
    """What the floor is to do, in order."""

    START_END_TIMER = auto()
    STOP_END_TIMER = auto()
    REARM_END_TIMER = auto()  # if it runs: more is known of what was said, or the bot has fallen silent
    START_BARGE_TIMER = auto()
    START_LONG_TIMER = auto()
    STOP_BARGE_TIMER = auto()  # and the long timer
    START_RESUME_TIMER = auto()
    STOP_RESUME_TIMER = auto()
    COMMIT = auto()  # ask the recogniser for the final words
    DISCARD = auto()  # forget the sound: it was no turn
    SPECULATE = auto()  # ask the model in advance, if the words look whole
    DROP = auto()  # forget what was asked in advance: the caller goes on
    WEIGH = auto()  # judge the words: they may make MEANT or MERE_SOUND happen
    HOLD = auto()  # fall silent at once, to go on later
    RESUME = auto()  # go on where the bot fell silent
    REPLY = auto()  # answer what is unanswered, in place of any reply under way
    INTERRUPT = auto()  # cancel the model, the speech, the playout and the platform's queue; keep what was heard
    REPROMPT = auto()
    ASK_IF_THERE = auto()
    SAY_GOODBYE = auto()
    HANG_UP = auto()


S, H, A = State, Happening, Act
_NO_SOUND = (A.STOP_BARGE_TIMER,)
_GIVE_WAY = (A.STOP_BARGE_TIMER, A.INTERRUPT)
_GO_ON = (A.STOP_RESUME_TIMER, A.RESUME)
_KEY_OVER = (A.STOP_BARGE_TIMER, A.STOP_RESUME_TIMER, A.STOP_END_TIMER, A.INTERRUPT)
_YIELD = (A.STOP_RESUME_TIMER, A.INTERRUPT, A.START_END_TIMER)

TABLE: Mapping[tuple[State, Happening], tuple[State, tuple[Act, ...]]] = MappingProxyType(
    {
        (S.LISTENING, H.SPEECH_STARTED): (S.HEARING, (A.STOP_END_TIMER, A.DROP)),
        (S.LISTENING, H.PARTIAL): (S.LISTENING, (A.REARM_END_TIMER, A.SPECULATE)),
        (S.LISTENING, H.END_SILENCE): (S.DECIDING, (A.COMMIT,)),  # a short "yes" at the tail of the bot's sentence
        (S.LISTENING, H.MERE_SOUND): (S.LISTENING, (A.DISCARD,)),
        (S.LISTENING, H.WORDS): (S.THINKING, (A.REPLY,)),
        (S.LISTENING, H.NO_WORDS): (S.LISTENING, ()),
        (S.LISTENING, H.KEY): (S.HEARING, (A.STOP_END_TIMER, A.DROP)),
        (S.LISTENING, H.KEYS): (S.THINKING, (A.REPLY,)),
        (S.LISTENING, H.PROMPT): (S.THINKING, ()),
        (S.LISTENING, H.IDLE): (S.THINKING, (A.STOP_END_TIMER, A.ASK_IF_THERE)),
        (S.HEARING, H.SPEECH_STARTED): (S.HEARING, (A.STOP_END_TIMER, A.DROP)),
        (S.HEARING, H.SPEECH_PAUSED): (S.HEARING, (A.START_END_TIMER,)),
        (S.HEARING, H.PARTIAL): (S.HEARING, (A.REARM_END_TIMER, A.SPECULATE)),
        (S.HEARING, H.END_SILENCE): (S.DECIDING, (A.COMMIT,)),
        (S.HEARING, H.MERE_SOUND): (S.LISTENING, (A.DISCARD,)),
        (S.HEARING, H.WORDS): (S.HEARING, ()),  # they wait for the rest
        (S.HEARING, H.NO_WORDS): (S.HEARING, ()),
        (S.HEARING, H.KEY): (S.HEARING, (A.STOP_END_TIMER, A.DROP)),
        (S.HEARING, H.KEYS): (S.THINKING, (A.STOP_END_TIMER, A.REPLY)),
        (S.DECIDING, H.SPEECH_STARTED): (S.HEARING, (A.DROP,)),
        (S.DECIDING, H.KEY): (S.HEARING, (A.DROP,)),
        (S.DECIDING, H.KEYS): (S.THINKING, (A.REPLY,)),
        (S.DECIDING, H.PARTIAL): (S.DECIDING, ()),
        (S.DECIDING, H.WORDS): (S.THINKING, (A.REPLY,)),
        (S.DECIDING, H.MORE_TO_COME): (S.HEARING, (A.START_END_TIMER,)),
        (S.DECIDING, H.NO_WORDS): (S.THINKING, (A.REPROMPT,)),
        (S.DECIDING, H.MERE_SOUND): (S.LISTENING, ()),
        **{
            (state, H.PROSODY): (state, (A.REARM_END_TIMER,) if state in (S.LISTENING, S.HEARING) else ())
            for state in S
            if state not in (S.SCREENING, S.CLOSING, S.OVER)
        },
        # Nobody begins to speak while the other makes a sound; what is not audible yet is held at no cost.
        (S.THINKING, H.SPEECH_STARTED): (S.PAUSED, (A.STOP_END_TIMER, A.HOLD, A.START_BARGE_TIMER)),
        (S.THINKING, H.PARTIAL): (S.THINKING, (A.WEIGH,)),
        (S.THINKING, H.END_SILENCE): (S.THINKING, (A.DISCARD,)),
        (S.THINKING, H.MEANT): (S.HEARING, (A.INTERRUPT, A.START_END_TIMER)),
        (S.THINKING, H.MERE_SOUND): (S.THINKING, ()),
        (S.THINKING, H.WORDS): (S.THINKING, (A.REPLY,)),
        (S.THINKING, H.NO_WORDS): (S.THINKING, ()),
        (S.THINKING, H.REPLY_AUDIBLE): (S.SPEAKING, ()),
        (S.THINKING, H.REPLY_OVER): (S.LISTENING, (A.REARM_END_TIMER,)),
        (S.THINKING_OVER, H.SPEECH_PAUSED): (S.THINKING, (*_NO_SOUND, A.START_END_TIMER)),
        (S.THINKING_OVER, H.PARTIAL): (S.THINKING_OVER, (A.WEIGH,)),
        (S.THINKING_OVER, H.BARGE_IN): (S.PAUSED, (A.HOLD, A.START_LONG_TIMER)),
        (S.THINKING_OVER, H.MEANT): (S.HEARING, _GIVE_WAY),
        (S.THINKING_OVER, H.WORDS): (S.THINKING_OVER, (A.REPLY,)),
        (S.THINKING_OVER, H.NO_WORDS): (S.THINKING_OVER, ()),
        (S.THINKING_OVER, H.REPLY_AUDIBLE): (S.SPEAKING_OVER, ()),
        (S.THINKING_OVER, H.REPLY_OVER): (S.HEARING, _NO_SOUND),
        (S.SPEAKING, H.SPEECH_STARTED): (S.SPEAKING_OVER, (A.STOP_END_TIMER, A.START_BARGE_TIMER)),
        (S.SPEAKING, H.PARTIAL): (S.SPEAKING, (A.WEIGH,)),
        (S.SPEAKING, H.END_SILENCE): (S.SPEAKING, (A.DISCARD,)),
        (S.SPEAKING, H.MEANT): (S.HEARING, (A.INTERRUPT, A.START_END_TIMER)),
        (S.SPEAKING, H.MERE_SOUND): (S.SPEAKING, ()),
        (S.SPEAKING, H.WORDS): (S.THINKING, (A.INTERRUPT, A.REPLY)),
        (S.SPEAKING, H.NO_WORDS): (S.SPEAKING, ()),
        (S.SPEAKING, H.REPLY_AUDIBLE): (S.SPEAKING, ()),
        (S.SPEAKING, H.REPLY_OVER): (S.LISTENING, (A.REARM_END_TIMER,)),
        (S.SPEAKING_OVER, H.SPEECH_PAUSED): (S.SPEAKING, (*_NO_SOUND, A.START_END_TIMER)),
        (S.SPEAKING_OVER, H.PARTIAL): (S.SPEAKING_OVER, (A.WEIGH,)),
        (S.SPEAKING_OVER, H.BARGE_IN): (S.PAUSED, (A.HOLD, A.START_LONG_TIMER)),
        (S.SPEAKING_OVER, H.MEANT): (S.HEARING, _GIVE_WAY),
        (S.SPEAKING_OVER, H.WORDS): (S.THINKING_OVER, (A.INTERRUPT, A.REPLY)),
        (S.SPEAKING_OVER, H.NO_WORDS): (S.SPEAKING_OVER, ()),
        (S.SPEAKING_OVER, H.REPLY_AUDIBLE): (S.SPEAKING_OVER, ()),
        (S.SPEAKING_OVER, H.REPLY_OVER): (S.HEARING, _NO_SOUND),
        (S.PAUSED, H.SPEECH_PAUSED): (S.WEIGHING, (*_NO_SOUND, A.START_RESUME_TIMER, A.START_END_TIMER)),
        (S.PAUSED, H.PARTIAL): (S.PAUSED, (A.WEIGH,)),
        (S.PAUSED, H.BARGE_IN): (S.PAUSED, (A.START_LONG_TIMER,)),
        (S.PAUSED, H.MEANT): (S.HEARING, _GIVE_WAY),
        (S.PAUSED, H.WORDS): (S.THINKING_OVER, (*_GIVE_WAY, A.REPLY)),
        (S.PAUSED, H.NO_WORDS): (S.PAUSED, ()),
        (S.PAUSED, H.REPLY_OVER): (S.HEARING, (*_NO_SOUND, A.RESUME)),
        (S.WEIGHING, H.SPEECH_STARTED): (S.PAUSED, (A.STOP_RESUME_TIMER, A.STOP_END_TIMER, A.START_LONG_TIMER)),
        (S.WEIGHING, H.PARTIAL): (S.WEIGHING, (A.WEIGH,)),
        (S.WEIGHING, H.END_SILENCE): (S.THINKING, (*_GO_ON, A.DISCARD)),
        (S.WEIGHING, H.MEANT): (S.HEARING, _YIELD),
        (S.WEIGHING, H.MERE_SOUND): (S.THINKING, _GO_ON),
        (S.WEIGHING, H.WORDS): (S.THINKING, (A.STOP_RESUME_TIMER, A.INTERRUPT, A.REPLY)),
        (S.WEIGHING, H.NO_WORDS): (S.WEIGHING, ()),
        (S.WEIGHING, H.REPLY_OVER): (S.LISTENING, (*_GO_ON, A.REARM_END_TIMER)),
        (S.CLOSING, H.REPLY_OVER): (S.OVER, (A.HANG_UP,)),
        # What is heard is for whoever screens the call; a person who presses keys gives himself away.
        (S.LISTENING, H.SCREEN): (S.SCREENING, ()),
        **{(S.SCREENING, happening): (S.SCREENING, ()) for happening in H},
        (S.SCREENING, H.PROMPT): (S.THINKING, (A.DISCARD,)),
        (S.SCREENING, H.MERE_SOUND): (S.LISTENING, (A.DISCARD,)),
        (S.SCREENING, H.KEY): (S.HEARING, (A.DISCARD,)),
        # A key is no cough: the bot falls silent at once.
        **{(state, H.KEY): (S.HEARING, _KEY_OVER) for state in BOT_HAS_THE_FLOOR},
        # The goodbye replaces whatever is under way, or is what is under way; nothing counts any more but its end.
        **{
            (state, H.FAREWELL): (S.CLOSING, (A.DROP, A.INTERRUPT, A.SAY_GOODBYE))
            for state in S
            if state not in (S.CLOSING, S.OVER)
        },
        **{
            (state, H.PARTING): (S.CLOSING, (A.STOP_BARGE_TIMER, *_GO_ON, A.DROP))
            for state in S
            if state not in (S.CLOSING, S.OVER)
        },
        **{(S.CLOSING, happening): (S.CLOSING, ()) for happening in H if happening not in (H.REPLY_OVER, H.CALL_ENDED)},
        **{(state, H.CALL_ENDED): (S.OVER, (A.DROP,)) for state in S if state is not S.OVER},
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
