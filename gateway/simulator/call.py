"""One simulated call over an open link: the caller's frames out on an absolute schedule, the bot's audio in.

Time is the running loop's, so the same code runs in real time over a socket and in no time under a leaping clock.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gateway.simulator.dialect import (
    BotAudio,
    BotClear,
    BotControl,
    BotDigits,
    BotHangUp,
    BotMark,
    BotTransfer,
    BotViolation,
    Dialect,
)
from gateway.simulator.faults import Faults, Packets
from gateway.simulator.link import Link
from gateway.simulator.playback import Gap, Playback
from gateway.simulator.script import FRAME_MS, Script, SpokenTurn
from media import dtmf

_FRAME_S = FRAME_MS / 1000
# A script that never ends, or a bot that never stops talking, ends here.
MAX_CALL_S = 1800.0
# Violations kept; a gateway that breaks the rules does so in every message.
_MAX_VIOLATIONS = 20


@dataclass(frozen=True, slots=True)
class CallTrace:
    """What happened on a call: all times in seconds since its stream began, both voices as PCM of `duration_s`."""

    rate_hz: int
    duration_s: float
    ended_by: str  # caller, gateway, fault, or limit
    spoken: tuple[SpokenTurn, ...]
    playback: Playback = field(repr=False)
    caller_pcm: bytes = field(repr=False)
    violations: tuple[str, ...] = ()
    # What the bot had played into the call as keys, and where it moved the caller, on the stream.
    digits: str = field(default="", repr=False)
    transferred_to: str = field(default="", repr=False)

    @property
    def keyed(self) -> str:
        """The keys that the bot pressed, as the far end understood them: told on the stream, or heard as tones."""
        return self.digits + dtmf.keys_in(self.heard_pcm, self.rate_hz)

    @property
    def heard_pcm(self) -> bytes:
        return self.playback.heard(self.duration_s)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return tuple(self.playback.gaps)


class SimulatedCall:
    """Runs once; the link is closed when run() returns or raises."""

    def __init__(
        self,
        link: Link,
        dialect: Dialect,
        script: Script,
        faults: Faults | None = None,
        *,
        max_call_s: float = MAX_CALL_S,
    ) -> None:
        self._link = link
        self._dialect = dialect
        self._script = script
        self._faults = faults or Faults()
        self._packets = Packets(self._faults)
        self._max_call_s = max_call_s
        self._playback = Playback(dialect.rate_hz, queue_s=dialect.traits.queue_s, marks=dialect.traits.marks)
        self._caller_pcm = bytearray()
        self._key_tones = b""  # of keys that are only heard
        self._violations: list[str] = []
        # Marks on their way back: (when they leave, name).
        self._acks: list[tuple[float, str]] = []
        self._ack_count = 0
        self._began_s = 0.0
        self._last_audio_s = 0.0
        self._digits = ""
        self._transferred_to = ""

    async def run(self) -> CallTrace:
        """Hold the call until either side ends it; CallFailed when the gateway stops reading."""
        try:
            await self._send(self._dialect.opening())
            self._began_s = asyncio.get_running_loop().time()
            listening = asyncio.create_task(self._listen(), name="simulated call: listen")
            try:
                ended_by = await self._talk(listening)
            finally:
                duration_s = self._now_s()
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
        finally:
            await self._link.close()
        return CallTrace(
            self._dialect.rate_hz,
            duration_s,
            ended_by,
            tuple(self._script.spoken),
            self._playback,
            bytes(self._caller_pcm),
            tuple(self._violations),
            self._digits,
            self._transferred_to,
        )

    async def _talk(self, listening: "asyncio.Task[None]") -> str:
        """Send a frame every 20 ms, each when its last sample has been spoken; return who ended the call."""
        for number in range(round(self._max_call_s / _FRAME_S)):
            frame = self._script.frame(number * _FRAME_S, self._playback)
            if frame is None:
                await self._hang_up()
                return "caller"
            await self._sleep_until((number + 1) * _FRAME_S)
            pcm = self._with_echo(self._with_keys(frame.pcm, frame.digits), (number + 1) * _FRAME_S)
            self._caller_pcm += pcm
            if await self._broken():
                self._link.abort()
                return "fault"
            for digit in frame.digits:
                await self._send(self._dialect.digit(digit))
            await self._send(self._packets.carry(self._dialect.audio(pcm)))
            await self._return_marks()
            await self._send(self._dialect.tick(self._playback.queued_s(self._now_s())))
            if listening.done():
                listening.result()
                return "gateway"
            if self._now_s() - self._last_audio_s > self._dialect.traits.needs_audio_every_s:
                self._violate("the bot has sent no audio for too long: the platform ends the call")
                return "fault"
        await self._hang_up()
        return "limit"

    def _with_keys(self, pcm: bytes, digits: str) -> bytes:
        """The frame with the tones of keys that the platform does not report."""
        if not self._dialect.traits.reports_keys:
            self._key_tones += dtmf.tones(digits, self._dialect.rate_hz)
        if not self._key_tones:
            return pcm
        tone, self._key_tones = self._key_tones[: len(pcm)], self._key_tones[len(pcm) :]
        mixed = np.frombuffer(pcm, "<i2").astype(int) + np.frombuffer(tone.ljust(len(pcm), b"\0"), "<i2")
        return bytes(mixed.clip(-32768, 32767).astype("<i2").tobytes())

    def _with_echo(self, pcm: bytes, ends_s: float) -> bytes:
        if self._faults.echo_db is None:
            return pcm
        ends_s -= self._faults.echo_delay_s
        bot = np.frombuffer(self._playback.between(ends_s - _FRAME_S, ends_s), "<i2")
        mixed = np.frombuffer(pcm, "<i2") + bot * 10 ** (self._faults.echo_db / 20)
        return mixed.clip(-32768, 32767).astype("<i2").tobytes()

    async def _listen(self) -> None:
        """Take the gateway's messages until it closes, or has the platform end the call."""
        while (message := await self._link.receive()) is not None:
            await self._wait_for_line()
            match self._dialect.receive(message):
                case BotAudio(pcm):
                    self._last_audio_s = self._now_s()
                    if not self._playback.put(self._now_s(), pcm):
                        self._violate("the platform's queue is full: audio is dropped")
                case BotMark(name):
                    self._playback.mark(self._now_s(), name)
                    await self._return_marks()
                case BotClear():
                    await self._clear()
                case BotViolation(detail):
                    self._violate(detail)
                case BotControl(replies):
                    await self._send(replies)
                case BotDigits(digits):
                    self._digits += digits
                case BotTransfer(target):
                    self._transferred_to = target
                    return
                case BotHangUp(replies):
                    await self._send(replies)
                    return

    async def _clear(self) -> None:
        dropped = self._playback.clear(self._now_s())
        if self._dialect.traits.clear_returns_marks:
            self._note_acks(dropped)
        await self._return_marks()
        await self._send(self._dialect.cleared(dropped))

    def _violate(self, detail: str) -> None:
        if len(self._violations) < _MAX_VIOLATIONS:
            self._violations.append(detail)

    async def _return_marks(self) -> None:
        self._note_acks(self._playback.due(self._now_s()))
        leaving = [name for at_s, name in self._acks if at_s <= self._now_s()]
        self._acks = [(at_s, name) for at_s, name in self._acks if at_s > self._now_s()]
        for name in leaving:
            await self._send(self._dialect.mark(name))

    def _note_acks(self, names: list[str]) -> None:
        for name in names:
            self._ack_count += 1
            if not self._faults.loses(self._ack_count):
                copies = 2 if self._faults.repeat_acks else 1
                self._acks += [(self._now_s() + self._faults.ack_delay_s, name)] * copies

    async def _broken(self) -> bool:
        """Let the line's faults happen; True when the call is to be dropped."""
        await self._sleep_until(self._faults.stalled_until_s(self._now_s()))
        if self._faults.half_open(self._now_s()):
            await asyncio.sleep(self._faults.half_open_s)
            return True
        return self._faults.dropped(self._now_s())

    async def _wait_for_line(self) -> None:
        """Before a message is read: wait while the line is stalled, and for ever once it is half open."""
        await self._sleep_until(self._faults.stalled_until_s(self._now_s()))
        if self._faults.half_open(self._now_s()):
            await asyncio.Event().wait()  # run() cancels this

    async def _hang_up(self) -> None:
        if not self._faults.without_stop:
            await self._send(self._dialect.stop())

    async def _send(self, messages: Sequence[str | bytes]) -> None:
        for message in messages:
            await self._link.send(message)

    async def _sleep_until(self, at_s: float) -> None:
        pause_s = at_s - self._now_s()
        if pause_s > 0:
            await asyncio.sleep(pause_s)

    def _now_s(self) -> float:
        return asyncio.get_running_loop().time() - self._began_s
