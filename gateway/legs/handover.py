"""Warm transfers: an agent is called while the caller stays with the bot; when the agent answers, both meet.

They meet in a conference room of the platform. The agent hears the announcement first, the caller the platform's hold
music meanwhile. While it rings, and when nobody answers, nothing has happened to the caller.
"""

import asyncio
import secrets
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any
from urllib.parse import parse_qs, urlsplit

import structlog

from gateway.call.departure import moving_already
from gateway.errors import PeerFault, Refused, VoicebotError
from gateway.legs.outbound import RING_TIMEOUT_S, call_off
from gateway.platforms.base import Document, Platform, Rooms, WebhookRequest
from gateway.platforms.control import CallControl, OutboundCall, may_be_done
from gateway.platforms.target import is_address, is_number

log = structlog.get_logger(__name__)

# Dialling, the ringing itself, and the webhook that tells of the answer.
ANSWER_DEADLINE_S = RING_TIMEOUT_S + 10.0
# Half a minute of speech; the agent is to be told who calls, not to be read to.
MAX_ANNOUNCEMENT_CHARS = 500
# Calls that agents are on; beyond it the oldest are no longer watched.
MAX_KNOWN = 1000
# Name of the query's parameter by which the agent's webhooks know their hand-over.
KEY = "agent"
_KEY_BYTES = 12


class _News(Enum):
    ANSWERED = auto()
    AGENT_GONE = auto()
    CALLER_GONE = auto()


@dataclass(frozen=True, slots=True)
class Invitation:
    """Whom to call, from which number of ours, and what is said to them before they meet the caller."""

    to: str = field(repr=False)
    caller: str = field(repr=False)
    announcement: str = field(default="", repr=False)


@dataclass(slots=True)
class _Ringing:
    call_id: str
    platform: str
    document: Document
    news: asyncio.Future[_News]
    agent_id: str = ""  # once the platform has told it, in its answer or by the webhook
    stream_is_over: bool = False  # the caller's


