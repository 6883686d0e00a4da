"""Calls that we place: the platform dials, asks our answer webhook when the call is answered, and streams as ever."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import structlog

from gateway.bots.routing import BOT_PARAMETER
from gateway.call.ringing import Ringing
from gateway.call.script import HANG_UP, LEAVE_MESSAGE, TALK, Script
from gateway.errors import PeerFault, Refused, VoicebotError
from gateway.events import CallStarted
from gateway.platforms.control import CallControl, OutboundCall, may_be_done
from gateway.platforms.target import is_address

log = structlog.get_logger(__name__)

# People let it ring five or six times.
RING_TIMEOUT_S = 30
# A call keeps its place for so long while nobody answers: the ringing, and what platforms and carriers add to it. One
# that the platform says is over gives it back at once.
PLACE_S = RING_TIMEOUT_S + 30.0
# From dialling to the answer webhook; one that comes later still finds what the call was placed with.
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


@dataclass(slots=True)
class _Placed:
    until_s: float  # remembered
    control: CallControl
    parameters: Mapping[str, str] = field(repr=False)
    call_id: str = ""  # once the platform has told it


class Outbound:
    """Places calls and remembers, until they are answered, which parameters they were given. `now` is monotonic.

    `ringing` keeps a place for each until then.
    """

    def __init__(self, controls: Mapping[str, CallControl], ringing: Ringing, now: Callable[[], float]) -> None:
        self._controls = controls
        self._ringing = ringing
        self._now = now
        self._placed: dict[str, _Placed] = {}
        self._stopping = False

    def placed(self, reference: str) -> bool:
        """Whether a call with this reference was placed lately."""
        self._forget()
        return reference in self._placed

    async def place(self, platform: str, wanted: Wanted, base: str, bot: str, *, ask_who: bool = False) -> str:
        """Dial for `bot` and return the call's id; Refused (400) where the platform cannot, PeerFault when its API
        fails.

        `ask_who`: the platform is to find out, too, whether a machine answers.
        """
        control = self._controls.get(platform)
        if control is None:
            detail = f"no account is configured with which {platform} could place a call"
            raise Refused("cannot_dial", detail, http_status=400)
        # In the URL there is only a number: parameters are personal, and URLs are logged on the way.
        reference = secrets.token_hex(_REFERENCE_BYTES)
        self._forget()
        self._placed[reference] = placed = _Placed(self._now() + REMEMBER_S, control, wanted.parameters)
        self._ringing.begin(reference, bot, PLACE_S)
        ours, query = f"{base}/{platform}", f"{REFERENCE}={reference}"
        call = OutboundCall(
            wanted.to, wanted.caller, f"{ours}/voice?{query}", f"{ours}/status?{query}", RING_TIMEOUT_S, ask_who
        )
        try:
            placed.call_id = await control.dial(call)
        except VoicebotError as error:
            if not (isinstance(error, PeerFault) and may_be_done(error)):  # else it may ring all the same
                self.over(reference)
            raise
        if self._stopping:
            await self._call_off(reference)
        return placed.call_id

    def over(self, reference: str) -> None:
        """A call of this reference will not be answered any more; nothing happens without one."""
        self._ringing.end(reference)
        self._placed.pop(reference, None)

    async def stop(self) -> None:
        """Call off what still rings: who answered now would hear nothing."""
        self._stopping = True
        await asyncio.gather(*(self._call_off(reference) for reference in list(self._placed)))

    def parameters(self, reference: str) -> Mapping[str, str]:
        """What was asked for with the call of this reference; nothing for an unknown one, and for inbound calls."""
        self._forget()
        # Kept: platforms repeat a webhook that was answered too late.
        placed = self._placed.get(reference)
        return placed.parameters if placed is not None else {}

    async def _call_off(self, reference: str) -> None:
        placed = self._placed.get(reference)
        if placed is not None and placed.call_id and reference in self._ringing:
            self.over(reference)
            await call_off(placed.control, placed.call_id)

    def _forget(self) -> None:
        now_s = self._now()
        self._placed = {reference: placed for reference, placed in self._placed.items() if placed.until_s > now_s}


async def call_off(control: CallControl, call_id: str) -> None:
    """Hang up a call that nobody is to answer or stay on. Never raises."""
    try:
        await control.hang_up(call_id)
    except PeerFault as fault:  # it rings until its own timeout, or the people on it notice
        log.error("hang_up_failed", code=fault.code, error=str(fault))


def reference_of(url: str) -> str:
    """The reference in the query of a webhook's URL; blank without."""
    return parse_qs(urlsplit(url).query).get(REFERENCE, [""])[0]
