"""Calls that we place: the platform dials, asks our answer webhook when the call is answered, and streams as ever."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gateway.errors import Refused
from gateway.platforms.control import CallControl, OutboundCall
from gateway.routing import BOT_PARAMETER

# People let it ring five or six times.
RING_TIMEOUT_S = 30
# From dialling to the answer webhook: the ringing, and what carriers add before it.
REMEMBER_S = 120.0
# They are kept here from dialling to the call's end, for every call that is on.
MAX_PARAMETERS = 10
MAX_PARAMETER_CHARS = 400
# Name of the query's parameter by which the answer webhook, or the stream where there is none, knows its call.
REFERENCE = "ref"
_REFERENCE_BYTES = 12
_NUMBER = re.compile(r"\+?[0-9]{3,20}")
_SIP = re.compile(r"sips?:[^\s<>]{1,255}")
# Ours in every answer document.
_RESERVED = frozenset({"token", "call"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call to place, as an operator asked for it."""

    to: str = field(repr=False)
    caller: str = field(repr=False)
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)


def read_wanted(body: Any) -> Wanted:
    """Read {to, from, bot, params} of POST /calls; Refused (400) says what is wrong with it.

    The bot's name goes among the parameters; whether there is such a bot is for the routing to say.
    """
    if not isinstance(body, dict):
        raise Refused("bad_call", "send a JSON object with to, from, platform, bot and params", http_status=400)
    for name in ("to", "from"):
        value = body.get(name)
        if not isinstance(value, str) or not (_NUMBER.fullmatch(value) or _SIP.fullmatch(value)):
            raise Refused("bad_number", f"{name} must be a phone number such as +15550100001", http_status=400)
    parameters, bot = body.get("params", {}), body.get("bot", "")
    if not isinstance(bot, str) or len(bot) > MAX_PARAMETER_CHARS:
        raise Refused("unknown_bot", "bot is the name of a bot", http_status=400)
    if not isinstance(parameters, dict) or len(parameters) > MAX_PARAMETERS:
        raise Refused("bad_parameter", f"params is an object of at most {MAX_PARAMETERS} texts", http_status=400)
    for name, value in parameters.items():
        if not isinstance(value, str) or name in _RESERVED or not 0 < len(name) + len(value) <= MAX_PARAMETER_CHARS:
            limit = f"a parameter is a text; with its name it has at most {MAX_PARAMETER_CHARS} characters"
            raise Refused("bad_parameter", limit, http_status=400)
    return Wanted(body["to"], body["from"], {**parameters, **({BOT_PARAMETER: bot} if bot else {})})


class Outbound:
    """Places calls and remembers, until they are answered, which parameters they were given. `now` is monotonic."""

    def __init__(self, controls: Mapping[str, CallControl], now: Callable[[], float]) -> None:
        self._controls = controls
        self._now = now
        self._parameters: dict[str, tuple[float, Mapping[str, str]]] = {}

    async def place(self, platform: str, wanted: Wanted, base: str) -> str:
        """Dial and return the call's id; Refused (400) where the platform cannot, PeerFault when its API fails."""
        control = self._controls.get(platform)
        if control is None:
            detail = f"no account is configured with which {platform} could place a call"
            raise Refused("cannot_dial", detail, http_status=400)
        # In the URL there is only a number: parameters are personal, and URLs are logged on the way.
        reference = secrets.token_hex(_REFERENCE_BYTES)
        self._forget()
        self._parameters[reference] = (self._now() + REMEMBER_S, wanted.parameters)
        url = f"{base}/{platform}/voice?{REFERENCE}={reference}"
        return await control.dial(
            OutboundCall(wanted.to, wanted.caller, url, f"{base}/{platform}/status", RING_TIMEOUT_S)
        )

    def parameters(self, reference: str) -> Mapping[str, str]:
        """What was asked for with the call of this reference; nothing for an unknown one, and for inbound calls."""
        self._forget()
        # Kept: platforms repeat a webhook that was answered too late.
        return self._parameters.get(reference, (0.0, {}))[1]

    def _forget(self) -> None:
        now_s = self._now()
        for reference, (until_s, _) in list(self._parameters.items()):
            if until_s <= now_s:
                del self._parameters[reference]


def reference_of(url: str) -> str:
    """The reference in the query of a webhook's URL; blank without."""
    return parse_qs(urlsplit(url).query).get(REFERENCE, [""])[0]
