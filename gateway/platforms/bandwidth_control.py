"""Bandwidth's call resource: hang up, transfer and dial by REST, with OAuth2 client credentials or Basic ones."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import aiohttp

from gateway.errors import PeerFault
from gateway.platforms.base import Document
from gateway.platforms.control import Answer, OutboundCall, Patience, Rest, basic, bearer, require_success
from gateway.platforms.target import is_number
from gateway.platforms.xml import document

# A token is not used in its last minute: it could end on the way.
TOKEN_MARGIN_S = 60.0
# Where the answer does not say how long a token lives.
_TOKEN_LIFE_S = 300.0


@dataclass(frozen=True, slots=True)
class BandwidthAccount:
    """The account and its voice application; `user` and `password` are the client's id and secret, or Basic ones.

    `callback_user` and `callback_password` are what Bandwidth is to show at our webhooks; each document that a call is
    given holds it for `hold_s`.
    """

    account_id: str
    application_id: str
    user: str
    password: str = field(repr=False)
    oauth2: bool = True
    callback_user: str = ""
    callback_password: str = field(default="", repr=False)
    base_url: str = "https://voice.bandwidth.com/api/v2"
    token_url: str = "https://api.bandwidth.com/api/v1/oauth2/token"
    hold_s: int = 3_600


class BandwidthControl:
    """The calls of one account. `now` is monotonic seconds."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        account: BandwidthAccount,
        *,
        now: Callable[[], float] = time.monotonic,
        patience: Patience | None = None,
    ) -> None:
        self._http = http
        self._account = account
        self._now = now
        self._patience = patience or Patience()
        self._login = Rest(http, basic(account.user, account.password), self._patience)
        self._token = ""
        self._token_until_s = 0.0
        self._calls_url = f"{account.base_url.rstrip('/')}/accounts/{quote(account.account_id, safe='')}/calls"

    async def hang_up(self, call_id: str) -> None:
        answer = await self._send("POST", self._url(call_id), {"state": "completed"}, idempotent=True)
        if answer.status not in (404, 409):  # unknown, or over: that is what was wanted
            require_success(answer)

    async def transfer(self, call_id: str, target: str) -> None:
        response = ElementTree.Element("Response")
        verb = ElementTree.SubElement(response, "Transfer")
        ElementTree.SubElement(verb, "PhoneNumber" if is_number(target) else "SipUri").text = target
        await self.redirect(call_id, document(response, "application/xml"))

    async def send_digits(self, call_id: str, digits: str) -> None:
        """Play DTMF into the call. The stream goes on meanwhile and after it; the pause holds the call for it."""
        response = ElementTree.Element("Response")
        ElementTree.SubElement(response, "SendDtmf").text = digits
        ElementTree.SubElement(response, "Pause", duration=str(self._account.hold_s))
        await self.redirect(call_id, document(response, "application/xml"))

    async def redirect(self, call_id: str, document: Document) -> None:
        # Not idempotent: a second document would dial the target anew.
        answer = await self._send("PUT", f"{self._url(call_id)}/bxml", document, idempotent=False)
        if answer.status in (404, 409):
            raise PeerFault("call_over", "the call ended before it could be moved")
        require_success(answer)

    async def dial(self, call: OutboundCall) -> str:
        body: dict[str, Any] = {
            "to": call.to,
            "from": call.caller,
            "applicationId": self._account.application_id,
            "answerUrl": call.answer_url,
            "callTimeout": call.ring_timeout_s,
        }
        if call.status_url:
            body["disconnectUrl"] = call.status_url
        if self._account.callback_user:
            body |= {"username": self._account.callback_user, "password": self._account.callback_password}
        answer = await self._send("POST", self._calls_url, body, idempotent=False)
        require_success(answer)
        call_id = answer.body.get("callId")
        if not isinstance(call_id, str) or not call_id:
            raise PeerFault("rest_bad_answer", "the answer to a new call has no callId")
        return call_id

    async def _send(self, method: str, url: str, body: Any, *, idempotent: bool) -> Answer:
        rest = await self._authorised()
        try:
            return await rest.send(method, url, body=body, idempotent=idempotent)
        except PeerFault as fault:
            if fault.code == "rest_unauthorised":
                self._token = ""  # withdrawn before its time: the next request asks for another
            raise

    async def _authorised(self) -> Rest:
        if not self._account.oauth2:
            return self._login
        if not self._token or self._now() >= self._token_until_s:
            form = {"grant_type": "client_credentials"}
            answer = await self._login.post(self._account.token_url, form, idempotent=True)
            require_success(answer)
            token, life_s = answer.body.get("access_token"), answer.body.get("expires_in", _TOKEN_LIFE_S)
            if not isinstance(token, str) or not token:
                raise PeerFault("rest_bad_answer", "the answer to the login has no access_token")
            self._token = token
            life_s = float(life_s) if isinstance(life_s, int | float) else _TOKEN_LIFE_S
            self._token_until_s = self._now() + life_s - TOKEN_MARGIN_S
        return Rest(self._http, bearer(self._token), self._patience)

    def _url(self, call_id: str) -> str:
        return f"{self._calls_url}/{quote(call_id, safe='')}"
