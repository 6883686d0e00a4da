"""What is done to a call from outside its stream, by the platform's REST API: hang up, transfer, dial."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import quote

import aiohttp

from gateway.errors import PeerFault
from gateway.platforms import twiml
from gateway.platforms.base import Document

# A call resource is about 2 kB; more is read to nobody's use.
MAX_ANSWER_BYTES = 64 * 1024

# Faults after which a request may have taken effect all the same.
_UNCERTAIN = frozenset({"rest_timeout", "rest_connection_lost", "rest_failed", "rest_bad_answer"})
# "Resource not found" and "call is not in progress": the leg is already gone (F-12).
_TWILIO_OVER = frozenset({20404, 21220})


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an API is waited for. With these values a request is over after 16 s at the latest."""

    # The API answers in well under a second; a caller waits for a transfer, so a dead one must be known soon.
    connect_s: float = 3.0
    total_s: float = 5.0
    # Before the second and the third try.
    pauses_s: tuple[float, ...] = (0.2, 0.8)


@dataclass(frozen=True, slots=True)
class OutboundCall:
    """A call to place: `answer_url` is asked for the document when it is answered; numbers in E.164."""

    to: str = field(repr=False)
    caller: str = field(repr=False)
    answer_url: str
    status_url: str = ""
    ring_timeout_s: int = 30
    # The platform is to tell the status URL whether a person or a machine answers, where it can.
    ask_who: bool = False


class CallControl(Protocol):
    """A platform's REST API. Every method raises PeerFault (`retryable` set) when the API fails or refuses."""

    async def hang_up(self, call_id: str) -> None:
        """End the call. Idempotent: a call that is already over is a success."""
        ...

    async def transfer(self, call_id: str, target: str) -> None:
        """Move the caller to a number or SIP address; Refused when `target` is neither."""
        ...

    async def redirect(self, call_id: str, document: Document) -> None:
        """Go on with another document; the media stream ends."""
        ...

    async def dial(self, call: OutboundCall) -> str:
        """Place a call and return its id."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer of a REST API, its body parsed where it is a JSON object."""

    status: int
    body: Mapping[str, Any] = field(repr=False)

    @property
    def code(self) -> int:
        """The API's own error number, 0 without one."""
        code = self.body.get("code")
        return code if isinstance(code, int) else 0


def basic(user: str, password: str) -> dict[str, str]:
    """The header of HTTP Basic credentials."""
    return {"Authorization": "Basic " + b64encode(f"{user}:{password}".encode()).decode("ascii")}


def bearer(key: str) -> dict[str, str]:
    """The header of a bearer key."""
    return {"Authorization": f"Bearer {key}"}


