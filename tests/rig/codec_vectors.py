"""Recorded messages of a platform as files (tests/vectors/<platform>/*.json), read back as events and commands.

A message is text (`message`) or bytes (`hex`); `wire` is a list of such, each text a string and each bytes {"hex": …}.
"""

import json
from pathlib import Path
from typing import Any

from gateway.events import (
    CallEnded,
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Digit,
    Event,
    HangUp,
    KeepAlive,
    MarkReached,
    OutputCleared,
    SendAudio,
    SendDigits,
    SendMark,
    Transfer,
)
from media.formats import AudioFormat, Encoding

VECTORS = Path(__file__).parents[1] / "vectors"

Vector = dict[str, Any]


def load(platform: str, name: str) -> list[Vector]:
    """The vectors of one file."""
    vectors: list[Vector] = json.loads((VECTORS / platform / name).read_text("utf-8"))
    return vectors


def message_of(vector: Vector) -> str | bytes:
    """What crosses the wire."""
    return bytes.fromhex(vector["hex"]) if "hex" in vector else str(vector["message"])


def wires_of(vector: Vector) -> list[str | bytes]:
    """The messages a command is written as."""
    return [wire if isinstance(wire, str) else bytes.fromhex(wire["hex"]) for wire in vector["wire"]]


def event_of(told: Vector) -> Event:
    """One expected event; `rate_hz` and `encoding` stand for both directions unless `out` names the other one's."""
    match told["event"]:
        case "CallStarted":
            format_in = AudioFormat(Encoding(told["encoding"]), told["rate_hz"])
            out = told.get("out", told)
            return CallStarted(
                told["call_id"],
                told["stream_id"],
                format_in,
                AudioFormat(Encoding(out["encoding"]), out["rate_hz"]),
                told.get("custom", {}),
                told.get("caller", ""),
                told.get("called", ""),
            )
        case "CallerAudio":
            return CallerAudio(bytes.fromhex(told["hex"]))
        case "Digit":
            return Digit(told["digit"])
        case "MarkReached":
            return MarkReached(told["name"])
        case "OutputCleared":
            return OutputCleared()
        case "KeepAlive":
            return KeepAlive(told.get("data", ""))
        case "CallEnded":
            return CallEnded(told["reason"])
    raise ValueError(f"no event is called {told['event']}")


def events_of(vector: Vector) -> list[Event]:
    """What a recorded message means."""
    return [event_of(told) for told in vector["events"]]


def command_of(vector: Vector) -> Command:
    """The command of a vector in commands.json; audio is in hex."""
    value = vector.get("value", "")
    match vector["command"]:
        case "SendAudio":
            return SendAudio(bytes.fromhex(value))
        case "SendMark":
            return SendMark(value)
        case "ClearOutput":
            return ClearOutput()
        case "HangUp":
            return HangUp(value)
        case "Transfer":
            return Transfer(value)
        case "SendDigits":
            return SendDigits(value)
        case "KeepAlive":
            return KeepAlive(value)
    raise ValueError(f"no command is called {vector['command']}")
