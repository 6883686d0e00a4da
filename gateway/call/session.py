"""One call, from its start message to its last frame. Read it as the way of one utterance:

hear     socket -> codec -> event -> PCM -> recogniser
listen   recogniser -> turn                              (hearing/)
think    turn -> model -> sentences -> voice             (one task per reply, in thinking/)
speak    voice -> PCM -> exact frames
play     frames -> codec -> socket, on schedule; marks come back through `hear`
watch    silence, hard cap
screen   who has answered a call that we placed, where the bot does not talk to machines

Who speaks when is decided in floor.py.

All are tasks of one group: whichever ends the call, the others are cancelled, and leaving `run` closes voice,
recogniser and socket, whatever the reason.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any

import structlog

from gateway.call.departure import Departure, Leg
from gateway.call.ending import CallOver, reason_of
from gateway.call.engines import Engines
from gateway.call.exchange import Exchange
from gateway.call.floor import Floor
from gateway.call.hearing.echo import EchoGate
from gateway.call.hearing.intake import Intake
from gateway.call.hearing.listener import Listener
from gateway.call.keying.key_tones import key_tones
from gateway.call.keying.keys import Keys
from gateway.call.line import Line
from gateway.call.playout import Playout
from gateway.call.record import CallRecord
from gateway.call.screening import Screening
from gateway.call.script import Script, Timing
from gateway.call.speaker import Speaker
from gateway.call.thinking.own_tools import tools_of_call
from gateway.call.thinking.reply import Replies
from gateway.call.tongues import Tongue, Tongues
from gateway.call.turn import Happening, State
from gateway.call.vigil import Vigil
from gateway.errors import Refused, TtsError, VoicebotError
from gateway.events import CallEnded, CallerAudio, CallStarted, Digit, FlowControl, MarkReached

log = structlog.get_logger(__name__)

# A goodbye takes a few seconds; one that cannot be spoken at all must not hold the line longer than this.
FAREWELL_DEADLINE_S = 15.0
# A goodbye, or a message for a machine, that still sounds then is let finish within this.
LAST_WORDS_S = 60.0
# How often `watch` looks at clocks that count in minutes.
WATCH_EVERY_S = 0.5


class CallSession:
    """Runs one call. `leg` is its other end, at the platform."""

    def __init__(
        self,
        line: Line,
        started: CallStarted,
        engines: Engines,
        script: Script,
        timing: Timing,
        leg: Leg,
        record: CallRecord,
    ) -> None:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        self._now: Callable[[], float] = lambda: loop.time() - began_s
        self._line = line
        self._ears = engines.ears
        self._voice = engines.voice
        self._record = record
        self._recording = engines.recording
        self._playout = Playout(
            line.send,
            started.format_out,
            line.codec.capabilities,
            engines.voice.rate_hz,
            timing.lead_ms,
            timing.max_queue_s,
            self._now,
        )
        self._exchange = Exchange(record, self._now)
        self._echo = EchoGate(started.format_in, started.format_out)
        self._listener = Listener(
            engines.ears, started.format_in, self._exchange, self._happen, self._echo, engines.prosody
        )
        self._speaker = Speaker(engines.voice, self._playout, engines.prompts, timing.keys.sound)
        self._tasks = asyncio.TaskGroup()
        self._replies = Replies(engines.model, self._speaker, self._exchange, script, timing, self._spawn, self._happen)
        tones = key_tones(timing.keys.in_band, line.codec.capabilities.digits_in, started.format_in)
        self._keys = Keys(
            timing.keys,
            script.language,
            self._exchange,
            self._listener,
            lambda: self._happen(Happening.KEY),
            lambda: self._floor.settle_keys(),
        )
        self._intake = Intake(self._listener, engines.recording, tones, self._keys.heard)
        self._departure = Departure(line, leg, self._playout, self._spawn, self._happen)
        self._replies.tools = tools_of_call(engines.tools, leg, self._departure, self._speaker, self._happen)
        leave = self._departure.leave_soon
        self._floor = Floor(script, timing, self._listener, self._speaker, self._replies, leave, self._keys)
        self.screening = Screening(script, started, self._listener, self._floor, self._replies, self._departure, record)
        self._intake.also = self.screening.take
        tongues = (Tongue(script, engines.prompts), *engines.tongues)
        self._floor.languages = tuple(tongue.script.language for tongue in tongues)
        self._listener.heard = Tongues(tongues, engines.ears, self._speak_in).heard
        self._vigil = Vigil(timing.max_call_s, timing.silence_s, timing.idle_s if script.still_there else 0.0)
        self._playout.on_audible = self._on_audible
        self._playout.on_frame = self._on_frame
        self._speaker.on_first_audio = lambda _: self._exchange.reach("tts_first_audio")

    async def run(self) -> str:
        """Conduct the call and return why it ended; raises only cancellation and our own bugs."""
        reason = "cancelled"
        try:
            async with AsyncExitStack() as opened:
                for close in (self._line.close, self._ears.close, self._voice.close):
                    opened.push_async_callback(close)
                if self._recording is not None:
                    opened.push_async_callback(self._recording.finish)
                opened.callback(self._over)
                await self._converse()
        except* CallOver as over:
            reason = reason_of(over)
        except* VoicebotError as failed:
            reason = reason_of(failed)
            log.warning("call_failed", code=reason, error=str(failed.exceptions[0]))
        except* Exception:
            reason = "internal_error"
            raise
        finally:
            self._replies.ended(self._playout.audible)
            self._exchange.close()
            self._record.end(reason, self._now(), self._line.faults, self._playout.underruns)
        return reason

    def farewell(self) -> None:
        """End the call politely: the goodbye is heard before the line drops. Idempotent."""
        self._happen(Happening.FAREWELL)

    def press(self, digits: str) -> None:
        """Play keys as tones, behind what is being said. Refused (409) once the call is ending."""
        if self._floor.state in (State.CLOSING, State.OVER):
            raise Refused("call_is_ending", "the call is ending: no key is pressed any more", http_status=409)
        self._tasks.create_task(self._speaker.press(digits), name="press keys")

    async def _converse(self) -> None:
        async with self._tasks as tasks:
            tasks.create_task(self._hear(), name="hear")
            tasks.create_task(self._listener.run(), name="listen")
            tasks.create_task(self._speak(), name="speak")
            tasks.create_task(self._play(), name="play")
            tasks.create_task(self._watch(), name="watch")
            if self._recording is not None:
                tasks.create_task(self._recording.run(), name="record")
            if self.screening.wanted:
                self.screening.begin()
                tasks.create_task(self.screening.run(), name="screen")
            else:
                self._floor.greet()

    async def _hear(self) -> None:
        async for event in self._line.events():
            if isinstance(event, CallerAudio):
                self._vigil.audio_came(self._now())
                self._intake.take(event.payload, self._now())
            elif isinstance(event, Digit):
                self._keys.press(event.digit)
            elif isinstance(event, MarkReached):
                self._speaker.acknowledge(event.name)
            elif isinstance(event, FlowControl):
                self._playout.hold(event.stopped)
            elif isinstance(event, CallEnded):
                self._happen(Happening.CALL_ENDED)
                raise CallOver(await self._departure.reason(event.reason))

    async def _speak(self) -> None:
        try:
            await self._voice.open()
        except TtsError as error:  # it goes on trying; meanwhile prompts are heard from memory
            log.warning("tts_not_open", code=error.code, error=str(error))
        await self._speaker.pump()

    async def _play(self) -> None:
        """Play until the call is over. Whatever ends it, no turn may begin while the parts are being closed."""
        try:
            await self._playout.run()
        finally:
            self._over()

    async def _watch(self) -> None:
        """Every call ends, whatever platform and caller do."""
        over = False
        while not over:
            await asyncio.sleep(WATCH_EVERY_S)
            now_s, state, audible = self._now(), self._floor.state, self._playout.audible
            over = self._vigil.is_over(now_s, state, audible, self._floor.asking)
            if not over and self._vigil.is_idle(now_s, state, audible):
                self._happen(Happening.IDLE)
        self.farewell()
        await asyncio.sleep(FAREWELL_DEADLINE_S)
        if self._playout.audible:
            await asyncio.sleep(LAST_WORDS_S)
        raise CallOver("goodbye_deadline")

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        return self._tasks.create_task(work, name=name)

    def _over(self) -> None:
        self._floor.stop()

    def _on_frame(self, frame: bytes, at_s: float) -> None:
        self._echo.sent(frame, at_s)
        if self._recording is not None:
            self._recording.bot(frame, at_s)

    def _on_audible(self, number: int) -> None:
        if self._speaker.is_keys(number):
            return
        if not self._speaker.is_aside(number):
            self._exchange.reach("first_frame")
        self._happen(Happening.REPLY_AUDIBLE)

    def _happen(self, happening: Happening) -> None:
        self._floor.happen(happening)

    def _speak_in(self, tongue: Tongue) -> None:
        """Go on in another language: sentences, voice, model and patience."""
        self._replies.speak_as(tongue.script)
        self._floor.script = tongue.script
        self._keys.language = tongue.script.language
        self._speaker.prompts = tongue.prompts
