"""Which bot answers a call. The first of these that names one decides:

1. the bot that POST /calls asked for;
2. the call's parameter `bot`, of the webhook's URL or the stream, where it names a bot that is `selectable`;
3. a SIP header that a bot declares;
4. the number that was dialled, or, of a call that we place, the one it is placed from;
5. the default.

Parameters and headers may come from the caller's side of the network, so they choose only among bots that say so; a
name that is unknown, or not to be chosen, is logged and passed over.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

import structlog

from gateway.bots.bot import Bot
from gateway.errors import Refused
from gateway.platforms.base import IncomingCall, WebhookRequest
from gateway.platforms.webhook import webhook_fields

log = structlog.get_logger(__name__)

# Name of the parameter that names a bot.
BOT_PARAMETER = "bot"
# Numbers written with and without country code and trunk zero end alike. Shorter ones are extensions and short codes,
# which are compared whole; and what is in front of the common end is a country code, with what dials abroad at most.
_COMMON_DIGITS = 7
_MORE_DIGITS = 4
_ADDRESS = re.compile(r"(?:(?:sips?|tel):|%2B)*(?P<user>[^@;?>]*)", re.IGNORECASE)
# Also what is pasted along with a number: typographic dashes, and marks of width and direction that nobody sees.
_BETWEEN_DIGITS = re.compile(r"[\s().\-/\u200b-\u2015\u202a-\u202e\u2060-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Dialled:
    """What a call tells about the bot it is for. Header names are in lower case."""

    number: str = field(default="", repr=False)
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def told_by(request: WebhookRequest, call: IncomingCall) -> Dialled:
    """What the answer webhook tells; its own fields count less than its URL, which the operator wrote."""
    told = {name: value for name, value in webhook_fields(request).items() if isinstance(value, str)}
    number = call.caller if call.direction == "outbound" else call.called
    return Dialled(number, {**told, **dict(parse_qsl(urlsplit(request.url).query))}, call.headers)


class Routing:
    """The bots by their names, and the rules by which calls find them."""

    def __init__(self, default: Bot, others: Sequence[Bot] = ()) -> None:
        """ValueError names the two bots that answer the same number or header."""
        self.default = default
        self._bots = {bot.name: bot for bot in (default, *others)}
        self._headers: dict[tuple[str, str], Bot] = {}
        self._numbers: list[tuple[str, Bot]] = []
        for bot in self._bots.values():
            self._add(bot)

    @property
    def all(self) -> tuple[Bot, ...]:
        """Every bot, the default first."""
        return tuple(self._bots.values())

    @property
    def caps(self) -> dict[str, int]:
        """The most calls of each bot that has a cap of its own."""
        return {bot.name: bot.max_calls for bot in self.all if bot.max_calls}

    def named(self, name: str) -> Bot:
        """The bot of that name; Refused (400) names those there are."""
        if name not in self._bots:
            known = ", ".join(self._bots)
            raise Refused("unknown_bot", f"there is no such bot; known are {known}", http_status=400)
        return self._bots[name]

    def choose(self, dialled: Dialled, asked: str = "") -> Bot:
        """The bot for a call; `asked` is the name that POST /calls checked."""
        if asked in self._bots:
            return self._bots[asked]
        return self._by_parameter(dialled.parameters) or self._by_header(dialled.headers) or self._by_number(dialled)

    def _add(self, bot: Bot) -> None:
        for name, value in bot.headers.items():
            other = self._headers.setdefault((name.lower(), value), bot)
            if other is not bot:
                raise ValueError(f"bots {other.name} and {bot.name} both answer the header {name}")
        for written in bot.numbers:
            number = plain(written)
            for known, other in self._numbers:
                if other is not bot and _likeness(known, number):
                    raise ValueError(f"bots {other.name} and {bot.name} both answer the number {written}")
            self._numbers.append((number, bot))

    def _by_parameter(self, parameters: Mapping[str, str]) -> Bot | None:
        name = parameters.get(BOT_PARAMETER, "")
        bot = self._bots.get(name)
        if bot is not None and bot.selectable:
            return bot
        if name:
            log.warning("bot_not_chosen", known=bot is not None, remedy="name a bot that has selectable = true")
        return None

    def _by_header(self, headers: Mapping[str, str]) -> Bot | None:
        return next((bot for (name, value), bot in self._headers.items() if headers.get(name) == value), None)

    def _by_number(self, dialled: Dialled) -> Bot:
        number = plain(dialled.number)
        likely = [(_likeness(known, number), bot) for known, bot in self._numbers]
        best = max((likeness for likeness, _ in likely), default=0)
        if not best:
            return self.default
        found = {bot.name: bot for likeness, bot in likely if likeness == best}
        if len(found) > 1:
            log.warning("number_is_ambiguous", bots=sorted(found), remedy="let the platform send the country code")
            return self.default
        return found.popitem()[1]


def plain(written: str) -> str:
    """A number or address in the one form in which it is compared: digits, or a user's name in small letters."""
    address = written.strip().rpartition("<")[2].rstrip("> ")
    user = _ADDRESS.match(_BETWEEN_DIGITS.sub("", address))["user"]  # type: ignore[index]  # it matches any text
    digits = user.removeprefix("+")
    return digits if digits.isdecimal() and digits.isascii() else user.lower()


def _likeness(one: str, other: str) -> int:
    """How sure it is that two plain numbers are the same; 0 when they are not."""
    if one == other:
        return len(one) and 100
    if not (one.isdecimal() and other.isdecimal()):
        return 0
    short, long = sorted((one.lstrip("0"), other.lstrip("0")), key=len)
    same = len(short) >= _COMMON_DIGITS and long.endswith(short) and len(long) - len(short) <= _MORE_DIGITS
    return len(short) if same else 0
