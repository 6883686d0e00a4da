"""The gateway's parts, and what it does with a webhook and a stream; routes.py is its HTTP side."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from gateway.call.calls import Calls
from gateway.call.line import Line, Socket
from gateway.call.prompts import Prompts
from gateway.call.record import CallRecord
from gateway.call.script import Script, Timing
from gateway.call.session import CallSession, Engines
from gateway.errors import PeerFault, Refused
from gateway.events import CallStarted
from gateway.llm.base import LanguageModel
from gateway.platforms.base import CALL_PARAMETER, Document, Platform, WebhookRequest
from gateway.platforms.control import CallControl
from gateway.stt.base import RecogniserFactory
from gateway.telemetry import Telemetry
from gateway.tts.base import SpeechFactory, SpeechSession

log = structlog.get_logger(__name__)

# WebSocket close code for a peer that may not be here (RFC 6455, 7.4.1).
POLICY_VIOLATION = 1008
TRY_AGAIN_LATER = 1013


@dataclass(frozen=True, slots=True)
class Bot:
    """Everything that makes one bot: its words, its clocks, its voice."""

    script: Script
    timing: Timing
    voice: str
    speed: float


@dataclass(frozen=True, slots=True)
class Parts:
    """What all calls share."""

    ears: RecogniserFactory
    model: LanguageModel
    voice: SpeechFactory
    platforms: Mapping[str, Platform]
    controls: Mapping[str, CallControl]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a socket may take for its first and for every further step."""

    first_message_s: float
    send_timeout_s: float


class Gateway:
    """Answers webhooks and conducts streams. `insecure` skips signatures and tokens; only on loopback."""

    def __init__(
        self, parts: Parts, bot: Bot, calls: Calls, telemetry: Telemetry, bounds: Bounds, insecure: bool
    ) -> None:
        self.parts = parts
        self.calls = calls
        self.telemetry = telemetry
        self.insecure = insecure
        self._bot = bot
        self._bounds = bounds
        self._prompts = Prompts(bot.voice, bot.script.language, bot.speed)
        self._preparing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to keep the fixed sentences as audio; calls may come at once."""
        if self.insecure:
            log.warning("insecure_dev", meaning="no signatures, tokens or admin token are checked; loopback only")
        self._preparing = asyncio.create_task(
            self._prompts.prepare(self.parts.voice, self._bot.script.prompts()), name="prepare prompts"
        )

    async def stop(self, drain_s: float) -> None:
        """Drain the calls, then release what they shared."""
        await self.calls.drain(drain_s)
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.wait({self._preparing})
        for part in (self.parts.voice, self.parts.model, self.parts.ears):
            await part.close()

    async def readiness(self) -> dict[str, bool]:
        """Which parts could serve a call now; all true means ready."""
        stt, llm, tts = await asyncio.gather(
            self.parts.ears.ready(), self.parts.model.ready(), self.parts.voice.ready()
        )
        return {"stt": stt, "llm": llm, "tts": tts, "room": self.calls.has_room}

    def platform(self, name: str) -> Platform:
        """The platform of that name; Refused (404) when there is none."""
        platform = self.parts.platforms.get(name)
        if platform is None:
            raise Refused("unknown_platform", f"no platform is called {name[:32]!r}", http_status=404)
        return platform

    def check(self, platform: Platform, request: WebhookRequest) -> None:
        """Refused (403) unless the platform signed the request."""
        if not self.insecure and not platform.verify(request):
            raise Refused("bad_signature", "the request is not signed by the platform")

    def answer(self, platform: Platform, request: WebhookRequest, stream_url: str) -> Document:
        """The answer to a signed voice webhook: a place is kept, the voice is opened, the token is in the document."""
        incoming = platform.incoming(request)
        try:
            self.calls.admit(incoming.call_id)
        except Refused as refused:
            self.telemetry.refused(platform.name, refused.code)
            log.warning("call_refused", call=incoming.call_id, code=refused.code)
            return platform.reject("busy")
        token = self.calls.reserve(platform.name, incoming.call_id, self._new_voice())
        try:
            parameters = {} if platform.capabilities.call_id_in_stream else {CALL_PARAMETER: incoming.call_id}
            return platform.answer(stream_url, token, parameters)
        except Refused:
            self.calls.release(incoming.call_id)
            raise

    async def conduct(self, platform: Platform, socket: Socket) -> None:
        """Take one media socket from its first message to its end."""
        line = Line(socket, platform.codec(), self._bounds.send_timeout_s)
        try:
            async with asyncio.timeout(self._bounds.first_message_s):
                started = await line.started()
            if started is None:
                return
            voice = self._admit(platform, started)
        except TimeoutError:
            self.telemetry.refused(platform.name, "no_start")
            await line.close(POLICY_VIOLATION)
        except Refused as refused:
            self.telemetry.refused(platform.name, refused.code)
            log.warning("stream_refused", platform=platform.name, code=refused.code)
            await line.close(TRY_AGAIN_LATER if refused.retryable else POLICY_VIOLATION)
        else:
            await self._run(platform, line, started, voice)

    def _admit(self, platform: Platform, started: CallStarted) -> SpeechSession:
        """The voice that was opened for this call; without a webhook, where that is allowed, a new one."""
        token = started.custom.get("token", "")
        if token or not self.insecure:
            return self.calls.claim(platform.name, started.call_id, token)
        self.calls.admit(started.call_id)
        return self._new_voice()

    async def _run(self, platform: Platform, line: Line, started: CallStarted, voice: SpeechSession) -> None:
        began_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        record = CallRecord(started.call_id, platform.name, began_at)
        script = self._bot.script
        engines = Engines(self.parts.ears.recogniser(script.language), self.parts.model, voice, self._prompts)

        async def hang_up() -> None:
            control = self.parts.controls.get(platform.name)
            try:
                if control is not None:
                    await control.hang_up(started.call_id)
            except PeerFault as fault:  # closing the stream ends the leg too, where nothing follows it in the document
                log.error("hang_up_failed", code=fault.code, error=str(fault))

        with structlog.contextvars.bound_contextvars(call=started.call_id):
            log.info("call_started", platform=platform.name)
            session = CallSession(line, started, engines, script, self._bot.timing, hang_up, record)
            self.telemetry.live.inc()
            try:
                await self.calls.conduct(started.call_id, session, record)
            finally:
                self.telemetry.live.dec()
                self.telemetry.call_ended(record)
                log.info(
                    "call_ended", reason=record.ended, duration_s=round(record.duration_s, 1), turns=len(record.turns)
                )

    def _new_voice(self) -> SpeechSession:
        return self.parts.voice.session(self._bot.voice, self._bot.script.language, self._bot.speed)
