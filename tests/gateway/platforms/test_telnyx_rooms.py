"""Two calls meet: whoever comes second is bridged to who waits, and an agent is told of the caller before."""

from collections.abc import Mapping
from typing import Any

import pytest

from gateway.platforms.telnyx_rooms import INTRODUCED, MAX_KNOWN, TelnyxRooms


class Account:
    """What was commanded."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, str, Mapping[str, Any]]] = []
        self.rooms = TelnyxRooms(self._command)

    async def _command(self, call_id: str, action: str, fields: Mapping[str, Any]) -> None:
        self.commands.append((call_id, action, fields))


@pytest.mark.parametrize(("first", "second"), [("agent", "caller"), ("caller", "agent")])
async def test_who_comes_second_is_bridged_to_who_waits(first: str, second: str) -> None:
    account = Account()
    await account.rooms.enter(first, "r1", "")
    await account.rooms.enter("another", "r2", "")
    assert account.commands == []
    await account.rooms.enter(second, "r1", "")
    assert account.commands == [(second, "bridge", {"call_control_id": first})]


async def test_an_agent_enters_when_the_announcement_has_been_said() -> None:
    account = Account()
    await account.rooms.enter("agent", "r1", "Ada calls.")
    ((call_id, action, fields),) = account.commands
    assert (call_id, action, fields["payload"], fields["client_state"]) == ("agent", "speak", "Ada calls.", INTRODUCED)
    await account.rooms.enter("caller", "r1", "")
    await account.rooms.enter("agent", "r1", "Ada calls.")
    assert account.commands[1:] == [("agent", "bridge", {"call_control_id": "caller"})]


async def test_of_very_many_the_oldest_are_forgotten() -> None:
    account = Account()
    for number in range(MAX_KNOWN + 1):
        await account.rooms.enter(f"caller-{number}", f"r{number}", "")
    await account.rooms.enter("agent-1", "r1", "")
    await account.rooms.enter("agent-0", "r0", "")
    assert account.commands == [("agent-1", "bridge", {"call_control_id": "caller-1"})]
