"""What the caller is played: PCM of utterances in, exact frames out on schedule, and the position of both.

An utterance is one sentence or prompt, known by a number. Frames wait here, never at the platform: it is sent at
most the lead, so a clear is instant. The platform's own marks confirm the clock; they never drive it, because
platforms lose them, or return them all on a clear (F-04, F-06, F-10).
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from gateway.call.marks import Marks
from gateway.events import ClearOutput, Command, SendAudio, SendMark
from gateway.platforms.base import Capabilities
from media.formats import AudioFormat
from media.pacing import Schedule
from media.transcode import Outbound

# Reading of speech stops at the bound given and resumes when a quarter of it has been played: wide enough that the
# TTS session is not stopped and started for every frame.
_RESUME_SHARE = 0.75
# A platform that stopped us says "go on" long before: it plays its whole queue in 20 s (chan_websocket).
HOLD_S = 5.0
# The lead is stated for frames of this length; a longer one arrives whole, so its excess comes on top.
_USUAL_FRAME_MS = 20


@dataclass(slots=True)
class _Utterance:
    number: int
    frames: deque[bytes] = field(default_factory=deque)
    queued_frames: int = 0
    sent_frames: int = 0
    begins_s: float = 0.0  # position in the schedule of its first frame
    whole: bool = False  # nothing more will be queued
    over: asyncio.Event = field(default_factory=asyncio.Event)  # sent to its end, or cleared


class Playout:
    """One call's output. `run` is its pump; everything else returns at once, but `room` and `played_out`."""

    def __init__(
        self,
        send: Callable[[Command], Awaitable[None]],
        wire_format: AudioFormat,
        capabilities: Capabilities,
        from_hz: int,
        lead_ms: int,
        max_queue_s: float,
        now: Callable[[], float],
    ) -> None:
        self._send = send
        frame_ms = capabilities.frame_ms_of(wire_format)
        self._wants_marks = capabilities.marks
        self._clears = capabilities.clear
        self._frame_s = frame_ms / 1000
        self._encoder = Outbound(from_hz, wire_format, frame_ms)
        self._schedule = Schedule(frame_ms, _lead_ms(lead_ms, frame_ms, capabilities))
        self._silence = wire_format.encoding.silence * (wire_format.rate_hz * frame_ms // 1000)
        self._silence_every_s = capabilities.silence_every_s
        self._max_frames = int(max_queue_s / self._frame_s)
        self._now = now
        self._open: deque[_Utterance] = deque()  # queued and not yet sent to the end, in order
        self._sounding: deque[_Utterance] = deque()  # sent to the end, since the last clear
        self.marks = Marks()
        self._waiting_frames = 0
        self._sent_frames = 0  # since the last clear, as the schedule counts
        self._wake = asyncio.Event()  # something changed that the pump does not expect
        self._idle = False
        self._clear_owed, self._held_until_s = False, 0.0
        self._room = asyncio.Event()
        self._room.set()
        self.on_audible: Callable[[int], None] = lambda number: None
        self.on_frame: Callable[[bytes, float], None] | None = None  # each frame, and when it begins to sound
        self.underruns = 0

    # Queueing.

    def feed(self, number: int, pcm: bytes) -> None:
        """Queue audio of utterance `number`; a number not seen since it began opens it behind the others."""
        self._queue(self._utterance(number), self._encoder.feed(pcm))

    def finish(self, number: int) -> float:
        """The utterance is whole: queue its tail and its mark. Returns its length in seconds."""
        utterance = self._utterance(number)
        self._queue(utterance, self._encoder.flush())
        utterance.whole = True
        self._rouse()
        return utterance.queued_frames * self._frame_s

    async def room(self) -> None:
        """Return when more may be fed."""
        await self._room.wait()

    def clear(self) -> None:
        """Drop everything not yet sent, and forget the marks.

        Read `settle(cut=True)` first. The pump sends ClearOutput at once, before anything queued from now on.
        """
        self._encoder.reset()
        for utterance in self._open:
            utterance.over.set()
        self._open.clear()
        self._sounding.clear()
        self.marks.clear()
        self._waiting_frames = 0
        self._sent_frames = 0
        self._room.set()
        self._schedule.start(self._now())
        self._clear_owed = True
        self._wake.set()

    def hold(self, stopped: bool) -> None:
        """The platform's queue is full, or has room again. One that never says so is sent to again after a while."""
        self._held_until_s = self._now() + HOLD_S if stopped else 0.0
        self._wake.set()

    # Facts.

    def settle(self, cut: bool = False) -> list[tuple[int, float]]:
        """Return the seconds played of each utterance, by the clock; forget those that have sounded to their end.

        With `cut` a clear follows: a platform that has none plays what it was sent all the same.
        """
        played_s = self._schedule.played_s(self._now() if self._clears or not cut else self._schedule.ends_s)
        positions = []
        for utterance in (*self._sounding, *self._open):
            longest_s = utterance.sent_frames * self._frame_s
            positions.append((utterance.number, min(max(0.0, played_s - utterance.begins_s), longest_s)))
        while self._sounding and self._ends_s(self._sounding[0]) <= played_s:
            self._sounding.popleft()
        return positions

    @property
    def audible(self) -> bool:
        """Whether the caller is hearing something now."""
        return self._schedule.ahead_s(self._now()) > 0.0

    async def played_out(self, number: int) -> None:
        """Return when the utterance, already fed to or not, has sounded to its end, or was cleared."""
        utterance = next((u for u in (*self._open, *self._sounding) if u.number == number), None)
        if utterance is None:
            return
        await utterance.over.wait()
        if utterance in self._sounding:
            await asyncio.sleep(max(0.0, self._ends_s(utterance) - self._schedule.played_s(self._now())))

    # The pump.

    async def run(self) -> None:
        """Send frames when they are due, for ever; errors of `send` pass through."""
        loop = asyncio.get_running_loop()
        while True:
            self._wake.clear()
            if self._clear_owed:
                self._clear_owed = False
                self._held_until_s = 0.0
                if self._clears:
                    await self._send(ClearOutput())
            held_s = self._held_until_s - self._now()
            if held_s <= 0.0:
                await self._send_due()
            if self._open and self._open[0].frames:
                timer = loop.call_later(max(held_s, self._schedule.next_due_s - self._now(), 0.0), self._wake.set)
                await self._wake.wait()
                timer.cancel()
            else:
                await self._idle_on()

    async def _idle_on(self) -> None:
        """Until there is something to do; meanwhile silence, where the platform hangs up on a quiet peer."""
        self._idle = True
        while not self._wake.is_set():
            try:
                async with asyncio.timeout(self._silence_every_s):
                    await self._wake.wait()
            except TimeoutError:
                await self._send(SendAudio(self._silence))
        self._idle = False

    async def _send_due(self) -> None:
        now_s = self._now()
        for _ in range(self._schedule.due(now_s)):
            utterance = await self._next_with_frames()
            if utterance is None or self._clear_owed:
                return  # cleared while a write was waiting: ClearOutput goes first
            frame = utterance.frames.popleft()
            self._note_sent(utterance, now_s)
            if self.on_frame is not None:
                self.on_frame(frame, self._schedule.ends_s - self._frame_s)
            await self._send(SendAudio(frame))
        await self._next_with_frames()

    async def _next_with_frames(self) -> _Utterance | None:
        """Close utterances that are sent to the end; return the one whose frame is next, None when none waits."""
        while self._open:
            utterance = self._open[0]
            if utterance.frames:
                return utterance
            if not utterance.whole:
                return None
            self._open.popleft()
            self._sounding.append(utterance)
            utterance.over.set()
            if self._wants_marks and utterance.sent_frames:
                await self._send(SendMark(self.marks.add(utterance.number)))
        return None

    def _note_sent(self, utterance: _Utterance, now_s: float) -> None:
        first = utterance.sent_frames == 0
        if not first and self._schedule.ahead_s(now_s) < 0.0:
            self.underruns += 1
        self._schedule.sent(1, now_s)
        if first:
            utterance.begins_s = self._sent_frames * self._frame_s
            self.on_audible(utterance.number)
        self._sent_frames += 1
        utterance.sent_frames += 1
        self._waiting_frames -= 1
        if self._waiting_frames <= self._max_frames * _RESUME_SHARE:
            self._room.set()

    def _ends_s(self, utterance: _Utterance) -> float:
        return utterance.begins_s + utterance.sent_frames * self._frame_s

    def _utterance(self, number: int) -> _Utterance:
        if not self._open or self._open[-1].number != number:
            self._open.append(_Utterance(number))
        return self._open[-1]

    def _queue(self, utterance: _Utterance, frames: list[bytes]) -> None:
        utterance.frames.extend(frames)
        utterance.queued_frames += len(frames)
        self._waiting_frames += len(frames)
        if self._waiting_frames >= self._max_frames:
            self._room.clear()
        if frames:
            self._rouse()

    def _rouse(self) -> None:
        """Wake a pump that has nothing to send; one that waits for a frame's time need not know."""
        if self._idle:
            self._wake.set()


def _lead_ms(lead_ms: int, frame_ms: int, capabilities: Capabilities) -> int:
    """The lead that is asked for, as far as the platform takes it, and never less than a frame."""
    lead_ms = min(lead_ms, capabilities.longest_lead_ms)
    return max(lead_ms, _USUAL_FRAME_MS) + frame_ms - _USUAL_FRAME_MS
