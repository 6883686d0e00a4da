"""What every phone platform is: a codec for its stream, a document for its webhook, a record of what it can do.

All of it is synchronous and sans-IO. REST (hang up, transfer, dial) is in control.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from gateway.events import Command, Event
from media.formats import AudioFormat

# A media message is below 2 kB; a start message with parameters below 8 kB. Checked before anything is parsed.
MAX_MESSAGE_BYTES = 64 * 1024
# Name of the answer document's parameter with the call's id.
CALL_PARAMETER = "call"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the platform can do, as data; the session asks here and never for a platform's name."""

    # Audio towards the platform: messages of exactly this length, longer where that is below the least size it takes.
    frame_ms: int = 20
    min_frame_bytes: int = 0
    # How far ahead of real time we may send; small where the platform has no queue of its own (AudioSocket).
    longest_lead_ms: int = 1000
    # Silence is sent when nothing was for so long: the platform hangs up on a quiet peer; None where it does not.
    silence_every_s: float | None = None
    marks: bool = True
    # On a clear the platform returns every pending mark at once, played or not (Twilio, Telnyx, SignalWire).
    marks_returned_on_clear: bool = True
    # Without a clear, what has been sent is played.
    clear: bool = True
    clear_acknowledged: bool = False
    digits_in: bool = True
    # Who ends the leg: a REST request by the call's id, or a command on the stream.
    hang_up_on_stream: bool = False
    digits_out_on_stream: bool = False
    # Tones among the bot's audio reach the far end as keys. Where the platform swallows them (Twilio, F-28), or nobody
    # needs them because there is a better way, they are not sent.
    digits_out_in_band: bool = False
    transfer_on_stream: bool = False
    # REST only tells the platform where to: it goes there when the stream is hung up.
    transfer_by_hanging_up: bool = False
    # What is done by REST: names of CallControl's methods, and warm_transfer (handover.py). Closing the stream ends
    # every call, or goes on in its flow.
    rest: frozenset[str] = frozenset({"hang_up", "transfer", "dial"})
    # What the start message leaves out may stand in the upgrade's query, as the answer document or dial plan wrote it.
    query_tells: bool = False
    # Whether the start message tells the call's id; where not, the answer document carries it as parameter `call`.
    call_id_in_stream: bool = True
    # The stream's token comes back as a parameter of the start message; where the platform carries none, in the path.
    token_in_path: bool = False
    # The upgrade's signature or credentials admit the stream: the platform asks no webhook that could give a token.
    socket_admits: bool = False
    # WebSocket pings; None where the platform hangs up on them (F-25).
    ping_interval_s: float | None = 20.0
    # WebSocket subprotocols we agree to; the one the platform offers is echoed.
    subprotocols: tuple[str, ...] = ()

    def frame_ms_of(self, wire_format: AudioFormat) -> int:
        """How long a message of audio is in this format: whole times `frame_ms`, and not below `min_frame_bytes`."""
        frames = -(-self.min_frame_bytes // wire_format.frame_bytes(self.frame_ms))
        return self.frame_ms * max(1, frames)


class Codec(Protocol):
    """One stream's protocol state."""

    @property
    def capabilities(self) -> Capabilities: ...

    def receive(self, message: str | bytes) -> list[Event]:
        """Return what the message means, often nothing. Never raises: broken input becomes a PeerError event."""
        ...

    def receive_eof(self) -> list[Event]:
        """The socket has closed: return CallEnded unless it was already said."""
        ...

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty when the platform has none for it, before the start and after the end."""
        ...

    def owed(self) -> list[str | bytes]:
        """Return what the protocol obliges us to answer at once (pong, closed), and forget it.

        Send it after each receive, before the events are acted on.
        """
        ...


@dataclass(frozen=True, slots=True)
class WebhookRequest:
    """A webhook or upgrade request as the platform signed it: `url` is rebuilt from the configured public base."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)  # names in lower case
    form: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class IncomingCall:
    """What the answer webhook told: the call's id for REST, the two numbers, and SIP headers by name in lower case."""

    call_id: str
    account_id: str = ""
    caller: str = field(default="", repr=False)
    called: str = field(default="", repr=False)
    direction: str = "inbound"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Document:
    """The body a webhook is answered with."""

    content_type: str
    body: str = field(repr=False)


class Platform(Protocol):
    """One phone platform."""

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    def codec(self) -> Codec:
        """A fresh codec for one stream."""
        ...

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the request carries a valid signature; for the socket, the upgrade request with its wss URL."""
        ...

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the answer webhook; Refused with http_status 400 when the call's id is missing."""
        ...

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """The document that connects the call to `stream_url`; the token travels where the platform can carry it."""
        ...

    def reject(self, reason: str) -> Document:
        """The document that turns a call away (busy)."""
        ...

    def ended(self, request: WebhookRequest) -> str:
        """The id of the call that this status callback says is over; blank when it says anything else."""
        ...


@runtime_checkable
class SignedOnce(Platform, Protocol):
    """A platform whose signature covers a nonce or a time, so that no two requests of it are the same."""

    def once(self, request: WebhookRequest) -> str:
        """What only this verified request has, whatever else is written around it; blank for one that is not signed."""
        ...


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who has answered a call, as its platform tells: human, machine or fax.

    `announced`: the machine has finished its announcement, and records.
    """

    call_id: str
    answered_by: Literal["human", "machine", "fax"]
    announced: bool = False


@runtime_checkable
class TellsWhoAnswered(Platform, Protocol):
    """A platform that finds out who answers the calls we place, and calls back with it."""

    def answered_by(self, request: WebhookRequest) -> Answerer | None:
        """What a status callback says about it; None when it says something else, or does not know either."""
        ...


@runtime_checkable
class Rooms(Platform, Protocol):
    """A platform with conference rooms. Whether calls can be moved there is said by `warm_transfer` in `rest`."""

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        """The document that leads a call into a room for two, which closes when either leaves.

        The announcement is said to this call before; whoever waits hears what the platform plays meanwhile.
        """
        ...

    def hung_up(self, request: WebhookRequest) -> str:
        """The id of the call that a status callback says is over, not only its stream; blank otherwise."""
        ...


@runtime_checkable
class Visited(Platform, Protocol):
    """A platform that may listen itself, and have us open the media socket. Its `answer` is the bare token."""

    def visit(self, request: WebhookRequest) -> str:
        """The address of the stream that the answer webhook has us open; blank where the platform opens it itself.

        The host is the configuration's, never the request's.
        """
        ...
