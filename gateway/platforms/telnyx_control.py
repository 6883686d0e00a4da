"""Telnyx by REST: Call Control commands for a call's id, TeXML's resources to dial and to give another document."""

import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp

from gateway.errors import PeerFault
from gateway.platforms.base import Document
from gateway.platforms.control import Answer, OutboundCall, Patience, Rest, bearer, require_success
from gateway.platforms.target import is_number

# "Call has already ended."
_OVER = "90018"


class TelnyxControl:
    """The calls of one API key. `account_id` and `application_id` (a TeXML application) are needed to dial only."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        api_key: str,
        *,
        account_id: str = "",
        application_id: str = "",
        base_url: str = "https://api.telnyx.com",
        patience: Patience | None = None,
    ) -> None:
        self._rest = Rest(http, bearer(api_key), patience or Patience())
        self._application_id = application_id
        base = base_url.rstrip("/")
        self._commands_url = f"{base}/v2/calls"
        self._texml_url = f"{base}/v2/texml/Accounts/{quote(account_id, safe='')}/Calls"

    async def hang_up(self, call_id: str) -> None:
        answer = await self._command(call_id, "hangup", {})
        if not _is_over(answer):
            require_success(answer)

    async def transfer(self, call_id: str, target: str) -> None:
        is_number(target)
        await self._command_alive(call_id, "transfer", {"to": target})

    async def redirect(self, call_id: str, document: Document) -> None:
        url = f"{self._texml_url}/{quote(call_id, safe='')}"
        # Not idempotent: a second document would begin anew.
        answer = await self._rest.post(url, {"Texml": document.body}, idempotent=False)
        _require_alive(answer)

    async def send_digits(self, call_id: str, digits: str) -> None:
        await self._command_alive(call_id, "send_dtmf", {"digits": digits})

    async def dial(self, call: OutboundCall) -> str:
        form = {"ApplicationSid": self._application_id, "To": call.to, "From": call.caller, "Url": call.answer_url}
        form["Timeout"] = str(call.ring_timeout_s)
        if call.status_url:
            form["StatusCallback"] = call.status_url
        answer = await self._rest.send("POST", self._texml_url, body=form, idempotent=False)
        require_success(answer)
        return _call_id(answer.body)

    async def answer(self, call_id: str, stream_order: Mapping[str, Any]) -> None:
        """Answer a Call Control call with its stream; PeerFault as for every method of CallControl."""
        await self._command_alive(call_id, "answer", stream_order)

    async def start_stream(self, call_id: str, stream_order: Mapping[str, Any]) -> None:
        """Order the stream of a call that is answered already, as one is that was dialled."""
        await self._command_alive(call_id, "streaming_start", stream_order)

    async def _command_alive(self, call_id: str, action: str, body: Mapping[str, Any]) -> None:
        _require_alive(await self._command(call_id, action, body))

    async def _command(self, call_id: str, action: str, body: Mapping[str, Any]) -> Answer:
        url = f"{self._commands_url}/{quote(call_id, safe='')}/actions/{action}"
        # Telnyx obeys a command id once, so every command may be tried again.
        return await self._rest.send("POST", url, body={**body, "command_id": str(uuid.uuid4())}, idempotent=True)


def _is_over(answer: Answer) -> bool:
    errors = answer.body.get("errors")
    codes = [str(error.get("code")) for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    return answer.status == 404 or _OVER in codes


def _require_alive(answer: Answer) -> None:
    if _is_over(answer):
        raise PeerFault("call_over", "the call ended before it could be commanded")
    require_success(answer)


def _call_id(body: Mapping[str, Any]) -> str:
    """The new call's id; the documentation of TeXML's answer leaves it out, so it is looked for by all its names."""
    data = body.get("data")
    for place in (body, data if isinstance(data, dict) else {}):
        for name in ("sid", "call_sid", "CallSid", "call_control_id"):
            value = place.get(name)
            if isinstance(value, str) and value:
                return value
    raise PeerFault("rest_bad_answer", "the answer to a new call has no id")
