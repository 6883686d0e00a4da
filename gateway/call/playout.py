"""What the caller is played: PCM of utterances in, exact frames out on schedule, and the position of both.

Frames wait here, never at the platform: it is sent at most the lead, so a clear is instant. What it has not played when
it is cleared for a pause comes back and is sent again. The platform's own marks confirm the clock; they never drive
it, because platforms lose them, or return them all on a clear (F-04, F-06, F-10).
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from gateway.call.marks import Marks
from gateway.call.utterances import Utterance, Utterances
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
# Sums of floats miss their mark by less than this; a timer for it would never advance the clock.
_NOTHING_S = 1e-6
# Frames sent beyond the lead: one being written while the schedule is read, one for rounding.
_SPARE_FRAMES = 2


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
        lead_ms = _lead_ms(lead_ms, frame_ms, capabilities)
        self._capabilities = capabilities
        self._frame_s = frame_ms / 1000
        self._encoder = Outbound(from_hz, wire_format, frame_ms)
        self._schedule = Schedule(frame_ms, lead_ms)
        self._silence = wire_format.encoding.silence * (wire_format.rate_hz * frame_ms // 1000)
        self._max_frames = int(max_queue_s / self._frame_s)
        self._now = now
        self._utterances = Utterances(lead_ms // frame_ms + _SPARE_FRAMES)
        self.marks = Marks()
        self._wake = asyncio.Event()  # something changed that the pump does not expect
        self._moved = asyncio.Event()  # something changed for those who wait for an end
        self._idle = False
        self._clear_owed, self._held_until_s = False, 0.0
        self._paused = self._resumed = False
        self._room = asyncio.Event()
        self._room.set()
        self.on_audible: Callable[[int], None] = lambda number: None
        self.on_frame: Callable[[bytes, float], None] | None = None  # each frame, and when it begins to sound
        self.underruns = 0

    # Queueing.

    def feed(self, number: int, pcm: bytes) -> None:
        """Queue audio of utterance `number`; a number not seen since it began opens it behind the others."""
        self._queue(number, self._encoder.feed(pcm))

    def finish(self, number: int) -> float:
        """The utterance is whole: queue its tail and its mark. Returns its length in seconds."""
        self._queue(number, self._encoder.flush())
        frames = self._utterances.close(number)
        self._rouse()
        return frames * self._frame_s

    async def room(self) -> None:
        """Return when more may be fed."""
        await self._room.wait()

    def clear(self) -> None:
        """Drop everything not yet played, and forget the marks; a pause is over.

        Read `settle(cut=True)` first. The pump sends ClearOutput at once, before anything queued from now on.
        """
        self._encoder.reset()
        self._utterances.clear()
        self._empty()
        self._room.set()
        self._paused = False

    def hold(self, stopped: bool) -> None:
        """The platform's queue is full, or has room again. One that never says so is sent to again after a while."""
        self._held_until_s = self._now() + HOLD_S if stopped else 0.0
        self._wake.set()

    def pause(self) -> None:
        """Fall silent at once; what the platform drops unplayed is sent again after `resume`. Queueing goes on."""
        if self._paused:
            return
        self._paused = True
        ahead_s = max(0.0, self._schedule.ahead_s(self._now()))
        if self._capabilities.clear:
            self._utterances.take_back(round(ahead_s / self._frame_s))
            self._empty()

    def resume(self) -> None:
        """Go on where `pause` fell silent; nothing happens without one."""
        self._resumed = self._resumed or self._paused
        self._paused = False
        self._stir()

    # Facts.

    def settle(self, cut: bool = False) -> list[tuple[int, float]]:
        """Return the seconds played of each utterance, by the clock; forget those that have sounded to their end.

        With `cut` a clear follows: a platform that has none plays what it was sent all the same.
        """
        by_s = self._now() if self._capabilities.clear or not cut else self._schedule.ends_s
        played = self._schedule.played_s(by_s) / self._frame_s
        return [(number, frames * self._frame_s) for number, frames in self._utterances.positions(played)]

    @property
    def audible(self) -> bool:
        """Whether the caller is hearing something now."""
        return self._schedule.ahead_s(self._now()) > 0.0

    @property
    def left_s(self) -> float:
        """How much is left to be heard of what has been queued."""
        return self._utterances.waiting * self._frame_s + max(0.0, self._schedule.ahead_s(self._now()))

    async def played_out(self, number: int) -> None:
        """Return when the utterance, already fed to or not, has sounded to its end, or was cleared."""
        while (utterance := self._utterances.find(number)) is not None:
            self._moved.clear()
            left_s = None
            if self._utterances.is_sent(utterance):
                left_s = utterance.ends * self._frame_s - self._schedule.played_s(self._now())
                if left_s <= _NOTHING_S:
                    return
            with suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._moved.wait()

    # The pump.

    async def run(self) -> None:
        """Send frames when they are due, for ever; errors of `send` pass through."""
        loop = asyncio.get_running_loop()
        while True:
            self._wake.clear()
            if self._clear_owed:
                self._clear_owed = False
                self._held_until_s = 0.0
                if self._capabilities.clear:
                    await self._send(ClearOutput())
            held_s = self._held_until_s - self._now()
            if held_s <= 0.0:
                await self._send_due()
            if self._utterances.front is not None and self._utterances.front.frames and not self._paused:
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
                async with asyncio.timeout(self._capabilities.silence_every_s):
                    await self._wake.wait()
            except TimeoutError:
                await self._send(SendAudio(self._silence))
        self._idle = False

    async def _send_due(self) -> None:
        now_s = self._now()
        for _ in range(self._schedule.due(now_s)):
            utterance = await self._next_with_frames()
            if utterance is None or self._clear_owed or self._paused:
                return  # cleared while a write was waiting: ClearOutput goes first
            frame = self._utterances.take()
            self._note_sent(utterance, now_s)
            if self.on_frame is not None:
                self.on_frame(frame, self._schedule.ends_s - self._frame_s)
            await self._send(SendAudio(frame))
        await self._next_with_frames()

    async def _next_with_frames(self) -> Utterance | None:
        """Close utterances that are sent to the end; return the one whose frame is next, None when none waits."""
        while (utterance := self._utterances.front) is not None and not self._paused:
            if utterance.frames:
                return utterance
            if not utterance.whole:
                return None
            self._utterances.retire()
            self._moved.set()
            if self._capabilities.marks and utterance.sent:
                await self._send(SendMark(self.marks.add(utterance.number)))
        return None

    def _note_sent(self, utterance: Utterance, now_s: float) -> None:
        begins = utterance.sent == 1 or self._resumed
        if not begins and self._schedule.ahead_s(now_s) < 0.0:
            self.underruns += 1
        self._resumed = False
        self._schedule.sent(1, now_s)
        if begins:
            self.on_audible(utterance.number)
        if self._utterances.waiting <= self._max_frames * _RESUME_SHARE:
            self._room.set()

    def _empty(self) -> None:
        """The platform's queue is to be emptied, and positions begin anew."""
        self.marks.clear()
        self._schedule.start(self._now())
        self._clear_owed = True
        self._stir()

    def _stir(self) -> None:
        self._wake.set()
        self._moved.set()

    def _queue(self, number: int, frames: list[bytes]) -> None:
        self._utterances.queue(number, frames)
        if self._utterances.waiting >= self._max_frames:
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