class Handovers:
    """The warm transfers that are going on. `base_url` is where platforms reach us."""

    def __init__(self, controls: Mapping[str, CallControl], base_url: str) -> None:
        self._controls = controls
        self._base_url = base_url.rstrip("/")
        self._known: dict[str, _Ringing] = {}  # ringing, or answered and not yet over; oldest first
        self._ringing: set[str] = set()  # the callers' calls
        self._astray: dict[str, CallControl] = {}  # callers who may yet be moved to a room that stays closed
        self._running: set[asyncio.Task[None]] = set()

    async def hand_over(self, platform: Platform, call_id: str, invitation: Invitation) -> None:
        """Return when the caller has been moved to the agent; cancelling calls the agent off while it still rings.

        Refused where the platform cannot (400), for a target that is none (400), while another hand-over of this call
        goes on (409), and when the agent does not answer (409); PeerFault when the platform's API fails.
        """
        control = self._controls.get(platform.name)
        if control is None or not isinstance(platform, Rooms) or "warm_transfer" not in platform.capabilities.rest:
            raise Refused("cannot_transfer", f"{platform.name} cannot hand this call over", http_status=400)
        _check(invitation)
        if call_id in self._ringing:
            raise moving_already()
        key = secrets.token_hex(_KEY_BYTES)
        told = platform.room(key, agent=True, announcement=invitation.announcement)
        ringing = _Ringing(call_id, platform.name, told, asyncio.get_running_loop().create_future())
        self._remember(key, ringing)
        self._ringing.add(call_id)
        # A task of its own: the caller's move ends the stream, and with it whoever waits here.
        task = self._begin(self._ring(platform, control, key, ringing, invitation))
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            _tell(ringing, _News.CALLER_GONE)
            raise

    def is_on(self, call_id: str) -> bool:
        """Whether an agent is being called for this caller, called off, or the caller moved to them."""
        return call_id in self._ringing

    def answered(self, platform: Platform, request: WebhookRequest) -> Document | None:
        """The document for an agent's answer webhook; None when its URL is no agent's. An agent too late is hung up.

        Refused (400) for a webhook without the call's id.
        """
        key = _key_of(request.url)
        if not key:
            return None
        ringing = self._known.get(key)
        if ringing is None or ringing.platform != platform.name:
            return platform.reject("rejected")
        # Known before the answer to our own request, when that is late or lost.
        ringing.agent_id = platform.incoming(request).call_id
        _tell(ringing, _News.ANSWERED)
        # Platforms repeat a webhook that was answered too late.
        return ringing.document if ringing.news.result() is _News.ANSWERED else platform.reject("rejected")

    def told(self, platform: Platform, request: WebhookRequest) -> None:
        """Take a signed status callback; only the end of an agent's call, or of a caller's, means anything."""
        if isinstance(platform, Rooms) and (call_id := platform.hung_up(request)):
            self.ended(platform, request.url)
            self.hung_up(platform, call_id)

    def ended(self, platform: Platform, url: str) -> None:
        """The platform says that the agent's call of this URL is over: busy, unanswered, hung up.

        One that hangs up before it is in the room would leave the caller there for ever.
        """
        ringing = self._known.get(_key_of(url))
        if ringing is None or ringing.platform != platform.name or _tell(ringing, _News.AGENT_GONE):
            return
        if ringing.news.result() is _News.ANSWERED:
            del self._known[_key_of(url)]
            self._begin(call_off(self._controls[platform.name], ringing.call_id))

    def left(self, call_id: str) -> None:
        """The caller's stream has ended."""
        for ringing in self._known.values():
            if ringing.call_id == call_id:
                ringing.stream_is_over = True
                _tell(ringing, _News.CALLER_GONE)
        if (control := self._astray.pop(call_id, None)) is not None:
            self._begin(call_off(control, call_id))

    def hung_up(self, platform: Platform, call_id: str) -> None:
        """The platform says that the caller's call is over, not only its stream.

        One who leaves while the agent is told of them leaves a room that has not opened: the agent would wait there.
        """
        for key, ringing in list(self._known.items()):
            if ringing.call_id != call_id or ringing.platform != platform.name or _tell(ringing, _News.CALLER_GONE):
                continue
            if ringing.agent_id:
                del self._known[key]
                self._begin(call_off(self._controls[platform.name], ringing.agent_id))

    async def stop(self) -> None:
        """Call off what still rings."""
        for ringing in self._known.values():
            _tell(ringing, _News.CALLER_GONE)
        if self._running:
            await asyncio.wait(self._running)

    def _remember(self, key: str, ringing: _Ringing) -> None:
        if len(self._known) >= MAX_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[key] = ringing

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name="hand over")
        self._running.add(task)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        task.exception()  # taken note of, should nobody wait for it any more

    async def _ring(
        self, platform: Rooms, control: CallControl, key: str, ringing: _Ringing, invitation: Invitation
    ) -> None:
        try:
            ours, query = f"{self._base_url}/{platform.name}", f"{KEY}={key}"
            call = OutboundCall(
                invitation.to, invitation.caller, f"{ours}/voice?{query}", f"{ours}/status?{query}", RING_TIMEOUT_S
            )
            await self._dial(control, call, ringing)
            await asyncio.wait({ringing.news}, timeout=ANSWER_DEADLINE_S)
            if not ringing.news.done() or ringing.news.result() is not _News.ANSWERED:
                raise Refused("agent_unreachable", "the agent did not answer", http_status=409, retryable=True)
            await self._move(control, ringing, platform.room(key, agent=False))
            log.info("handed_over", call=ringing.call_id)
        except VoicebotError as error:
            log.info("not_handed_over", call=ringing.call_id, code=error.code)
            # Forgotten first: the end of the agent's call, which may be told before our request is answered, must not
            # end the caller's, and who answers now comes too late.
            self._known.pop(key, None)
            if ringing.agent_id:
                await call_off(control, ringing.agent_id)
            raise
        finally:
            self._ringing.discard(ringing.call_id)

    async def _dial(self, control: CallControl, call: OutboundCall, ringing: _Ringing) -> None:
        try:
            ringing.agent_id = await control.dial(call)
        except PeerFault as fault:
            if not (may_be_done(fault) and ringing.agent_id):  # else it rang, and the agent is there
                raise

    async def _move(self, control: CallControl, ringing: _Ringing, document: Document) -> None:
        try:
            await control.redirect(ringing.call_id, document)
        except PeerFault as fault:
            if may_be_done(fault) and ringing.stream_is_over:
                return
            if may_be_done(fault):
                self._astray[ringing.call_id] = control
            raise


def _check(invitation: Invitation) -> None:
    is_number(invitation.to)
    if not is_address(invitation.caller):
        raise Refused("bad_number", "it is not known which number is ours: give it as from", http_status=400)
    if len(invitation.announcement) > MAX_ANNOUNCEMENT_CHARS:
        limit = f"the announcement has more than {MAX_ANNOUNCEMENT_CHARS} characters"
        raise Refused("bad_announcement", limit, http_status=400)


def _tell(ringing: _Ringing, news: _News) -> bool:
    """Whether this is the first news, which decides."""
    if ringing.news.done():
        return False
    ringing.news.set_result(news)
    return True


def _key_of(url: str) -> str:
    return parse_qs(urlsplit(url).query).get(KEY, [""])[0]
