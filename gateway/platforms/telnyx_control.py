"""Telnyx by REST: Call Control commands for a call's id, TeXML's resources to dial and to give another document."""

import json
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp

from gateway.errors import PeerFault
from gateway.platforms import twiml
from gateway.platforms.base import Document, IncomingCall
from gateway.platforms.control import Answer, OutboundCall, Patience, Rest, bearer, require_success
from gateway.platforms.target import is_number
from gateway.platforms.telnyx_rooms import TelnyxRooms

# "Call has already ended."
_OVER = "90018"


class TelnyxControl:
    """The calls of one API key. `account_id` and `application_id` are needed to dial only.

    `application` is the kind of that application, texml or call_control.
    """

    def __init__(
        self,
        http: aiohttp.ClientSession,
        api_key: str,
        *,
        account_id: str = "",
        application_id: str = "",
        application: str = "texml",
        base_url: str = "https://api.telnyx.com",
        patience: Patience | None = None,
    ) -> None:
        self._rest = Rest(http, bearer(api_key), patience or Patience())
        self._application_id = application_id
        self._is_commanded = application == "call_control"
        self._rooms = TelnyxRooms(self._command_alive)
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
        if self._is_commanded:
            await self._rooms.enter(call_id, **json.loads(document.body))
            await self._command_alive(call_id, "streaming_stop", {})
            return
        url = f"{self._texml_url}/{quote(call_id, safe='')}"
        # Not idempotent: a second document would begin anew.
        answer = await self._rest.post(url, {"Texml": document.body}, idempotent=False)
        _require_alive(answer)

    async def send_digits(self, call_id: str, digits: str) -> None:
        await self._command_alive(call_id, "send_dtmf", {"digits": digits})

    async def dial(self, call: OutboundCall) -> str:
        if self._is_commanded:
            return await self._dial_commanded(call)
        form = {"ApplicationSid": self._application_id, "To": call.to, "From": call.caller, "Url": call.answer_url}
        form["Timeout"] = str(call.ring_timeout_s)
        if call.status_url:
            form["StatusCallback"] = call.status_url
            form |= twiml.asking_who(call.status_url) if call.ask_who else {}
        answer = await self._rest.send("POST", self._texml_url, body=form, idempotent=False)
        require_success(answer)
        return _call_id(answer.body)

    async def obey(self, call: IncomingCall, document: Document) -> None:
        """Answer a Call Control call with its stream, lead it to its room, or turn it away.

        One that we placed is answered already.
        """
        order = json.loads(document.body)
        is_ours = call.direction == "outbound"
        if "room" in order:
            await self._lead(call.call_id, order)
        elif "cause" in order:
            await (self.hang_up(call.call_id) if is_ours else self._command_alive(call.call_id, "reject", order))
        else:
            await self._command_alive(call.call_id, "streaming_start" if is_ours else "answer", order)

    async def _lead(self, call_id: str, order: Mapping[str, str]) -> None:
        try:
            await self._rooms.enter(call_id, **order)
        except (
            PeerFault
        ):  # the agent would hear nothing for ever, and the end of their call tells that the caller's is due
            await self.hang_up(call_id)
            raise

    async def _dial_commanded(self, call: OutboundCall) -> str:
        """Every event of the call goes to its answer URL."""
        body = {
            "connection_id": self._application_id,
            "to": call.to,
            "from": call.caller,
            "webhook_url": call.answer_url,
            "timeout_secs": call.ring_timeout_s,
            **({"answering_machine_detection": "greeting_end"} if call.ask_who else {}),
        }
        answer = await self._rest.send("POST", self._commands_url, body=body, idempotent=False)
        require_success(answer)
        return _call_id(answer.body)

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
