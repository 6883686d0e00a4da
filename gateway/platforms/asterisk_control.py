"""Asterisk's REST interface (ARI): hang up, transfer and dial, for both Asterisk platforms.

The caller's channel runs the dial plan, and is not in a Stasis application: ARI can end it and set global variables,
but not move it. So a transfer leaves the target in a global variable, and the dial plan goes there once the stream is
hung up.
"""

from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, urlsplit

import aiohttp

from gateway.errors import PeerFault, Refused
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall, Patience, Rest, basic, require_success
from gateway.platforms.target import is_number

# Name of the global variable with a transfer's target, before the channel's id.
NEXT_VARIABLE = "VOICEBOT_NEXT_"
# Channel variable with the reference by which the answer webhook knows a call that we placed.
REFERENCE_VARIABLE = "VOICEBOT_REF"


@dataclass(frozen=True, slots=True)
class AsteriskAccount:
    """A user of ari.conf, and where calls that we place begin: `endpoint` has {number} where the number goes."""

    user: str
    password: str = field(repr=False)
    base_url: str = "http://127.0.0.1:8088/ari"
    endpoint: str = "PJSIP/{number}@trunk"
    context: str = "voicebot"
    extension: str = "s"


class AsteriskControl:
    """The channels of one Asterisk."""

    def __init__(
        self, http: aiohttp.ClientSession, account: AsteriskAccount, *, patience: Patience | None = None
    ) -> None:
        self._rest = Rest(http, basic(account.user, account.password), patience or Patience())
        self._account = account
        self._base_url = account.base_url.rstrip("/")

    async def hang_up(self, call_id: str) -> None:
        url = f"{self._base_url}/channels/{quote(call_id, safe='')}"
        answer = await self._rest.send("DELETE", url, idempotent=True)
        if answer.status != 404:  # already over
            require_success(answer)

    async def transfer(self, call_id: str, target: str) -> None:
        """Leave the number for the dial plan, which goes on when the stream is hung up; Refused for a SIP address."""
        if not is_number(target):
            raise Refused("bad_target", "Asterisk's dial plan is given a phone number or an extension", http_status=400)
        variable = {"variable": f"{NEXT_VARIABLE}{call_id}", "value": target}
        require_success(await self._rest.post(f"{self._base_url}/asterisk/variable", variable, idempotent=True))

    async def redirect(self, call_id: str, document: Document) -> None:
        """PeerFault: a dial plan is no document that could be sent."""
        raise PeerFault("rest_refused", "Asterisk takes no documents")

    async def dial(self, call: OutboundCall) -> str:
        reference = parse_qs(urlsplit(call.answer_url).query).get("ref", [""])[0]
        body = {
            "endpoint": self._account.endpoint.replace("{number}", call.to),
            "context": self._account.context,
            "extension": self._account.extension,
            "priority": 1,
            "callerId": call.caller,
            "timeout": call.ring_timeout_s,
            "variables": {REFERENCE_VARIABLE: reference},
        }
        answer = await self._rest.send("POST", f"{self._base_url}/channels", body=body, idempotent=False)
        require_success(answer)
        call_id = answer.body.get("id")
        if not isinstance(call_id, str) or not call_id:
            raise PeerFault("rest_bad_answer", "the answer to a new channel has no id")
        return call_id
