"""The live calls of this process: who may begin one, which are on, and how they end together."""

import asyncio
import hmac
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog

from gateway.call.answering import AnsweredBy
from gateway.call.record import CallRecord
from gateway.call.ringing import Ringing
from gateway.call.session import CallSession
from gateway.errors import Refused, TtsError
from gateway.platforms.base import Answerer, IncomingCall
from gateway.tts.base import SpeechSession

log = structlog.get_logger(__name__)

# After the goodbyes of a drain have had their time, calls are cancelled; each closes its sockets within two seconds.
DRAIN_GOODBYE_S = 15.0
# 128 random bits: guessing is hopeless within any token lifetime. AudioSocket's UUID carries exactly as many.
TOKEN_BYTES = 16


@dataclass(frozen=True, slots=True)
class Reservation:
    """A place for the call of one answered webhook, until its stream arrives or `expires_s` passes."""

    platform: str
    call: IncomingCall
    token: str = field(repr=False)
    expires_s: float
    voice: SpeechSession
    opening: asyncio.Task[None]
    bot: str
    # What the call was placed with; they wait here, because platforms carry few parameters, or short ones, or none.
    parameters: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Live:
    session: CallSession
    record: CallRecord
    task: asyncio.Task[str]


class Calls:
    """Admission, single-use stream tokens, and the set of sessions. `now` is monotonic seconds.

    `caps` are the most calls of a bot, by its name; one without a cap has all of `max_calls`.
    """

    def __init__(
        self,
        max_calls: int,
        token_ttl_s: float,
        keep_records: int,
        now: Callable[[], float],
        caps: Mapping[str, int] | None = None,
    ) -> None:
        self._max_calls = max_calls
        self._caps = dict(caps or {})
        self._token_ttl_s = token_ttl_s
        self._now = now
        self._reserved: dict[str, Reservation] = {}
        self._live: dict[str, _Live] = {}
        self._ended: deque[CallRecord] = deque(maxlen=keep_records)
        self._closing: set[asyncio.Task[None]] = set()
        self.ringing = Ringing(now)
        self.draining = False

    # Before the stream.

    def admit(self, call_id: str, bot: str = "", reference: str = "") -> None:
        """Refused: 503 while draining or when one more is too many, also of this bot, 409 when this call is on already.

        Without a bot only the calls of all are counted. A call that we placed has kept its place under `reference`.
        """
        self._expire()
        if self.draining:
            raise Refused("draining", "the gateway is shutting down", http_status=503, retryable=True)
        if call_id in self._live:
            raise Refused("call_is_on", "this call already has a stream", http_status=409)
        others = self._bots(call_id, reference)
        if len(others) >= self._max_calls:
            raise Refused("at_capacity", f"{self._max_calls} calls are on or ring", http_status=503, retryable=True)
        cap = self._caps.get(bot, self._max_calls)
        if others.count(bot) >= cap:
            raise Refused("bot_at_capacity", f"{cap} calls of this bot are on or ring", http_status=503, retryable=True)

    def reserve(
        self,
        platform: str,
        call: IncomingCall,
        voice: SpeechSession,
        parameters: Mapping[str, str] | None = None,
        bot: str = "",
    ) -> str:
        """Keep a place, open the voice while the phone rings, return the stream token; a repeat replaces the first."""
        call_id = call.call_id
        self.release(call_id)
        token = secrets.token_hex(TOKEN_BYTES)  # Plivo carries nothing but letters and digits
        opening = asyncio.create_task(_open_early(voice), name=f"{call_id}:open")
        expires_s = self._now() + self._token_ttl_s
        self._reserved[call_id] = Reservation(platform, call, token, expires_s, voice, opening, bot, parameters or {})
        asyncio.get_running_loop().call_later(self._token_ttl_s, self._expire)
        return token

    def claim(self, platform: str, call_id: str, token: str) -> Reservation:
        """Take the reservation that the stream's token proves; the voice is then the caller's. The token is used up.

        A stream that does not know its call has a blank `call_id`. Refused when the token is unknown, used, late, or
        another call's or platform's (F-29b).
        """
        held = self._holder(platform, token)
        if held is None or call_id not in ("", held.call.call_id):
            raise Refused("bad_token", "the stream's token is unknown, used up, or another call's")
        del self._reserved[held.call.call_id]  # opening goes on: the session joins it
        return held

    def holds(self, platform: str, token: str) -> bool:
        """Whether a reservation waits for this token."""
        return self._holder(platform, token) is not None

    def release(self, call_id: str) -> None:
        """Give a reservation back unused; nothing happens without one."""
        if held := self._reserved.pop(call_id, None):
            closing = asyncio.create_task(_close(held), name=f"{call_id}:release")
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    # While they are on.

    async def conduct(self, call_id: str, session: CallSession, record: CallRecord) -> str:
        """Run the call to its end and return why it ended. Cancelling the caller cancels the call."""
        task = asyncio.create_task(session.run(), name=f"{call_id}:call")
        self._live[call_id] = _Live(session, record, task)
        try:
            return await task
        finally:
            await _settled(task)
            del self._live[call_id]
            self._ended.append(record)

    def farewell(self, call_id: str) -> bool:
        """Say goodbye and hang up; False when no such call is on."""
        live = self._live.get(call_id)
        if live is not None:
            live.session.farewell()
        return live is not None

    def told(self, answerer: Answerer) -> None:
        """The platform says who has answered; nothing happens when no such call is on."""
        if live := self._live.get(answerer.call_id):
            live.session.screening.told(AnsweredBy(answerer.answered_by), announced=answerer.announced)

    def records(self) -> list[CallRecord]:
        """Calls that are on, then the ended ones that are kept, newest first."""
        return [*(live.record for live in self._live.values()), *reversed(self._ended)]

    @property
    def count(self) -> int:
        """Calls that are on."""
        return len(self._live)

    @property
    def has_room(self) -> bool:
        return not self.draining and len(self._bots()) < self._max_calls

    # The end.

    async def drain(self, patience_s: float) -> None:
        """Refuse new calls, let those on finish, then say goodbye, then cancel; returns when none is left (F-114)."""
        self.draining = True
        for call_id in list(self._reserved):
            self.release(call_id)
        await self._none_left(patience_s)
        for live in list(self._live.values()):
            live.session.farewell()
        await self._none_left(DRAIN_GOODBYE_S)
        for live in list(self._live.values()):
            live.task.cancel()
        await self._none_left(None)
        if self._closing:
            await asyncio.wait(self._closing)

    def _bots(self, but_call: str = "", but_reference: str = "") -> list[str]:
        """The bot of every call that is on, has a place, or rings, without the one that asks."""
        held = [held.bot for held in self._reserved.values() if held.call.call_id != but_call]
        return [*held, *self.ringing.bots(but_reference), *(live.record.bot for live in self._live.values())]

    async def _none_left(self, patience_s: float | None) -> None:
        if self._live:
            await asyncio.wait([live.task for live in self._live.values()], timeout=patience_s)

    def _holder(self, platform: str, token: str) -> Reservation | None:
        self._expire()
        given = token.encode("utf-8", "replace")
        # All are compared: the time tells nothing.
        fits = [h for h in self._reserved.values() if hmac.compare_digest(h.token.encode(), given)]
        return next((held for held in fits if held.platform == platform), None)

    def _expire(self) -> None:
        now_s = self._now()
        for call_id, held in list(self._reserved.items()):
            if held.expires_s <= now_s:
                log.info("stream_never_came", call=call_id)
                self.release(call_id)


async def _open_early(voice: SpeechSession) -> None:
    """A failure is not the webhook's business: the session opens the voice again and deals with it there."""
    with suppress(TtsError):
        await voice.open()


async def _settled(task: asyncio.Task[Any]) -> None:
    """Cancel a task unless it is done, and wait for its end."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})


async def _close(held: Reservation) -> None:
    await _settled(held.opening)
    await held.voice.close()
