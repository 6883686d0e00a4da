"""What one call is held with."""

from dataclasses import dataclass, field

from gateway.call.prompts import Prompts
from gateway.call.recording import Recording
from gateway.call.tongues import Tongue
from gateway.llm.base import LanguageModel
from gateway.stt.base import Prosody, Recogniser
from gateway.tools.base import Toolset
from gateway.tts.base import SpeechSession


@dataclass(frozen=True, slots=True)
class Engines:
    """This call's ears and voice, which the session opens and closes, and what it shares with others."""

    ears: Recogniser
    model: LanguageModel
    voice: SpeechSession
    prompts: Prompts
    recording: Recording | None = None
    tools: Toolset = field(default_factory=Toolset)
    tongues: tuple[Tongue, ...] = ()  # other languages that the caller may go over to
    prosody: Prosody | None = None
