"""Calls that we place: the platform dials, asks our answer webhook when the call is answered, and streams as ever."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gateway.bots.routing import BOT_PARAMETER
from gateway.call.script import HANG_UP, LEAVE_MESSAGE, TALK, Script
from gateway.errors import Refused
from gateway.events import CallStarted
from gateway.platforms.control import CallControl, OutboundCall
from gateway.platforms.target import is_address

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
# Names of the parameters that say what to do when a machine answers, and which message it is told.
MACHINE_PARAMETER, MESSAGE_PARAMETER = "machine", "message"
# Half a minute of speech; machines cut off what is longer.
MAX_MESSAGE_CHARS = 1000
# Ours in every answer document, and of POST /calls itself.
_RESERVED = frozenset({"token", "call", MACHINE_PARAMETER, MESSAGE_PARAMETER})


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call to place, as an operator asked for it."""

    to: str = field(repr=False)
    caller: str = field(repr=False)
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)


def read_wanted(body: Any) -> Wanted:
    """Read {to, from, bot, machine, message, params} of POST /calls; Refused (400) says what is wrong with it.

    The bot's name goes among the parameters; whether there is such a bot is for the routing to say. So do `machine` and
    `message`, which count more than the bot's own.
    """
    if not isinstance(body, dict):
        raise Refused("bad_call", "send a JSON object with to, from, platform, bot and params", http_status=400)
    for name in ("to", "from"):
        value = body.get(name)
        if not isinstance(value, str) or not is_address(value):
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
    ours = {BOT_PARAMETER: bot, **_for_machines(body)}
    return Wanted(body["to"], body["from"], {**parameters, **{name: value for name, value in ours.items() if value}})


def scripted(script: Script, started: CallStarted) -> Script:
    """The bot's script as it was asked for with this call, when we placed it."""
    return _as_asked(script, started.custom) if started.outbound else script


def planned(script: Script, wanted: Wanted) -> Script:
    """The bot's script for a call to be placed; Refused (400) when there is no message for the machine to be left."""
    script = _as_asked(script, wanted.parameters)
    if script.machine == LEAVE_MESSAGE and not script.message:
        raise Refused("no_message", "there is no message for a machine: send one, or set bot.message", http_status=400)
    return script


def _as_asked(script: Script, parameters: Mapping[str, str]) -> Script:
    message = parameters.get(MESSAGE_PARAMETER, script.message)
    return replace(script, machine=parameters.get(MACHINE_PARAMETER, script.machine), message=message)


def _for_machines(body: Mapping[str, Any]) -> dict[str, str]:
    machine, message = body.get(MACHINE_PARAMETER, ""), body.get(MESSAGE_PARAMETER, "")
    if machine not in ("", TALK, HANG_UP, LEAVE_MESSAGE):
        raise Refused("bad_machine", f"machine is {TALK}, {HANG_UP} or {LEAVE_MESSAGE}", http_status=400)
    if not isinstance(message, str) or len(message) > MAX_MESSAGE_CHARS:
        limit = f"message is a text of at most {MAX_MESSAGE_CHARS} characters"
        raise Refused("bad_message", limit, http_status=400)
    return {MACHINE_PARAMETER: machine, MESSAGE_PARAMETER: message.strip()}


class Outbound:
    """Places calls and remembers, until they are answered, which parameters they were given. `now` is monotonic."""

    def __init__(self, controls: Mapping[str, CallControl], now: Callable[[], float]) -> None:
        self._controls = controls
        self._now = now
        self._parameters: dict[str, tuple[float, Mapping[str, str]]] = {}

    def placed(self, reference: str) -> bool:
        """Whether a call with this reference was placed lately."""
        self._forget()
        return reference in self._parameters

    async def place(self, platform: str, wanted: Wanted, base: str, *, ask_who: bool = False) -> str:
        """Dial and return the call's id; Refused (400) where the platform cannot, PeerFault when its API fails.

        `ask_who`: the platform is to find out, too, whether a machine answers.
        """
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
            OutboundCall(wanted.to, wanted.caller, url, f"{base}/{platform}/status", RING_TIMEOUT_S, ask_who)
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