class Rest:
    """Sends forms or JSON with `credentials` as headers, bounded in time, again only where that can do no harm."""

    def __init__(self, http: aiohttp.ClientSession, credentials: Mapping[str, str], patience: Patience) -> None:
        self._http = http
        self._headers = {**credentials, "Accept": "application/json"}
        self._patience = patience
        self._timeout = aiohttp.ClientTimeout(total=patience.total_s, connect=patience.connect_s)

    async def post(self, url: str, form: Mapping[str, str], *, idempotent: bool) -> Answer:
        """POST a form; see `send`."""
        return await self.send("POST", url, form=form, idempotent=idempotent)

    async def send(
        self,
        method: str,
        url: str,
        *,
        idempotent: bool,
        form: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> Answer:
        """Send a form, or `body`: a Document as it is, anything else as JSON. Every answer is returned but 401, 403,
        429, 500 and above; these are PeerFaults, as are timeouts and lost connections.

        A request that surely did not take effect (not connected, 429) is tried again; one that may have, only when
        `idempotent`.
        """
        for pause_s in self._patience.pauses_s:
            try:
                return await self._send_once(method, url, form, body)
            except PeerFault as fault:
                if not fault.retryable or (fault.code in _UNCERTAIN and not idempotent):
                    raise
            await asyncio.sleep(pause_s)
        return await self._send_once(method, url, form, body)

    async def _send_once(self, method: str, url: str, form: Mapping[str, str] | None, body: Any) -> Answer:
        document = body if isinstance(body, Document) else None
        content = {"Content-Type": document.content_type} if document else {}
        try:
            # No redirects: they would carry the credentials to another host.
            async with self._http.request(
                method,
                url,
                data=document.body.encode() if document else form,
                json=None if document else body,
                headers={**self._headers, **content},
                timeout=self._timeout,
                allow_redirects=False,
            ) as response:
                answer = Answer(response.status, await _read_json(response))
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise PeerFault("rest_unreachable", type(error).__name__, retryable=True) from error
        except TimeoutError as error:
            raise PeerFault("rest_timeout", f"no answer within {self._patience.total_s:g} s", retryable=True) from error
        except aiohttp.ClientError as error:
            raise PeerFault("rest_connection_lost", type(error).__name__, retryable=True) from error
        return _checked(answer)


class TwilioControl:
    """Twilio's call resource. `key_sid` with its secret may stand in for the account's own token."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        account_sid: str,
        secret: str,
        *,
        key_sid: str = "",
        base_url: str = "https://api.twilio.com",
        patience: Patience | None = None,
    ) -> None:
        self._rest = Rest(http, basic(key_sid or account_sid, secret), patience or Patience())
        self._calls_url = f"{base_url.rstrip('/')}/2010-04-01/Accounts/{quote(account_sid, safe='')}/Calls"

    async def hang_up(self, call_id: str) -> None:
        answer = await self._rest.post(self._url(call_id), {"Status": "completed"}, idempotent=True)
        if answer.status == 404 or answer.code in _TWILIO_OVER:
            return
        require_success(answer)

    async def transfer(self, call_id: str, target: str) -> None:
        await self.redirect(call_id, twiml.dial(target))

    async def redirect(self, call_id: str, document: Document) -> None:
        # Not idempotent: a second update would dial the target anew.
        answer = await self._rest.post(self._url(call_id), self._moved_to(document), idempotent=False)
        if answer.status == 404 or answer.code in _TWILIO_OVER:
            raise PeerFault("call_over", "the call ended before it could be moved")
        require_success(answer)

    async def dial(self, call: OutboundCall) -> str:
        form = {"To": call.to, "From": call.caller, "Url": call.answer_url, "Timeout": str(call.ring_timeout_s)}
        if call.status_url:
            form["StatusCallback"] = call.status_url
            form |= twiml.asking_who(call.status_url) if call.ask_who else {}
        answer = await self._rest.post(f"{self._calls_url}.json", form, idempotent=False)
        require_success(answer)
        call_id = answer.body.get("sid")
        if not isinstance(call_id, str) or not call_id:
            raise PeerFault("rest_bad_answer", "the answer to a new call has no sid")
        return call_id

    def _moved_to(self, document: Document) -> dict[str, str]:
        return {"Twiml": document.body}

    def _url(self, call_id: str) -> str:
        return f"{self._calls_url}/{quote(call_id, safe='')}.json"


async def _read_json(response: aiohttp.ClientResponse) -> Mapping[str, Any]:
    body = b""
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            raise PeerFault("rest_bad_answer", f"the answer is longer than {MAX_ANSWER_BYTES} bytes")
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _checked(answer: Answer) -> Answer:
    if answer.status in (401, 403):
        raise PeerFault("rest_unauthorised", _described(answer))
    if answer.status == 429:
        raise PeerFault("rest_rate_limited", _described(answer), retryable=True)
    if answer.status >= 500:
        raise PeerFault("rest_failed", _described(answer), retryable=True)
    return answer


def may_be_done(fault: PeerFault) -> bool:
    """Whether a request that failed so may have taken effect, or will yet: its answer was lost, or made no sense."""
    return fault.code in _UNCERTAIN


def require_success(answer: Answer) -> None:
    """PeerFault `rest_refused` for anything but a 2xx answer."""
    if not 200 <= answer.status < 300:
        raise PeerFault("rest_refused", _described(answer))


def _described(answer: Answer) -> str:
    # The API's message text may repeat phone numbers, so only its numbers are kept.
    return f"HTTP {answer.status}, error {answer.code}" if answer.code else f"HTTP {answer.status}"
