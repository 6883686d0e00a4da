"""What the gateway does with a webhook and a stream; routes.py is its HTTP side."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from gateway.bots.bot import Bot, Cast, ears_for
from gateway.bots.routing import BOT_PARAMETER, Dialled, Routing, told_by
from gateway.call.calls import Calls
from gateway.call.engines import Engines
from gateway.call.line import Line, Socket
from gateway.call.record import CallRecord
from gateway.call.recording import Recordings
from gateway.call.script import TALK
from gateway.call.session import CallSession
from gateway.errors import Refused
from gateway.events import CallStarted
from gateway.http.replay import Replays
from gateway.http.sockets import POLICY_VIOLATION, TRY_AGAIN_LATER
from gateway.legs.handover import Handovers
from gateway.legs.introduction import by_query, by_webhook
from gateway.legs.leg import Leg
from gateway.legs.outbound import REFERENCE, Outbound, Wanted, planned, reference_of, scripted
from gateway.parts import Bounds, Parts
from gateway.platforms.base import CALL_PARAMETER, Document, Platform, SignedOnce, TellsWhoAnswered, WebhookRequest
from gateway.telemetry import Telemetry
from gateway.tts.base import SpeechSession

log = structlog.get_logger(__name__)


class Gateway:
    """Answers webhooks and conducts streams. `insecure` skips signatures and tokens; only on loopback."""

    def __init__(
        self,
        parts: Parts,
        routing: Routing,
        calls: Calls,
        telemetry: Telemetry,
        bounds: Bounds,
        insecure: bool,
        recordings: Recordings | None = None,
    ) -> None:
        self.parts = parts
        self.calls = calls
        self.telemetry = telemetry
        telemetry.watch_ringing(calls.ringing)
        self.insecure = insecure
        self.outbound = Outbound(parts.controls, calls.ringing, asyncio.get_running_loop().time)
        self.handovers = Handovers(parts.controls, parts.base_url)
        self.routing = routing
        self._cast = Cast(parts.voice, routing.all)
        self._bounds = bounds
        self._legs: dict[str, Leg] = {}
        self._recordings = recordings
        self._replays = Replays(bounds.replay_s, asyncio.get_running_loop().time)
        self._chores: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin to keep the fixed sentences as audio; calls may come at once."""
        if self.insecure:
            log.warning("insecure_dev", meaning="no signatures, tokens or admin token are checked; loopback only")
        self._chores.add(asyncio.create_task(self._cast.prepare(), name="prepare prompts"))
        if self._recordings is not None:
            self._chores.add(asyncio.create_task(self._recordings.expire_for_ever(), name="expire recordings"))

    async def stop(self, drain_s: float) -> None:
        """Drain the calls, then release what they shared."""
        await asyncio.gather(self.calls.drain(drain_s), self.outbound.stop())
        await self.handovers.stop()
        for chore in self._chores:
            chore.cancel()
        if self._chores:
            await asyncio.wait(self._chores)
        await self.parts.close()

    async def readiness(self) -> dict[str, bool]:
        """Which parts could serve a call now; all true means ready."""
        stt, llm, tts = await asyncio.gather(
            self.parts.ears.ready(), self.parts.model.ready(), self.parts.voice.ready()
        )
        return {"stt": stt, "llm": llm, "tts": tts and not self._cast.waiting, "room": self.calls.has_room}

    def platform(self, name: str) -> Platform:
        """The platform of that name; Refused (404) when there is none."""
        platform = self.parts.platforms.get(name)
        if platform is None:
            raise Refused("unknown_platform", f"no platform is called {name[:32]!r}", http_status=404)
        return platform

    def check(self, platform: Platform, request: WebhookRequest) -> None:
        """Refused (403) unless the platform signed the request, and sent it for the first time where that shows."""
        if self.insecure:
            return
        if not platform.verify(request):
            raise Refused("bad_signature", "the request is not signed by the platform")
        if isinstance(platform, SignedOnce) and (once := platform.once(request)):
            self._replays.admit(f"{platform.name} {once}")

    def answer(self, platform: Platform, request: WebhookRequest, stream_url: str, asked: str = "") -> Document:
        """The answer to a signed voice webhook: a place is kept, the voice is opened, the token is in the document."""
        if (agents := self.handovers.answered(platform, request)) is not None:
            return agents
        incoming = platform.incoming(request)
        reference = reference_of(request.url)
        wanted = self.outbound.parameters(reference)
        bot = self.routing.choose(told_by(request, incoming), wanted.get(BOT_PARAMETER, asked))
        try:
            self.calls.admit(incoming.call_id, bot.name, reference)
        except Refused as refused:
            self.telemetry.refused(platform.name, refused.code)
            log.warning("call_refused", call=incoming.call_id, code=refused.code)
            return platform.reject("busy")
        finally:
            self.calls.ringing.end(reference)
        token = self.calls.reserve(platform.name, incoming, self._cast.voice(bot), wanted, bot.name)
        parameters = {} if platform.capabilities.call_id_in_stream else {CALL_PARAMETER: incoming.call_id}
        if platform.capabilities.token_in_path:
            stream_url = f"{stream_url}/{token}"
        try:
            return platform.answer(stream_url, token, parameters)
        except Refused:
            self.calls.release(incoming.call_id)
            raise

    async def dial(self, platform: Platform, wanted: Wanted, base: str) -> str:
        """Place a call through `platform` and return its id; it is answered like an inbound one.

        Refused where it cannot be placed or held, or for a bot that there is not; PeerFault when the platform's API
        fails.
        """
        asked = wanted.parameters.get(BOT_PARAMETER, "")
        bot = self.routing.named(asked) if asked else self.routing.choose(Dialled(wanted.caller))
        asks = planned(bot.script, wanted).machine != TALK and bot.ask_platform
        self.calls.admit("", bot.name)
        return await self.outbound.place(platform.name, wanted, base, bot.name, ask_who=asks)

    async def news(self, platform: Platform, request: WebhookRequest) -> None:
        """Take a signed status callback: the call may be over, or it may be known who answered it."""
        if isinstance(platform, TellsWhoAnswered) and (told := platform.answered_by(request)) is not None:
            self.calls.told(told)
        self.handovers.told(platform, request)
        ended = platform.ended(request)
        if ended:
            self.outbound.over(reference_of(request.url))
        leg = self._legs.get(ended)
        if leg is not None and leg.platform.name == platform.name:
            await leg.over("status")

    def leg(self, call_id: str) -> Leg:
        """The leg of a call that is on; Refused (404) when there is none."""
        leg = self._legs.get(call_id)
        if leg is None:
            raise Refused("unknown_call", "no such call is on", http_status=404)
        return leg

    async def conduct(
        self, platform: Platform, socket: Socket, token: str = "", query: Mapping[str, str] | None = None
    ) -> None:
        """Take one media socket from its first message to its end; `token` and `query` are what its URL told."""
        line = Line(socket, platform.codec(), self._bounds.send_timeout_s)
        try:
            async with asyncio.timeout(self._bounds.first_message_s):
                started = await line.started()
            if started is None:
                return
            if query and platform.capabilities.query_tells:
                started = by_query(started, query)
            started, voice, bot = self._admit(platform, started, token or started.custom.get("token", ""))
        except TimeoutError:
            self.telemetry.refused(platform.name, "no_start")
            await line.close(POLICY_VIOLATION)
        except Refused as refused:
            self.telemetry.refused(platform.name, refused.code)
            log.warning("stream_refused", platform=platform.name, code=refused.code)
            await line.close(TRY_AGAIN_LATER if refused.retryable else POLICY_VIOLATION)
        else:
            await self._run(platform, line, started, voice, bot)

    def _admit(self, platform: Platform, started: CallStarted, token: str) -> tuple[CallStarted, SpeechSession, Bot]:
        """The voice that was opened for this call, and its bot; without a webhook, where that is allowed, new ones.

        A stream that does not know its call gets the id that the webhook told; the numbers and the parameters that the
        call was placed with are added to what the stream told.
        """
        capabilities = platform.capabilities
        knows_its_call = capabilities.call_id_in_stream or CALL_PARAMETER in started.custom
        unproven = not token or not (knows_its_call or self.calls.holds(platform.name, token))
        if unproven and (self.insecure or capabilities.socket_admits):
            reference = started.custom.get(REFERENCE, "")
            wanted = self.outbound.parameters(reference)
            bot = self.routing.choose(Dialled(started.called, started.custom), wanted.get(BOT_PARAMETER, ""))
            self.calls.admit(started.call_id, bot.name, reference)
            self.calls.ringing.end(reference)
            ours = started.outbound or self.outbound.placed(reference)
            custom = {**started.custom, **wanted}
            return replace(started, custom=custom, outbound=ours), self._cast.voice(bot), bot
        held = self.calls.claim(platform.name, started.call_id if knows_its_call else "", token)
        return by_webhook(started, held.call, held.parameters), held.voice, self.routing.named(held.bot)

    async def _run(self, platform: Platform, line: Line, started: CallStarted, voice: SpeechSession, bot: Bot) -> None:
        began_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        record = CallRecord(started.call_id, platform.name, began_at, bot=bot.name)
        recording = None
        if self._recordings is not None:
            recording = self._recordings.of(record, started.format_in, started.format_out)
        ears, prompts = ears_for(bot, self.parts.ears), self._cast.prompts(bot)
        tongues = self._cast.tongues(bot)
        engines = Engines(ears, self.parts.model, voice, prompts, recording, bot.tools, tongues, self.parts.prosody)
        leg = Leg(platform, started, line, self.parts.controls.get(platform.name), self.handovers)
        with structlog.contextvars.bound_contextvars(call=started.call_id):
            log.info("call_started", platform=platform.name, bot=bot.name)
            session = CallSession(line, started, engines, scripted(bot.script, started), bot.timing, leg, record)
            leg.play_keys = session.press
            self.telemetry.call_began(bot.name)
            self._legs[started.call_id] = leg
            try:
                await self.calls.conduct(started.call_id, session, record)
            finally:
                del self._legs[started.call_id]
                self.handovers.left(started.call_id)
                self.telemetry.call_ended(record)
                log.info(
                    "call_ended", reason=record.ended, duration_s=round(record.duration_s, 1), turns=len(record.turns)
                )
