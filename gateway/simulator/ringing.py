"""How a simulated platform reaches the gateway: the webhook it asks, if any, and the socket it opens then.

A platform's file provides one Ringing class, sans-IO as its dialect is; run.py makes the connections. In order:
`ask` (None: the platform asks nobody), `door` with what came back, `dialect` for the stream behind the door.
"""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from gateway.simulator.dialect import Dialect
from gateway.simulator.failure import CallFailed

CALLER = "+15550100001"
CALLED = "+15550100002"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A request of the platform. `url` is what it was configured with and signs; the runner finds the way there."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the gateway answered with status 200 or 204."""

    content_type: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Door:
    """Where the stream is to be opened: a ws(s):// address, or tcp://host:port."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    subprotocols: tuple[str, ...] = ()
    # What the operator is to look at when it does not open.
    remedy: str = ""


class Ringing(Protocol):
    """One call, from ringing to its open stream."""

    @property
    def call_id(self) -> str:
        """The id by which the gateway will know the call."""
        ...

    @property
    def rate_hz(self) -> int:
        """The rate this call is expected to have; the answer may order another one for the dialect."""
        ...

    def ask(self, base: str) -> Webhook | None:
        """The answer webhook for a gateway at `base` (scheme and host, http or https); None where none is asked."""
        ...

    def door(self, base: str, reply: Reply | None) -> Door:
        """Follow the answer (None when none was asked for); CallFailed when it does not lead to a stream."""
        ...

    def dialect(self) -> Dialect:
        """The stream's messages, as ordered by the answer that `door` has read."""
        ...


# Makes the Ringing of one call from its seed (equal seeds give equal ids) and the platform's secret, blank for none.
# A secret of two parts is written "user:password" or "key:secret"; each platform's file says which.
MakeRinging = Callable[[str, str], Ringing]


def numbered_uuid(seed: str, number: int = 0) -> str:
    """A UUID made from `seed`, for platforms whose ids are UUIDs; `number` tells several of one call apart."""
    digest = hashlib.md5(f"{seed}/{number}".encode(), usedforsecurity=False).hexdigest()
    return str(uuid.UUID(digest))


def websocket(http_url: str) -> str:
    """The same address with a socket's scheme: https becomes wss, http becomes ws."""
    return "ws" + http_url.removeprefix("http") if http_url.startswith("http") else http_url


def pair_of(secret: str) -> tuple[str, str]:
    """Both parts of a two-part secret; CallFailed when it has only one. Two blanks for a blank one."""
    if not secret:
        return "", ""
    first, colon, second = secret.partition(":")
    if not colon:
        raise CallFailed("bad_secret", "this platform's secret has two parts: write them as first:second")
    return first, second
