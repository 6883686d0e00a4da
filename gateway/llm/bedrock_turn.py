"""One request to Bedrock in a thread of its own: boto3 is synchronous and cannot be cancelled from outside.

The loop's side is a ReplySource. The thread's side hands events over and looks, at each one, whether anybody still
wants them. A cancelled thread that waits for a silent model is woken by shutting its socket's reading side; where the
HTTP response has not begun it drains until the read timeout, and what it then brings is dropped.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gateway.errors import LlmError
from gateway.llm.base import Completed
from gateway.llm.faults import fault
from gateway.llm.reply import ReplyEvent

# Events the thread may be ahead of the session: about a whole reply, so a slow reader never delays the stream, and an
# endless one cannot fill the memory.
MAX_EVENTS_AHEAD = 1024
# Nobody read an event for this long: the generator was forgotten, not closed.
_READER_GONE_S = 60.0


class Abandoned(Exception):
    """Raised in the thread when nobody wants the reply any more."""


class ConverseTurn:
    """A ReplySource whose `work` runs in a thread. `admit` and `left` keep the model's count of threads."""

    def __init__(
        self,
        generation: int,
        work: Callable[["ConverseTurn"], None],
        admit: Callable[["ConverseTurn"], None],
        left: Callable[["ConverseTurn"], None],
    ) -> None:
        self._work, self._admit, self._left = work, admit, left
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[ReplyEvent | LlmError] = asyncio.Queue()
        self._room = threading.Semaphore(MAX_EVENTS_AHEAD)
        self._cancelled = threading.Event()
        self._whole = False
        self._body: Any = None
        self._body_lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"bedrock-turn-{generation}", daemon=True)

    # The loop's side.

    async def open(self) -> None:
        self._admit(self)
        try:
            self._thread.start()
        except RuntimeError as error:
            self._left(self)
            raise fault("busy", "the system gives no more threads") from error

    async def next(self) -> ReplyEvent:
        event = await self._events.get()
        self._room.release()
        if isinstance(event, LlmError):
            raise event
        self._whole = isinstance(event, Completed)
        return event

    def close(self) -> None:
        if self._whole:  # the thread reads the end of the response, and the connection can be used again
            return
        self._cancelled.set()
        self._room.release()
        with self._body_lock:
            if self._body is not None:
                _shut(self._body)

    def join(self, timeout_s: float) -> None:
        """Wait for the thread; for use outside the loop."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    # The thread's side.

    @contextmanager
    def reading(self, stream: Any) -> Iterator[None]:
        """Around the reading of an SDK event stream: it can be interrupted, and is closed by its own thread."""
        # urllib3's response: the SDK keeps it private, and its own close() would wait for the reader.
        self._hold(getattr(stream, "_raw_stream", None))
        try:
            if self._cancelled.is_set():
                raise Abandoned
            yield
        finally:
            self._hold(None)
            stream.close()

    def hand_over(self, event: ReplyEvent) -> None:
        """Pass an event to the loop; Abandoned when nobody wants it."""
        if isinstance(event, Completed):
            # The connection goes back to the pool next, where a late close must not reach it.
            self._hold(None)
        self._pass(event)

    def check(self) -> None:
        """Abandoned when the turn has been cancelled."""
        if self._cancelled.is_set():
            raise Abandoned

    def _run(self) -> None:
        try:
            self._work(self)
        except Abandoned:
            pass
        except LlmError as error:
            self._fail(error)
        finally:
            self._left(self)

    def _fail(self, error: LlmError) -> None:
        with suppress(Abandoned):
            self._pass(error)

    def _pass(self, item: ReplyEvent | LlmError) -> None:
        in_time = self._room.acquire(timeout=_READER_GONE_S)
        if not in_time or self._cancelled.is_set():
            raise Abandoned
        try:
            self._loop.call_soon_threadsafe(self._events.put_nowait, item)
        except RuntimeError as error:  # the loop is closed: the process is ending
            raise Abandoned from error

    def _hold(self, body: Any) -> None:
        with self._body_lock:
            self._body = body


def _shut(body: Any) -> None:
    """Wake whoever reads the response; urllib3 offers this since 2.3, before that the read timeout has to do."""
    shutdown = getattr(body, "shutdown", None)
    if shutdown is None:
        return
    with suppress(OSError, RuntimeError, ValueError):  # already closed, or released: then nobody waits in it
        shutdown()
