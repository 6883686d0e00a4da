"""Every error the gateway raises, in one tree.

VoicebotError                 has a stable `code`, the `stage` it happened in and `retryable`
├── PeerFault                 the phone platform broke its protocol (codecs report it as a PeerError event instead)
├── Refused                   we will not take this call or request (signature, token, capacity, draining)
└── StageError                a stage of the call failed
    ├── SttError
    ├── LlmError
    ├── TtsError
    └── ToolError             something the model wanted done failed; the model is told, the call goes on

An error keeps its facts as attributes and builds its text from them. Foreign exceptions are translated where
they enter, with the cause kept. The operator's mistakes are config.errors.ConfigError.
"""

from typing import ClassVar


class VoicebotError(Exception):
    """Base: `code` is stable for logs and metrics, `detail` is for people, `retryable` for the caller's policy."""

    stage: ClassVar[str] = "gateway"

    def __init__(self, code: str, detail: str = "", *, retryable: bool = False) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.retryable = retryable

    def __str__(self) -> str:
        return f"{self.stage}: {self.code}: {self.detail}" if self.detail else f"{self.stage}: {self.code}"


class PeerFault(VoicebotError):
    """The phone platform or its REST API answered in a way its documentation does not allow."""

    stage = "platform"


class Refused(VoicebotError):
    """A request we turn away; `http_status` is the answer."""

    stage = "admission"

    def __init__(self, code: str, detail: str = "", *, http_status: int = 403, retryable: bool = False) -> None:
        super().__init__(code, detail, retryable=retryable)
        self.http_status = http_status


class StageError(VoicebotError):
    """A stage of the call failed; the session decides what the caller hears."""


class SttError(StageError):
    """Recognition failed."""

    stage = "stt"


class LlmError(StageError):
    """The language model failed or was too slow."""

    stage = "llm"


class TtsError(StageError):
    """Synthesis failed."""

    stage = "tts"


class ToolError(StageError):
    """A tool failed; `detail` is what the model is told."""

    stage = "tool"
