"""A service that recognises, in memory and on the loop's clock: Deepgram's ears and messages without a socket."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from websockets.exceptions import ConnectionClosed, ConnectionClosedError
from websockets.frames import Close

from gateway.errors import SttError
from gateway.stt.cloud.base import Connection
from gateway.stt.deepgram_service import DeepgramService
from gateway.stt.deepgram_wire import DeepgramWire
from tests.rig.deepgram import Ears


class MemoryStream:
    """One connection, both ends of it. It ends after `idle_s` without a message; a `mute` one answers nothing."""

    def __init__(self, ears: Ears, answer_s: float, idle_s: float, mute: bool) -> None:
        self._ears, self._answer_s, self._idle_s, self._mute = ears, answer_s, idle_s, mute
        self._under_way: deque[str] = deque()
        self._answers: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._idle = self._loop.call_later(idle_s, self.end, "NET-0001")
        self._closed: ConnectionClosed | None = None
        self.audio: list[bytes] = []
        self.controls: list[tuple[str, float]] = []

    async def send(self, message: bytes | str) -> None:
        if self._closed is not None:
            raise self._closed
        self._idle.cancel()
        self._idle = self._loop.call_later(self._idle_s, self.end, "NET-0001")
        if isinstance(message, bytes):
            assert message, "an empty message ends a stream"
            self.audio.append(message)
            answers = list(self._ears.audio(message))
        else:
            self.controls.append((message, self._loop.time()))
            answers = list(self._ears.finalize()) if message == DeepgramService.flush else []
        for answer in answers if not self._mute else ():
            self._under_way.append(answer)
            self._loop.call_later(self._answer_s, self._arrive)

    async def recv(self) -> str:
        answer = await self._answers.get()
        if answer is None:
            assert self._closed is not None
            raise self._closed
        return answer

    def _arrive(self) -> None:
        self._answers.put_nowait(self._under_way.popleft())  # in order, whichever timer is first

    async def close(self) -> None:
        self.end("")

    def end(self, reason: str) -> None:
        """The service ends the stream."""
        self._idle.cancel()
        self._closed = ConnectionClosedError(Close(1011, reason), None)
        self._answers.put_nowait(None)


@dataclass
class MemoryDeepgram:
    """Its streams, in order. `refusals` are the next connections' fates; `mute` streams hear and say nothing."""

    answer_s: float = 0.1
    deaf: bool = False
    mute: bool = False
    curt: bool = False
    idle_s: float = 10.0
    endpointing_ms: int = 300
    refusals: list[SttError] = field(default_factory=list)
    streams: list[MemoryStream] = field(default_factory=list)
    asked_at_s: list[float] = field(default_factory=list)

    flush: str = DeepgramService.flush
    keep_alive: str = DeepgramService.keep_alive

    name = DeepgramService.name

    def code(self, language: str) -> str:
        return language

    def wire(self) -> DeepgramWire:
        return DeepgramWire()

    async def connect(self, language: str) -> Connection:
        self.asked_at_s.append(asyncio.get_running_loop().time())
        if self.refusals:
            raise self.refusals.pop(0)
        ears = Ears(self.endpointing_ms, self.deaf, self.curt)
        self.streams.append(MemoryStream(ears, self.answer_s, self.idle_s, self.mute))
        return self.streams[-1]

    async def ready(self) -> bool:
        return True
