"""What a bot says and how patient it is: plain values that the session is built from."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Script:
    """A bot's words and language."""

    language: str
    system_prompt: str = field(repr=False)
    greeting: str = field(repr=False)
    fallback: str = field(repr=False)
    reprompt: str = field(repr=False)
    goodbye: str = field(repr=False)

    def prompts(self) -> tuple[str, ...]:
        """The fixed sentences, to be kept as audio."""
        return (self.greeting, self.fallback, self.reprompt, self.goodbye)


@dataclass(frozen=True, slots=True)
class Timing:
    """A call's clocks and bounds."""

    end_silence_ms: int
    barge_in_ms: int
    lead_ms: int
    max_queue_s: float
    silence_s: float
    max_call_s: float
