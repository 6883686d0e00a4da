"""One call's stream to a service, kept up as long as the call is: audio in, results out on the call's clock.

Services end a stream that gets no audio for 10 or 15 s, so it is kept open when the phone sends none (F-76). A stream
that is lost, or says nothing of speech it was sent, is replaced, and hears again what has no final words yet (F-77).
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog
from websockets.exceptions import ConnectionClosed

from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ
from gateway.stt.cloud.base import CloudService, Connection, Result, Wire
from gateway.stt.cloud.clock import StreamClock
from media.formats import BYTES_PER_SAMPLE_PCM16

log = structlog.get_logger(__name__)

BYTES_PER_S = STT_RATE_HZ * BYTES_PER_SAMPLE_PCM16
# Transcribe's guide asks for 50 to 200 ms a message, Deepgram's for 20 to 250; longer ones cost delay.
CHUNK_MS = 100
# The phone sends every 20 ms; when it has been quiet for so long it is muted, and silence is sent in its place.
MUTED_AFTER_S = 0.3
# Deepgram asks for 3 to 5 s, where a stream is kept open by a message.
KEEP_ALIVE_S = 4.0
# Audio that a new stream hears again, at most; longer ago the caller has repeated it anyway. 0.6 MB a call.
REPLAY_S = 20
# Between two streams, doubled each time from the first to the second.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 3.0
# Streams in a row that fail before a word; with the pauses about a quarter of a minute. One that lasted is a new start.
MAX_FAILURES = 8
STEADY_AFTER_S = 10.0
# Speech of which nothing is said for so long means a stream that hangs; doubled each time, for noise has no words.
SILENT_AFTER_S = 4.0

_CHUNK_BYTES = BYTES_PER_S * CHUNK_MS // 1000
_QUIET = bytes(_CHUNK_BYTES)


class CloudStream:
    """`on_results` gets results as they come, `on_restart` from where they are told again, `on_down` the last error."""

    def __init__(
        self,
        service: CloudService,
        language: str,
        on_results: Callable[[list[Result]], None],
        on_restart: Callable[[float], None],
        on_down: Callable[[SttError], None],
    ) -> None:
        self._service = service
        self._language = language
        self._on_results = on_results
        self._on_restart = on_restart
        self._on_down = on_down
        self._kept = bytearray()  # what a new stream would be sent, and behind it what no stream has been sent yet
        self._kept_from_s = 0.0
        self._sent_bytes = 0  # of what is kept
        self._came = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._patience: asyncio.Timeout | None = None  # with the present stream
        self._up_since_s = 0.0
        self._flush_wanted = False
        self._failures = 0
        self._silent_after_s = SILENT_AFTER_S
        self._unheard_from_s: float | None = None  # where speech began of which no result has told
        self.down: SttError | None = None

    @property
    def up_s(self) -> float:
        """For how long there has been a stream; 0.0 while there is none."""
        return asyncio.get_running_loop().time() - self._up_since_s if self._patience is not None else 0.0

    @property
    def fed_s(self) -> float:
        """Caller audio fed so far."""
        return self._kept_from_s + len(self._kept) / BYTES_PER_S

    def start(self) -> None:
        """Begin to connect."""
        self._task = asyncio.create_task(self._run(), name=self._service.name)

    def feed(self, pcm: bytes) -> None:
        """Take any amount of audio; returns at once."""
        self._kept += pcm
        surplus = len(self._kept) - (REPLAY_S + 1) * BYTES_PER_S
        if surplus > 0:
            if surplus > self._sent_bytes:  # it takes no more audio
                self._give_up_stream()
            self._drop(surplus)
        if len(self._kept) - self._sent_bytes >= _CHUNK_BYTES:
            self._came.set()
        if self._unheard_from_s is not None and self.fed_s - self._unheard_from_s > self._silent_after_s:
            self._give_up_stream()

    def speech(self, at_s: float | None) -> None:
        """The caller began to speak, or (None) has stopped: somebody who speaks must be heard."""
        self._unheard_from_s = at_s

    def flush(self) -> None:
        """Have the words of what was fed told at once, where the service can be asked."""
        self._flush_wanted = bool(self._service.flush)
        self._came.set()

    def keep_from(self, at_s: float) -> None:
        """What was said before is final: a new stream need not hear it again."""
        done = int((at_s - self._kept_from_s) * STT_RATE_HZ) * BYTES_PER_SAMPLE_PCM16
        if min(done, self._sent_bytes) > BYTES_PER_S:  # forgetting moves the rest in memory, so a second at a time
            self._drop(min(done, self._sent_bytes))

    async def close(self) -> None:
        """End the stream. Idempotent."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def _run(self) -> None:
        now = asyncio.get_running_loop().time
        while True:
            began_s = now()
            try:
                await self._follow(await self._service.connect(self._language))
            except SttError as error:
                self._failures = 1 if now() - began_s > STEADY_AFTER_S else self._failures + 1
                if not error.retryable or self._failures >= MAX_FAILURES:
                    self.down = error
                    self._on_down(error)
                    return
                log.info("stt_stream_ended", code=error.code, error=error.detail, failures=self._failures)
            await asyncio.sleep(min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**self._failures))

    async def _follow(self, connection: Connection) -> None:
        """From a stream's first audio to its end, which is an SttError, or its close."""
        self._sent_bytes = 0
        self._drop(max(0, len(self._kept) - REPLAY_S * BYTES_PER_S))  # a second is left for it to begin to take audio
        clock, wire = StreamClock(self._kept_from_s), self._service.wire()
        self._on_restart(self._kept_from_s)
        if self._unheard_from_s is not None:
            self._unheard_from_s = self.fed_s
        sender = asyncio.create_task(self._send(connection, wire, clock), name=f"{self._service.name} send")
        self._up_since_s = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(None) as self._patience:
                while True:
                    self._take(wire.read(await connection.recv()), clock)
        except TimeoutError as error:
            detail = "it says nothing of speech it was sent"
            raise SttError(f"{self._service.name}_hangs", detail, retryable=True) from error
        except ConnectionClosed as error:
            raise SttError(f"{self._service.name}_lost", _why(error), retryable=True) from error
        finally:
            self._patience = None
            sender.cancel()
            await asyncio.wait({sender})
            with suppress(OSError, ConnectionClosed):
                await connection.close()

    async def _send(self, connection: Connection, wire: Wire, clock: StreamClock) -> None:
        patience_s, flushed_s = MUTED_AFTER_S, 0.0
        with suppress(ConnectionClosed):  # the reader sees it too, and says so
            while True:
                self._came.clear()
                if chunk := self._next_chunk():
                    clock.sent(len(chunk) / BYTES_PER_S)
                    await connection.send(wire.audio(chunk))
                    patience_s = MUTED_AFTER_S
                elif self._flush_wanted:
                    self._flush_wanted = False
                    if clock.sent_s > flushed_s:
                        flushed_s = clock.sent_s
                        clock.flushed()
                        await connection.send(self._service.flush)
                else:
                    try:
                        async with asyncio.timeout(patience_s):
                            await self._came.wait()
                    except TimeoutError:
                        patience_s = await self._bridge(connection, wire, clock, patience_s)

    def _next_chunk(self) -> bytes:
        """What is sent next: a whole chunk, or before a flush the rest; b"" while there is neither."""
        unsent_bytes = len(self._kept) - self._sent_bytes
        if unsent_bytes < _CHUNK_BYTES and not self._flush_wanted:
            return b""
        size_bytes = min(_CHUNK_BYTES, unsent_bytes - unsent_bytes % BYTES_PER_SAMPLE_PCM16)
        chunk = bytes(self._kept[self._sent_bytes : self._sent_bytes + size_bytes])
        self._sent_bytes += size_bytes
        return chunk

    async def _bridge(self, connection: Connection, wire: Wire, clock: StreamClock, waited_s: float) -> float:
        """Keep the stream open though no audio came for so long; return when to do so again."""
        if not self._service.keep_alive or not clock.sent_s:  # a stream begins with audio
            clock.silence(CHUNK_MS / 1000)
            await connection.send(wire.audio(_QUIET))
            return CHUNK_MS / 1000  # as quick as sound
        if waited_s == MUTED_AFTER_S:
            self.flush()  # no silence will show it that the words are over
        else:
            await connection.send(self._service.keep_alive)
        return KEEP_ALIVE_S

    def _take(self, results: list[Result], clock: StreamClock) -> None:
        if not results:
            return
        if any(result.items for result in results):
            self._failures = 0
        self._silent_after_s = SILENT_AFTER_S
        if self._unheard_from_s is not None:
            self._unheard_from_s = self.fed_s
        self._on_results([clock.on_call(result) for result in results])

    def _give_up_stream(self) -> None:
        if self._patience is None:  # there is none; the next begins with all its time
            return
        self._patience.reschedule(asyncio.get_running_loop().time())
        if self._unheard_from_s is not None:
            self._unheard_from_s = self.fed_s
            self._silent_after_s *= 2

    def _drop(self, size_bytes: int) -> None:
        del self._kept[:size_bytes]
        self._kept_from_s += size_bytes / BYTES_PER_S
        self._sent_bytes = max(0, self._sent_bytes - size_bytes)


def _why(error: ConnectionClosed) -> str:
    """How the peer ended it; a reason is about the stream, never about what was said."""
    close = error.rcvd
    return f"closed with {close.code} {close.reason}".rstrip() if close is not None else type(error).__name__
