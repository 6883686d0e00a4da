"""Vonage's call resource: hang up, transfer and dial by REST, with a token our application signs for each request."""

import json
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import aiohttp
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from gateway.errors import PeerFault
from gateway.platforms.base import Document
from gateway.platforms.control import Answer, OutboundCall, Patience, Rest, bearer, require_success
from gateway.platforms.target import is_number

# A token is made for one request and its retries; long enough for clocks that differ by a minute or two.
TOKEN_LIFE_S = 300


class ApplicationToken:
    """Signs the RS256 tokens of one Vonage application."""

    def __init__(self, application_id: str, private_key_pem: str, now: Callable[[], float] = time.time) -> None:
        """ValueError when the key is no RSA private key in PEM form, without a password."""
        key = load_pem_private_key(private_key_pem.encode(), password=None)
        if not isinstance(key, RSAPrivateKey):
            raise ValueError("the private key of a Vonage application is an RSA key")
        self._key = key
        self._application_id = application_id
        self._now = now

    def issue(self) -> str:
        """A fresh token: it is never used for two requests, as its `jti` would tell."""
        issued_s = int(self._now())
        claims = {
            "application_id": self._application_id,
            "iat": issued_s,
            "exp": issued_s + TOKEN_LIFE_S,
            "jti": secrets.token_hex(16),
        }
        signed = f"{_part({'alg': 'RS256', 'typ': 'JWT'})}.{_part(claims)}"
        return f"{signed}.{_base64(self._key.sign(signed.encode(), PKCS1v15(), SHA256()))}"


class VonageControl:
    """The calls of one application. `base_url` is the host of the region its numbers are in."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        token: ApplicationToken,
        *,
        base_url: str = "https://api.nexmo.com",
        patience: Patience | None = None,
    ) -> None:
        self._http = http
        self._token = token
        self._patience = patience or Patience()
        self._calls_url = f"{base_url.rstrip('/')}/v1/calls"

    async def hang_up(self, call_id: str) -> None:
        answer = await self._send("PUT", self._url(call_id), {"action": "hangup"}, idempotent=True)
        if answer.status not in (404, 410):  # already over
            require_success(answer)

    async def transfer(self, call_id: str, target: str) -> None:
        await self._move(call_id, [{"action": "connect", "endpoint": [_endpoint(target)]}])

    async def redirect(self, call_id: str, document: Document) -> None:
        await self._move(call_id, json.loads(document.body))

    async def send_digits(self, call_id: str, digits: str) -> None:
        """Play DTMF into the leg."""
        # Not idempotent: keys pressed twice are another number.
        answer = await self._send("PUT", f"{self._url(call_id)}/dtmf", {"digits": digits}, idempotent=False)
        require_success(answer)

    async def dial(self, call: OutboundCall) -> str:
        body: dict[str, Any] = {
            "to": [_endpoint(call.to)],
            "from": {"type": "phone", "number": call.caller.lstrip("+")},
            "answer_url": [call.answer_url],
            "answer_method": "POST",
            "ringing_timer": call.ring_timeout_s,
        }
        if call.status_url:
            body["event_url"] = [call.status_url]
            if call.ask_who:
                body["machine_detection"] = "continue"
        answer = await self._send("POST", self._calls_url, body, idempotent=False)
        require_success(answer)
        call_id = answer.body.get("uuid")
        if not isinstance(call_id, str) or not call_id:
            raise PeerFault("rest_bad_answer", "the answer to a new call has no uuid")
        return call_id

    async def _move(self, call_id: str, ncco: Any) -> None:
        body = {"action": "transfer", "destination": {"type": "ncco", "ncco": ncco}}
        # Not idempotent: a second transfer would dial the target anew. (Only a connection that breaks before any answer
        # makes the HTTP client itself send a PUT once more.)
        answer = await self._send("PUT", self._url(call_id), body, idempotent=False)
        if answer.status in (404, 410):
            raise PeerFault("call_over", "the call ended before it could be moved")
        require_success(answer)

    async def _send(self, method: str, url: str, body: Mapping[str, Any], *, idempotent: bool) -> Answer:
        rest = Rest(self._http, bearer(self._token.issue()), self._patience)
        return await rest.send(method, url, body=body, idempotent=idempotent)

    def _url(self, call_id: str) -> str:
        return f"{self._calls_url}/{quote(call_id, safe='')}"


def _endpoint(target: str) -> dict[str, str]:
    """A number, written without the plus as Vonage does, or a SIP address; Refused (400) when it is neither."""
    return {"type": "phone", "number": target.lstrip("+")} if is_number(target) else {"type": "sip", "uri": target}


def _part(value: Mapping[str, Any]) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
