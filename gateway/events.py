"""What codec and session say to each other: events in, commands out.

A codec turns wire messages into events and commands into wire messages; it never sees sockets, tasks or clocks.
The callers' words, numbers and digits never appear in a repr: such fields are declared with repr=False.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from media.formats import AudioFormat


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The stream is open. `call_id` is the platform's id for REST; `custom` are the answer document's parameters."""

    call_id: str
    stream_id: str
    format_in: AudioFormat
    format_out: AudioFormat
    custom: Mapping[str, str] = field(default_factory=dict, repr=False)
    caller: str = field(default="", repr=False)
    called: str = field(default="", repr=False)
    outbound: bool = False  # whether we placed the call, so that `caller` is a number of ours


@dataclass(frozen=True, slots=True)
class CallerAudio:
    """Audio from the caller, still in the call's `format_in`."""

    payload: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Digit:
    """One DTMF digit pressed by the caller."""

    digit: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class MarkReached:
    """The platform says that what was queued before the mark has been played, or cleared: it cannot tell which."""

    name: str


@dataclass(frozen=True, slots=True)
class OutputCleared:
    """The platform confirmed a clear."""


@dataclass(frozen=True, slots=True)
class CallEnded:
    """The stream is over; said exactly once, whichever of stop message, socket close or webhook came first."""

    reason: str


@dataclass(frozen=True, slots=True)
class PeerError:
    """The platform sent something its protocol does not allow. `fatal`: the stream cannot go on."""

    code: str
    detail: str = ""
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """A keep-alive in either direction; `data` is echoed where the platform wants it."""

    data: str = ""


@dataclass(frozen=True, slots=True)
class FlowControl:
    """The platform's queue is nearly full (`stopped`), or has room again: send no audio in between."""

    stopped: bool


Event = (
    CallStarted | CallerAudio | Digit | MarkReached | OutputCleared | CallEnded | PeerError | KeepAlive | FlowControl
)


@dataclass(frozen=True, slots=True)
class SendAudio:
    """Exact frames of the call's `format_out`, to be queued behind what was sent before."""

    payload: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SendMark:
    """Ask to be told when everything sent so far has been played."""

    name: str


@dataclass(frozen=True, slots=True)
class ClearOutput:
    """Drop everything sent but not yet played."""


@dataclass(frozen=True, slots=True)
class HangUp:
    """End the call on the wire, where the platform can."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Move the caller to another number or address, where the platform can do it on the wire."""

    target: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SendDigits:
    """Play DTMF to the caller's side, where the platform can do it on the wire."""

    digits: str = field(repr=False)


Command = SendAudio | SendMark | ClearOutput | HangUp | Transfer | SendDigits | KeepAlive
