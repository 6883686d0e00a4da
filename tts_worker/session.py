"""One client's session without its socket: control frames and engine results in, wire frames out.

Requests are answered in the order they came. The oldest is the one being spoken; those behind it wait, and what is
known early about them (nothing to say, refused by the engine) is told when they get there. A bad message is answered
with an error and changes nothing else.
"""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, Protocol

from media.tts_wire import PROTOCOL, ErrorCode, Framing, Type, WireError, decode_control, encode_control
from tts_worker.job import Busy, Listener
from tts_worker.outbox import Close, Frame, Outbox
from tts_worker.rendering import Rendering
from tts_worker.request import ENCODINGS, Delivery, RequestReader, SpeechRequest, request_id
from tts_worker.utterance import SpeechJob, Utterance

# Sentences one client may have waiting: a long reply sent in one go. The gateway keeps three.
MAX_SESSION_REQUESTS = 64

CLOSE_DONE = Close(1000, "closed by the client")
CLOSE_IDLE = Close(1000, "idle for too long")
CLOSE_TIME_UP = Close(1000, "the session's time is up; connect again")
CLOSE_STALLED = Close(1008, "the client does not read")
CLOSE_DRAINING = Close(1012, "the worker is stopping; connect again")
# To requests that are unfinished when the time for it is over.
CUT = "the worker has stopped; use another worker"


class Speakers(Protocol):
    """What a session needs of the scheduler; `submit` raises Busy."""

    def submit(self, session: Hashable, request: SpeechRequest, listener: Listener) -> SpeechJob: ...

    def hold(self, session: Hashable) -> None: ...

    def release(self, session: Hashable) -> None: ...


