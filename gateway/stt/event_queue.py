"""Events from a recogniser's synchronous parts to the one task that iterates them."""

import asyncio
from collections import deque

import structlog

from gateway.errors import SttError
from gateway.stt.base import Partial, SttEvent

# A reader is behind by a few events at most; this many mean it has stopped reading. About a minute of speech.
MAX_UNREAD_EVENTS = 256

_log = structlog.get_logger(__name__)


class EventQueue:
    """Bounded, in order; an unread Partial is replaced by a newer one. Used from the loop's thread only.

    Iterating yields events until close and raises an SttError in its place, after which iteration may go on.
    """

    def __init__(self) -> None:
        self._waiting: deque[SttEvent | SttError] = deque()
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, event: SttEvent | SttError) -> None:
        """Queue an event or an error. After close() nothing is kept."""
        if self._closed:
            return
        if isinstance(event, Partial) and self._waiting and isinstance(self._waiting[-1], Partial):
            self._waiting.pop()
        if len(self._waiting) >= MAX_UNREAD_EVENTS:
            _log.warning("stt_events_unread", dropped=type(self._waiting.popleft()).__name__)
        self._waiting.append(event)
        self._changed.set()

    def close(self) -> None:
        """End the iteration and drop what is unread."""
        self._closed = True
        self._waiting.clear()
        self._changed.set()

    def __aiter__(self) -> "EventQueue":
        return self

    async def __anext__(self) -> SttEvent:
        while not self._waiting and not self._closed:
            self._changed.clear()
            await self._changed.wait()
        if self._closed:
            raise StopAsyncIteration
        event = self._waiting.popleft()
        if isinstance(event, SttError):
            raise event
        return event
