"""Rooms by Call Control: who enters first waits, and is bridged to who comes second. Either's leaving ends both calls.

An agent is told of the caller first, by a command whose end is an event of its own.
"""

from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

# Comes back with the events of a call that we speak to: others may be spoken to by others.
INTRODUCED = b64encode(b"introduced").decode("ascii")
# Calls that are on their way; beyond it the oldest are forgotten.
MAX_KNOWN = 1000

# Gives one call a command, by its id, the command's name and its fields; raises as CallControl does.
Command = Callable[[str, str, Mapping[str, Any]], Awaitable[None]]


class TelnyxRooms:
    """The rooms of one account."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._waiting: dict[str, str] = {}  # calls by their room, oldest first
        self._told: dict[str, str] = {}  # the rooms of agents' calls that are being told, oldest first

    async def enter(self, call_id: str, room: str, announcement: str) -> None:
        """Lead a call into a room. With an announcement that is said first; come again when it has been."""
        if announcement and call_id not in self._told:
            _note(self._told, call_id, room)
            said = {"payload": announcement, "voice": "female", "language": "en-US", "client_state": INTRODUCED}
            await self._command(call_id, "speak", said)
            return
        self._told.pop(call_id, None)
        other = self._waiting.pop(room, "")
        if other:
            await self._command(call_id, "bridge", {"call_control_id": other})
        else:
            _note(self._waiting, room, call_id)


def _note(known: dict[str, str], key: str, value: str) -> None:
    if len(known) >= MAX_KNOWN:
        del known[next(iter(known))]
    known[key] = value