class Session:
    """Feed `receive`, send what `take` gives, `end` when the socket is gone. Everything is called on one loop."""

    def __init__(
        self,
        speakers: Speakers,
        reader: RequestReader,
        delivery: Delivery,
        engine_rate_hz: int,
        clock_s: Callable[[], float],
        on_ready: Callable[[], None],
    ) -> None:
        """`on_ready` is called when `take` has something to give again."""
        self._speakers = speakers
        self._reader = reader
        self._delivery = delivery
        self._engine_rate_hz = engine_rate_hz
        self._clock_s = clock_s
        self._framing = Framing.RAW
        self._outbox = Outbox(on_ready, lambda: speakers.hold(self), lambda: speakers.release(self))
        # Requests whose end is not known or not their turn, and those whose end waits in the outbox.
        self._waiting: deque[Utterance] = deque()
        self._leaving: dict[int, Utterance] = {}
        self._accepted = 0
        self._farewell: Close | None = None
        self._idle_since_s = clock_s()

    @property
    def idle_s(self) -> float:
        """How long the client has said nothing while nothing was owed to it."""
        return 0.0 if self._waiting or self._leaving else self._clock_s() - self._idle_since_s

    def receive(self, data: str | bytes) -> None:
        """Take one frame of the client; whatever it is, the answer is in the outbox."""
        self._idle_since_s = self._clock_s()
        if self._farewell is not None and not self._waiting:
            return
        named: str | int | None = None
        try:
            body = decode_control(data)
            named = request_id(body)
            self._obey(body, named)
        except WireError as error:
            self._say(Type.ERROR, code=error.code.value, message=str(error), request_id=named)
        except Busy as error:
            self._say(Type.ERROR, code=ErrorCode.BUSY.value, message=str(error), request_id=named)

    def take(self) -> Frame | Close | None:
        """Return the next frame to send, at the end the close, None when nothing waits. Taken counts as sent."""
        frame = self._outbox.take()
        if isinstance(frame, Frame) and frame.number:
            if frame.ends_request:
                self._leaving.pop(frame.number)
                self._idle_since_s = self._clock_s()
            elif frame.number in self._leaving:
                self._leaving[frame.number].taken(frame)
            elif self._waiting and self._waiting[0].number == frame.number:
                self._waiting[0].taken(frame)
        return frame

    def finish(self, close: Close) -> None:
        """Take no more requests, answer those that wait, then say `close`. The first one stays."""
        if self._farewell is None:
            self._farewell = close
            self._advance()

    def cut(self) -> None:
        """The worker's time is up: refuse what is not finished, without the audio of it that waits here."""
        while self._waiting:  # its end takes the oldest out, and those behind it that have ended already
            self._outbox.revoke(self._waiting[0].number)
            self._waiting[0].refuse(ErrorCode.BUSY, CUT)

    def end(self, close: Close = CLOSE_DONE) -> None:
        """Forget everything at once, and say `close` if anybody is left to hear it. Idempotent."""
        for utterance in self._waiting:
            if utterance.job is not None:
                utterance.job.cancel()
        self._waiting.clear()
        self._leaving.clear()
        self._farewell = self._farewell or close
        self._outbox.close(close, now=True)
        self._speakers.release(self)

    def _obey(self, body: dict[str, Any], named: str | int | None) -> None:
        kind = body.get("type", Type.SYNTHESIZE)
        if kind == Type.CANCEL:
            self._cancel(named)
        elif kind == Type.CLOSE:
            self.finish(CLOSE_DONE)
        elif self._farewell is not None:
            raise Busy(f"{self._farewell.reason}: nothing more is taken")
        elif kind == Type.SYNTHESIZE:
            self._accept(self._reader.request(body, self._delivery), named)
        elif kind == Type.SESSION:
            self._configure(body)
        else:
            raise WireError(ErrorCode.UNKNOWN_TYPE, 'unknown "type"; send session, synthesize, cancel or close')

    def _configure(self, body: dict[str, Any]) -> None:
        protocol, framing = body.get("protocol", PROTOCOL), body.get("framing", self._framing)
        if isinstance(protocol, bool) or protocol != PROTOCOL:
            raise WireError(ErrorCode.UNSUPPORTED_PROTOCOL, f"this worker speaks protocol {PROTOCOL} only")
        if framing not in list(Framing):
            raise WireError(ErrorCode.BAD_FIELD, f'"framing" is one of {", ".join(Framing)}')
        if self._waiting or self._leaving:
            raise WireError(ErrorCode.BAD_FIELD, "send the session message before requests, or when all are answered")
        self._delivery = self._reader.delivery(body, self._delivery)
        self._framing = Framing(framing)
        self._say(
            Type.SESSION,
            protocol=PROTOCOL,
            framing=self._framing.value,
            sample_rate=self._delivery.rate_hz,
            voice=self._delivery.voice,
            encoding=next(name for name, encoding in ENCODINGS.items() if encoding is self._delivery.encoding),
        )

    def _accept(self, request: SpeechRequest, named: str | int | None) -> None:
        if len(self._waiting) + len(self._leaving) >= MAX_SESSION_REQUESTS:
            raise Busy(f"{MAX_SESSION_REQUESTS} requests of this session are waiting; send more when some are answered")
        number = self._accepted + 1
        rendering = Rendering(self._engine_rate_hz, request.delivery.rate_hz, request.delivery.encoding)
        label = str(number) if named is None else named
        utterance = Utterance(number, label, rendering, self._framing, self._outbox.put, self._advance)
        utterance.job = self._speakers.submit(self, request, utterance)
        self._accepted = number
        self._waiting.append(utterance)
        if len(self._waiting) == 1:
            utterance.start(self._clock_s())

    def _cancel(self, named: str | int | None) -> None:
        """Drop all requests, or those the client calls `named`; one whose end was sent has been answered already."""
        spoken = self._waiting[0] if self._waiting else None
        dropped = [u for u in (*self._leaving.values(), *self._waiting) if named is None or u.request_id == named]
        for utterance in dropped:
            self._outbox.revoke(utterance.number)
            utterance.cancel()
            self._leaving.pop(utterance.number, None)
        self._waiting = deque(u for u in self._waiting if u not in dropped)
        if self._waiting and self._waiting[0] is not spoken:
            self._waiting[0].start(self._clock_s())
        self._advance()

    def _advance(self) -> None:
        """End the oldest requests that are complete, start the next, close when it was the last."""
        while self._waiting and self._waiting[0].ended:
            ended = self._waiting.popleft()
            self._leaving[ended.number] = ended
            ended.complete(self._clock_s())
            if self._waiting:
                self._waiting[0].start(self._clock_s())
        if self._farewell is not None and not self._waiting:
            self._outbox.close(self._farewell)

    def _say(self, kind: Type, **fields: Any) -> None:
        self._outbox.put(Frame(encode_control(kind, **fields)))
