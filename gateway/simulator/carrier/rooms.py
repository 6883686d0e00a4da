"""Conference rooms: who is in which, who hears whom, and who drops out when somebody leaves."""

from dataclasses import dataclass, field

from gateway.simulator.carrier.base import Enter


@dataclass(slots=True)
class _Room:
    is_open: bool = False
    members: dict[str, bool] = field(default_factory=dict)  # by their call, whether their leaving ends the conference


class Rooms:
    """The rooms of one account, by name; a room is there while somebody is in it."""

    def __init__(self) -> None:
        self._rooms: dict[str, _Room] = {}

    def enter(self, call_id: str, entry: Enter) -> None:
        """Before the conference has begun who enters waits, mute and deaf."""
        room = self._rooms.setdefault(entry.room, _Room())
        room.members[call_id] = entry.ends
        room.is_open = room.is_open or entry.starts

    def leave(self, call_id: str) -> frozenset[str]:
        """Who drops out with them; nobody for a call that is in no room."""
        name = self.room_of(call_id)
        if not name:
            return frozenset()
        members = self._rooms[name].members
        ends = members.pop(call_id)
        others = frozenset(members) if ends else frozenset()
        if ends or not members:
            del self._rooms[name]
        return others

    def hears(self, call_id: str) -> frozenset[str]:
        """Whose voices are heard there."""
        room = self._rooms.get(self.room_of(call_id))
        return frozenset(room.members.keys() - {call_id}) if room is not None and room.is_open else frozenset()

    def room_of(self, call_id: str) -> str:
        """The name of the room; blank outside."""
        return next((name for name, room in self._rooms.items() if call_id in room.members), "")
