"""What a bot says and how patient it is: plain values that the session is built from."""

from dataclasses import dataclass, field

from gateway.call.answering import AnsweringRules
from gateway.call.keying.keypad import KeyRules

# What a bot does when an answering machine has taken the call that it placed.
TALK, HANG_UP, LEAVE_MESSAGE = "talk", "hang_up", "leave_message"


@dataclass(frozen=True, slots=True)
class Script:
    """A bot's words and language."""

    language: str
    system_prompt: str = field(repr=False)
    greeting: str = field(repr=False)
    fallback: str = field(repr=False)
    reprompt: str = field(repr=False)
    goodbye: str = field(repr=False)
    still_there: str = field(default="", repr=False)  # asked when nobody has said anything for a while
    fillers: tuple[str, ...] = field(default=(), repr=False)  # said in turn while a reply is slow

    machine: str = TALK
    message: str = field(default="", repr=False)  # what LEAVE_MESSAGE says
    answering: AnsweringRules = AnsweringRules()

    def prompts(self) -> tuple[str, ...]:
        """The fixed sentences, to be kept as audio."""
        others = (self.fallback, self.reprompt, self.goodbye, self.still_there, self.message)
        return (self.greeting, *others, *self.fillers)


@dataclass(frozen=True, slots=True)
class Timing:
    """A call's clocks and bounds."""

    end_silence_ms: int
    barge_in_ms: int
    lead_ms: int
    max_queue_s: float
    silence_s: float
    max_call_s: float
    # Silences that end a turn whose words are whole, or surely not; `end_silence_ms` is for what is in between.
    whole_silence_ms: int = 350
    unfinished_silence_ms: int = 1100
    # How long words are waited for after a sound over the bot before it goes on.
    resume_ms: int = 700
    # Whether the model is asked in advance at a pause that may be the end of the turn.
    speculate: bool = True
    # Whether callers may interrupt the greeting.
    greeting_yields: bool = True
    # Without a word from either side for so long the caller is asked if still there; 0 never asks.
    idle_s: float = 0.0
    # A reply that has not begun after so long is announced by a filler; 0 never.
    filler_s: float = 0.0
    # A model that has begun and dribbles is cut loose at a word after so long without a whole sentence.
    dribble_s: float = 2.5
    keys: KeyRules = KeyRules()
