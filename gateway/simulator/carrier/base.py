"""What phone companies do with calls, in one language; each platform's file here translates it from and to its own.

Written from the platforms' documentation; nothing here is shared with gateway.platforms.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook


class State(Enum):
    """What becomes of a call, as status callbacks tell it."""

    RINGING = auto()
    ANSWERED = auto()
    COMPLETED = auto()
    BUSY = auto()
    NO_ANSWER = auto()
    CANCELLED = auto()


@dataclass(frozen=True, slots=True)
class Call:
    """One call between a phone and the platform's application. The URLs are the application's."""

    call_id: str
    caller: str
    called: str
    answer_url: str
    status_url: str
    outbound: bool


@dataclass(frozen=True, slots=True)
class Say:
    """Speech in the platform's own voice, to this call only."""

    text: str


@dataclass(frozen=True, slots=True)
class Enter:
    """Into a conference: it begins when one enters who `starts` it; when one leaves who `ends` it, it ends for all."""

    room: str
    starts: bool = True
    ends: bool = False


@dataclass(frozen=True, slots=True)
class LeaveStream:
    """The media stream ends and the document goes on."""


@dataclass(frozen=True, slots=True)
class HangUp:
    """The call is over."""


Step = Say | Enter | LeaveStream | HangUp


@dataclass(frozen=True, slots=True)
class Place:
    """A call that the application wants placed."""

    called: str
    caller: str
    answer_url: str
    status_url: str
    ring_s: float


@dataclass(frozen=True, slots=True)
class Move:
    """Another document for a call, sent along or to be fetched."""

    call_id: str
    document: Reply | Webhook = field(repr=False)


@dataclass(frozen=True, slots=True)
class End:
    """A call that the application hangs up."""

    call_id: str


Wish = Place | Move | End


@dataclass(frozen=True, slots=True)
class RestRequest:
    """A request of the application at the platform's REST API."""

    method: str
    url: str
    content_type: str = ""
    body: bytes = field(default=b"", repr=False)

    @property
    def path(self) -> str:
        return urlsplit(self.url).path

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))

    @property
    def fields(self) -> Mapping[str, Any]:
        """The JSON object in the body; CallFailed when there is none."""
        try:
            body = json.loads(self.body)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise CallFailed("bad_request", f"{self.method} {self.path} has no JSON object")
        return body


@dataclass(frozen=True, slots=True)
class RestReply:
    """What the API answers."""

    status: int
    body: Any = field(default=None, repr=False)


class Carrier(Protocol):
    """A platform's own words. What it would refuse is a CallFailed: the gateway asked for something wrong."""

    @property
    def name(self) -> str: ...

    @property
    def stream_goes_on(self) -> bool:
        """Whether a call that is given another document keeps its stream until that says otherwise."""
        ...

    def wish(self, request: RestRequest) -> Wish:
        """What a request wants."""
        ...

    def granted(self, wish: Wish, call_id: str) -> RestReply:
        """The answer to a wish that is fulfilled; `call_id` is the new call's, or the one that was meant."""
        ...

    def gone(self) -> RestReply:
        """The answer when the call is not there, or is over."""
        ...

    def answered(self, call: Call) -> Webhook:
        """The signed question what to do with a call that has been answered."""
        ...

    def told(self, call: Call, state: State) -> Webhook | None:
        """The signed status callback; None where the platform does not tell this by default."""
        ...

    def steps(self, document: Reply) -> Sequence[Step]:
        """What a document has the platform do."""
        ...


def matched(pattern: str, request: RestRequest) -> str:
    """The call's id in a request's path, blank without one; CallFailed when the API has no such path."""
    match = re.fullmatch(pattern, request.path)
    if match is None:
        raise CallFailed("bad_request", f"the API has no {request.method} {request.path}")
    return unquote(match[1] or "")
