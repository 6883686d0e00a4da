"""The client's half of the TTS session without its socket: what was asked, what is at the worker, what was delivered.

Deny by default: an audio frame passes only when its number belongs to a request that is alive on this connection, so
nothing late of a cancelled request is ever heard. After a lost connection the unfinished requests are asked again in
order; of one that was partly delivered the samples already delivered are skipped. That is exact because a request's
audio has the same length each time: Kokoro's durations come from the text alone.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import structlog

from gateway.errors import TtsError
from gateway.tts.base import Delivery, SpeechAudio, SpeechBegan, SpeechDone, SpeechEvent, SpeechFailed, SpeechWords
from media.formats import BYTES_PER_SAMPLE_PCM16
from media.tts_wire import (
    PROTOCOL,
    ErrorCode,
    Framing,
    Type,
    WireError,
    Word,
    decode_control,
    encode_control,
    untag_audio,
)

log = structlog.get_logger(__name__)

# Sentences that wait in this process: a very long reply. Text only, so it costs little.
MAX_WAITING = 256
# So much speech that nobody took; then the socket is left unread, and the worker waits in turn.
HIGH_MARK_S = 10.0


@dataclass(slots=True)
class _Request:
    id: int
    text: str = field(repr=False)
    asked_s: float
    delivery: Delivery
    began: bool = False
    delivered_bytes: int = 0
    # Of this connection: how much was delivered on an earlier one, and the words told so far.
    skip_bytes: int = 0
    words: list[Word] = field(default_factory=list, repr=False)
    words_delivered: int = 0


class Ledger:
    """Ask with `add` and `cancel`, send what `take` gives, feed `receive`, and hand on what `next_event` gives."""

    def __init__(self, voice: str, language: str, speed: float, rate_hz: int, outstanding: int) -> None:
        self.rate_hz = rate_hz
        self.ready = False  # the worker has accepted the session of this connection
        self._held = False  # this connection is about to be left: it gets no more sentences
        self._progress_s = 0.0  # when the worker last delivered something of a request
        self._lost_s: float | None = None  # when the connection was lost, if nothing was delivered since
        self._delivery = {"voice": voice, "language": language, "speed": speed, "sample_rate": rate_hz}
        self._outstanding = outstanding
        self._last_id = 0
        self._waiting: deque[_Request] = deque()
        self._at_worker: dict[str, _Request] = {}
        self._numbers: dict[int, _Request] = {}
        self._controls: deque[str] = deque()
        self._events: deque[SpeechEvent] = deque()
        self._event_bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether so much is undelivered that no more should be read."""
        return self._event_bytes >= HIGH_MARK_S * self.rate_hz * BYTES_PER_SAMPLE_PCM16

    @property
    def waits_since_s(self) -> float | None:
        """Since when the oldest request has had no chance of progress; None when there is no request."""
        oldest = next(iter(self._at_worker.values()), None) or (self._waiting[0] if self._waiting else None)
        return None if oldest is None else max(oldest.asked_s, self._progress_s, self._lost_s or 0.0)

    @property
    def is_idle(self) -> bool:
        """Whether the worker owes nothing on this connection."""
        return not self._at_worker

    def hold(self) -> None:
        """Give this connection no more sentences; they go to the next one."""
        self._held = True

    def add(self, text: str, now_s: float, delivery: Delivery | None = None) -> int:
        """Queue a sentence and return its id; beyond MAX_WAITING it fails with `queue_full`."""
        self._last_id += 1
        if self.ready and self.waits_since_s is None:
            self._lost_s = None  # an old loss, and nothing has suffered from it
        if len(self._waiting) >= MAX_WAITING:
            self._emit(SpeechFailed(self._last_id, "queue_full", f"{MAX_WAITING} sentences are waiting"))
        else:
            self._waiting.append(_Request(self._last_id, text, now_s, delivery or Delivery()))
        return self._last_id

    def cancel(self) -> None:
        """Forget every request and every event not handed on; the worker is told when it has any."""
        if self._at_worker:
            self._controls.append(encode_control(Type.CANCEL))
        self._forget_connection()
        self._waiting.clear()
        self._events.clear()
        self._event_bytes = 0

    def connect(self) -> str:
        """Begin on a new connection: return its first message; what is unfinished will be asked again, in order."""
        return encode_control(Type.SESSION, protocol=PROTOCOL, framing=Framing.TAGGED.value, **self._delivery)

    def disconnect(self, now_s: float) -> None:
        """The connection is gone. One that delivered nothing moves no deadline, however often it comes back."""
        if self._lost_s is None:
            self._lost_s = now_s
        for request in self._at_worker.values():
            request.skip_bytes = request.delivered_bytes
            request.words = []
        self._waiting.extendleft(reversed(self._at_worker.values()))
        self._forget_connection()
        self._controls.clear()
        self.ready = self._held = False

    def take(self) -> str | None:
        """Return the next message for the worker, None when there is none or enough is outstanding."""
        if not self.ready:
            return None
        if self._controls:
            return self._controls.popleft()
        if self._held or not self._waiting or len(self._at_worker) >= self._outstanding:
            return None
        request = self._waiting.popleft()
        self._at_worker[str(request.id)] = request
        return encode_control(
            Type.SYNTHESIZE, text=request.text, request_id=str(request.id), **request.delivery.fields()
        )

    def receive(self, data: str | bytes, now_s: float) -> None:
        """Take one frame of the worker. Raises TtsError when the connection is no use: `retryable` on another one."""
        try:
            if isinstance(data, bytes) and not data.startswith(b"{"):
                self._take_audio(*untag_audio(data), now_s)
            else:
                self._take_control(decode_control(data), now_s)
        except (WireError, KeyError, TypeError, ValueError) as error:
            raise TtsError("worker_protocol", f"the worker sent {type(error).__name__}", retryable=True) from error

    def give_up_waiting(self, asked_before_s: float) -> None:
        """The worker stayed away: what was asked before that time ends in SpeechFailed."""
        self._fail("worker_lost", [request for request in self._waiting if request.asked_s <= asked_before_s])

    def give_up_spoken(self, now_s: float) -> None:
        """The worker delivers nothing: what it has ends in SpeechFailed, what waits here gets its chance elsewhere."""
        self._fail("worker_stalled", list(self._at_worker.values()))
        self._progress(now_s)

    def next_event(self) -> SpeechEvent | None:
        """Return the next event in order, None when there is none yet."""
        if not self._events:
            return None
        event = self._events.popleft()
        if isinstance(event, SpeechAudio):
            self._event_bytes -= len(event.pcm)
        return event

    def _take_audio(self, number: int, pcm: memoryview, now_s: float) -> None:
        request = self._numbers.get(number)
        if request is None:
            return
        self._progress(now_s)
        skipped = min(request.skip_bytes, len(pcm))
        request.skip_bytes -= skipped
        if skipped < len(pcm):
            request.delivered_bytes += len(pcm) - skipped
            self._emit(SpeechAudio(request.id, bytes(pcm[skipped:])))

    def _take_control(self, body: dict[str, Any], now_s: float) -> None:
        kind = body["type"]
        if kind == Type.SESSION:
            if body["sample_rate"] != self.rate_hz or body["framing"] != Framing.TAGGED:
                raise WireError(ErrorCode.BAD_FIELD, "the worker chose another session")
            self.ready = True
            return
        request = self._at_worker.get(str(body.get("request_id")))
        if kind == Type.ERROR:
            self._take_error(request, str(body["code"]), str(body["message"]))
        elif request is not None:
            self._progress(now_s)
            self._take_answer(kind, request, body)

    def _take_answer(self, kind: str, request: _Request, body: dict[str, Any]) -> None:
        if kind == Type.SYNTHESIS_START:
            self._numbers[int(body["number"])] = request
            if not request.began:
                request.began = True
                self._emit(SpeechBegan(request.id))
        elif kind == Type.WORDS:
            request.words += [Word(**word) for word in body["words"]]
            if len(request.words) > request.words_delivered:
                request.words_delivered = len(request.words)
                self._emit(SpeechWords(request.id, tuple(request.words)))
        elif kind == Type.SYNTHESIS_COMPLETE:
            self._drop(request)
            self._emit(SpeechDone(request.id, request.delivered_bytes // BYTES_PER_SAMPLE_PCM16))

    def _take_error(self, request: _Request | None, code: str, message: str) -> None:
        if code in (ErrorCode.BUSY, ErrorCode.ENGINE_LOST):
            raise TtsError(code, message, retryable=True)
        if not self.ready:
            raise TtsError(code, message)
        if request is None:
            log.warning("worker_error", code=code)
            return
        self._drop(request)
        self._emit(SpeechFailed(request.id, code, message))

    def _progress(self, now_s: float) -> None:
        self._progress_s = now_s
        self._lost_s = None

    def _fail(self, code: str, requests: list[_Request]) -> None:
        for request in requests:
            self._drop(request)
            self._emit(SpeechFailed(request.id, code))

    def _drop(self, request: _Request) -> None:
        if self._at_worker.pop(str(request.id), None) is None:
            self._waiting.remove(request)
        self._numbers = {number: other for number, other in self._numbers.items() if other is not request}

    def _forget_connection(self) -> None:
        self._at_worker.clear()
        self._numbers.clear()

    def _emit(self, event: SpeechEvent) -> None:
        self._events.append(event)
        if isinstance(event, SpeechAudio):
            self._event_bytes += len(event.pcm)
