"""A call's voice over one persistent connection to a TTS worker, whatever carries it (docs/tts-session.md).

The session is a pump around a Ledger: one task keeps it connected and, while it is, one reads and one writes. A lost
worker is looked for again with growing pauses, for as long as the session is open.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from gateway.errors import TtsError
from gateway.tts.base import Connector, Delivery, Socket, SpeechEvent
from gateway.tts.handover import Handover
from gateway.tts.ledger import Ledger
from gateway.tts.outage import Outage
from gateway.tts.patience import Patience

# Pauses between tries: short enough that a restarted worker is found within a sentence, long enough to spare it.
_BACKOFF_FIRST_S, _BACKOFF_CAP_S = 0.1, 2.0


@dataclass(frozen=True, slots=True)
class SpeechTiming:
    """How long a session waits for its worker."""

    # One try to connect and to have the session accepted.
    connect_s: float = 3.0
    # A lost worker's sentences count as failed after this; the caller hears silence meanwhile.
    give_up_s: float = 5.0
    # A connected worker that delivers nothing for so long is broken; a busy CPU worker may need seconds for a piece.
    stall_s: float = 15.0
    # After this a connection is exchanged for a fresh one between two sentences; None where nothing ends it.
    lasts_s: float | None = None


class PersistentSession:
    """The SpeechSession of one call."""

    def __init__(
        self,
        ledger: Ledger,
        connector: Connector,
        timing: SpeechTiming,
        jitter: Callable[[], float] = random.random,
        outage: Outage | None = None,
    ) -> None:
        """`outage` is shared by the sessions of one worker."""
        self._ledger = ledger
        self._connector = connector
        self._timing = timing
        self._jitter = jitter
        self._outage = outage or Outage()
        self._closed = False
        self._patience = Patience(ledger, timing.give_up_s, timing.stall_s, self._wake_both)
        self._handover = None if timing.lasts_s is None else Handover(ledger, connector, timing.lasts_s)
        self._keeper: asyncio.Task[None] | None = None
        self._first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._first.add_done_callback(lambda first: first.cancelled() or first.exception())  # read even if nobody waits
        self._to_send = asyncio.Event()
        self._to_hear = asyncio.Event()
        self._room = asyncio.Event()

    @property
    def rate_hz(self) -> int:
        return self._ledger.rate_hz

    async def open(self) -> None:
        """Connect within give_up_s; opening again, from another task as well, joins the same attempt.

        Raises TtsError: after a retryable one (worker_unreachable) the session goes on trying in the background, any
        other (worker_refused, unknown_voice ...) closes it.
        """
        if self._closed:
            raise TtsError("session_closed")
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep_connected(self._first), name="tts-session")
        try:
            async with asyncio.timeout(self._timing.give_up_s):
                await asyncio.shield(self._first)
        except TimeoutError as error:
            raise TtsError("worker_unreachable", f"no session in {self._timing.give_up_s} s", retryable=True) from error
        except TtsError:
            await self.close()
            raise

    def speak(self, text: str, delivery: Delivery | None = None) -> int:
        """Queue a sentence and return its id; raises TtsError only after close."""
        if self._closed:
            raise TtsError("session_closed")
        request_id = self._ledger.add(text, _now_s(), delivery)
        self._wake_both()
        self._patience.arm()
        return request_id

    def cancel(self) -> None:
        self._ledger.cancel()
        self._wake_both()
        self._room.set()

    def events(self) -> AsyncIterator[SpeechEvent]:
        """Return the events in order until close; TtsError (session_broken) when the session itself has failed."""
        return _Events(self._next_event)

    async def _next_event(self) -> SpeechEvent | None:
        """Wait for the next event; None after close."""
        while not self._closed:
            event = self._ledger.next_event()
            if event is not None:
                if not self._ledger.is_full:
                    self._room.set()
                return event
            if self._keeper is not None and self._keeper.done():
                raise TtsError("session_broken") from self._keeper.exception()
            self._to_hear.clear()
            await self._to_hear.wait()
        return None

    async def close(self) -> None:
        self._closed = True
        self._to_hear.set()
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        self._patience.stop()

    async def _keep_connected(self, first: "asyncio.Future[None]") -> None:
        """Connect, serve, and again, with pauses that grow until a connection has lasted."""
        try:
            tries = 0
            while True:
                began_s = _now_s()
                try:
                    await self._serve_connection(first)
                    continue
                except TtsError as error:
                    if not first.done() and not error.retryable:
                        first.set_exception(error)
                    self._outage.tell(error)
                tries = 0 if _now_s() - began_s > _BACKOFF_CAP_S else tries + 1
                pause_s = min(_BACKOFF_FIRST_S * 2**tries, _BACKOFF_CAP_S)
                await asyncio.sleep(pause_s * (1 + self._jitter()) / 2)
        finally:
            if self._handover is not None:
                await self._handover.close()
            self._to_hear.set()

    async def _serve_connection(self, first: "asyncio.Future[None]") -> None:
        """Be one connection: to its loss, which is a TtsError, or until its successor is ready."""
        socket = (self._handover and self._handover.take()) or await self._connector()
        try:
            await self._introduce(socket)
            self._outage.over()
            if not first.done():
                first.set_result(None)
            self._patience.connected()
            duties = [self._receive(socket), self._send(socket)]
            if self._handover is not None:
                duties.append(self._handover.due())
            await _first_end(*(asyncio.create_task(duty, name="tts-session-duty") for duty in duties))
        finally:
            self._ledger.disconnect(_now_s())
            self._patience.disconnected()
            with suppress(Exception):  # the socket is given up whatever its end looks like
                await socket.close()

    async def _introduce(self, socket: Socket) -> None:
        try:
            async with asyncio.timeout(self._timing.connect_s):
                await socket.send(self._ledger.connect())
                while not self._ledger.ready:
                    self._ledger.receive(await socket.recv(), _now_s())
        except TimeoutError as error:
            raise TtsError("worker_unreachable", "the worker accepts no session", retryable=True) from error

    async def _receive(self, socket: Socket) -> None:
        while True:
            self._ledger.receive(await socket.recv(), _now_s())
            self._wake_both()
            while self._ledger.is_full:
                self._room.clear()
                await self._room.wait()

    async def _send(self, socket: Socket) -> None:
        while True:
            self._to_send.clear()
            while (message := self._ledger.take()) is not None:
                try:
                    async with asyncio.timeout(self._timing.stall_s):
                        await socket.send(message)
                except TimeoutError as error:
                    raise TtsError("worker_stalled", "the worker does not read", retryable=True) from error
            await self._to_send.wait()
            if self._patience.is_stalled:
                raise TtsError("worker_stalled", "the worker delivers nothing", retryable=True)

    def _wake_both(self) -> None:
        self._to_send.set()
        self._to_hear.set()
        if self._handover is not None:
            self._handover.notice()


def _now_s() -> float:
    return asyncio.get_running_loop().time()


async def _first_end(*tasks: asyncio.Task[None]) -> None:
    """Run tasks until one ends, end the others, and raise what the first raised.

    Not a TaskGroup: before Python 3.13 that loses a cancellation which comes in the moment a child fails, and closing
    a call whose worker just died would wait for ever.
    """
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


class _Events:
    """Has no state of its own: unlike a generator, it may be left at any time and nothing has to be ended."""

    def __init__(self, next_event: Callable[[], Awaitable[SpeechEvent | None]]) -> None:
        self._next_event = next_event

    def __aiter__(self) -> AsyncIterator[SpeechEvent]:
        return self

    async def __anext__(self) -> SpeechEvent:
        event = await self._next_event()
        if event is None:
            raise StopAsyncIteration
        return event
