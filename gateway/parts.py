"""What all calls of a gateway share."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.llm.base import LanguageModel
from gateway.platforms.base import Platform
from gateway.platforms.control import CallControl
from gateway.platforms.shelf import Shelf
from gateway.stt.base import Prosody, RecogniserFactory
from gateway.tts.base import SpeechFactory


@dataclass(frozen=True, slots=True)
class Parts:
    """The engines, the platforms and what they are controlled with."""

    ears: RecogniserFactory
    model: LanguageModel
    voice: SpeechFactory
    platforms: Mapping[str, Platform]
    controls: Mapping[str, CallControl]
    shelf: Shelf | None = None  # documents that platforms fetch
    base_url: str = ""  # where platforms reach us
    prosody: Prosody | None = None  # without it the words alone tell whether a turn is over

    async def close(self) -> None:
        """Release the engines."""
        for engine in (self.voice, self.model, self.ears, self.prosody):
            if engine is not None:
                await engine.close()


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a socket may take for its first and for every further step, and a signed request is remembered."""

    first_message_s: float
    send_timeout_s: float
    replay_s: float = 0.0
