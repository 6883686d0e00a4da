"""One accepted request: what the engine gives for it, turned into the frames that answer it."""

from collections.abc import Callable
from typing import Any, Protocol

from media.tts_wire import ErrorCode, Framing, Type, encode_control, tag_audio
from tts_worker.engine import PieceAudio
from tts_worker.outbox import Frame
from tts_worker.rendering import Rendering, frames


class SpeechJob(Protocol):
    """The request at the scheduler."""

    def cancel(self) -> None: ...


class Utterance:
    """The scheduler's listener for one request. `say` takes frames for the client; `on_end` hears that it is over."""

    def __init__(
        self,
        number: int,
        request_id: str | int,
        rendering: Rendering,
        framing: Framing,
        say: Callable[[Frame], None],
        on_end: Callable[[], None],
    ) -> None:
        self.number = number
        self.request_id = request_id
        self.job: SpeechJob | None = None
        self.ended = False
        self._failure: tuple[ErrorCode, str] | None = None
        self._rendering = rendering
        self._framing = framing
        self._say = say
        self._on_end = on_end
        self._started_s = 0.0
        self._taken_s = 0.0

    def start(self, now_s: float) -> None:
        """Say that this request is the one being spoken."""
        self._started_s = now_s
        self._tell(Type.SYNTHESIS_START, sample_rate=self._rendering.rate_hz)

    def piece(self, audio: PieceAudio) -> None:
        """Say a piece: its words first, so that who hears a part of the audio can tell which words that was."""
        words, pcm = self._rendering.feed(audio)
        if words:
            self._tell(Type.WORDS, words=[word.as_json() for word in words])
        self._sound(pcm)

    def done(self) -> None:
        self.ended = True
        self._on_end()

    def failed(self, code: ErrorCode, message: str) -> None:
        self._failure = (code, message)
        self.done()

    def refuse(self, code: ErrorCode, message: str) -> None:
        """Stop the synthesis and let this be its end. What was queued for the client must have been revoked before."""
        if self.job is not None:
            self.job.cancel()
        self.failed(code, message)

    def complete(self, now_s: float) -> None:
        """Say how the request ended, when all before it have ended."""
        if self._failure is not None:
            code, message = self._failure
            self._tell(Type.ERROR, ends=True, code=code.value, message=message)
            return
        self._sound(self._rendering.flush())
        duration_s = round(self._rendering.duration_s, 4)
        self._tell(
            Type.SYNTHESIS_COMPLETE,
            ends=True,
            samples=self._rendering.samples,
            duration_s=duration_s,
            total_duration_s=duration_s,  # the public sample's name for it
            elapsed_s=round(now_s - self._started_s, 4),
        )

    def cancel(self) -> None:
        """Stop the synthesis and say so. What was queued for the client must have been revoked before."""
        if self.job is not None:
            self.job.cancel()
        self._tell(Type.CANCELLED, samples=round(self._taken_s * self._rendering.rate_hz))

    def taken(self, frame: Frame) -> None:
        """Be told that the socket took a frame of this request."""
        self._taken_s += frame.audio_s

    def _sound(self, pcm: bytes) -> None:
        for part in frames(pcm):
            data = tag_audio(self.number, part) if self._framing is Framing.TAGGED else part
            self._say(Frame(data, self.number, self._rendering.seconds(part)))

    def _tell(self, kind: Type, *, ends: bool = False, **fields: Any) -> None:
        text = encode_control(kind, request_id=self.request_id, number=self.number, **fields)
        self._say(Frame(text, self.number, ends_request=ends))
