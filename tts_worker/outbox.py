"""What a session has to say but its socket has not taken yet: bounded, and revocable by request."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

# So much speech waits for a slow reader, in whatever encoding, before the engine works for others. Less would let a
# short network stall reach the ear; more is computed for nothing when the caller interrupts.
HIGH_MARK_S = 10.0
# So much is left when the engine goes on: time to get its next piece before the reader runs dry.
LOW_MARK_S = 2.5
# Answers that wait while the client sends without reading; one that lets so many pile up is broken.
MAX_CONTROLS = 1_000


@dataclass(frozen=True, slots=True)
class Close:
    """The last thing a session says: a WebSocket close."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A control (str), or bytes for the wire that sound for `audio_s`; `number` 0 belongs to no request."""

    data: str | bytes = field(repr=False)
    number: int = 0
    audio_s: float = 0.0
    ends_request: bool = False


class Outbox:
    """A queue with a high and a low mark. `on_ready` is called when there is something to take after nothing was."""

    def __init__(self, on_ready: Callable[[], None], on_high: Callable[[], None], on_low: Callable[[], None]) -> None:
        self._on_ready = on_ready
        self._on_high = on_high
        self._on_low = on_low
        self._frames: deque[Frame] = deque()
        self._audio_s = 0.0
        self._is_high = False
        self._close: Close | None = None

    def put(self, frame: Frame) -> None:
        """Queue a frame; dropped once the outbox is closing. Too many waiting controls close it with 1008."""
        if self._close is not None:
            return
        if not frame.audio_s and self._controls() >= MAX_CONTROLS:
            self.close(Close(1008, "the client does not read its answers"), now=True)
            return
        self._frames.append(frame)
        self._audio_s += frame.audio_s
        if self._audio_s >= HIGH_MARK_S and not self._is_high:
            self._is_high = True
            self._on_high()
        self._on_ready()

    def close(self, close: Close, *, now: bool = False) -> None:
        """Say `close` after what is queued, or instead of it (`now`); the first close stays."""
        if now:
            self._frames.clear()
            self._audio_s = 0.0
            self._settle()
        self._close = self._close or close
        self._on_ready()

    def take(self) -> Frame | Close | None:
        """Return the next thing to send: frames in order, at the end the close, None when nothing waits."""
        if not self._frames:
            return self._close
        frame = self._frames.popleft()
        self._audio_s -= frame.audio_s
        self._settle()
        return frame

    def revoke(self, number: int) -> None:
        """Remove everything of a request that was not taken yet."""
        self._frames = deque(frame for frame in self._frames if frame.number != number)
        self._audio_s = sum(frame.audio_s for frame in self._frames)
        self._settle()

    def _controls(self) -> int:
        if len(self._frames) < MAX_CONTROLS:
            return 0
        return sum(not frame.audio_s for frame in self._frames)

    def _settle(self) -> None:
        if self._is_high and self._audio_s <= LOW_MARK_S:
            self._is_high = False
            self._on_low()
