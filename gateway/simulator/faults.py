"""What can go wrong on the platform's side, as options of a simulated call.

Times are seconds since the stream began.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Faults:
    """All off by default; several may be combined."""

    # Marks come back this much later than their audio was played.
    ack_delay_s: float = 0.0
    # Every n-th mark is never returned; 1 loses them all.
    lose_every_ack: int = 0
    # Every mark comes back twice.
    repeat_acks: bool = False
    # Every n-th packet of the caller never reaches the platform, or comes after the one behind it.
    lose_every_frame: int = 0
    delay_every_frame: int = 0
    # From `stall_at_s` the network carries nothing for `stall_s`; what was said meanwhile comes in one burst.
    stall_at_s: float | None = None
    stall_s: float = 0.0
    # From then on the platform neither reads, writes nor closes, for `half_open_s`.
    half_open_at_s: float | None = None
    half_open_s: float = 60.0
    # The connection breaks without a stop message or a close.
    drop_at_s: float | None = None
    # The caller's hang-up is only a closed socket.
    without_stop: bool = False
    # The bot's voice comes back in the caller's, so much quieter and later: a loudspeaker in a room.
    echo_db: float | None = None
    echo_delay_s: float = 0.15

    def stalled_until_s(self, at_s: float) -> float:
        """Until when nothing is carried; `at_s` itself when the line works."""
        if self.stall_at_s is not None and self.stall_at_s <= at_s < self.stall_at_s + self.stall_s:
            return self.stall_at_s + self.stall_s
        return at_s

    def half_open(self, at_s: float) -> bool:
        return self.half_open_at_s is not None and at_s >= self.half_open_at_s

    def dropped(self, at_s: float) -> bool:
        return self.drop_at_s is not None and at_s >= self.drop_at_s

    def loses(self, ack_number: int) -> bool:
        """Whether the mark that comes back as number `ack_number`, from 1, is lost."""
        return _is_nth(ack_number, self.lose_every_ack)


class Packets:
    """The caller's audio on its way, lost and overtaken as the faults say."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._number = 0
        self._late: list[str | bytes] = []

    def carry(self, packet: list[str | bytes]) -> list[str | bytes]:
        """Take 20 ms of the caller as messages and return those that arrive now, in their order.

        Platforms that collect for a longer packet have none in between.
        """
        if not packet:
            return []
        self._number += 1
        if _is_nth(self._number, self._faults.lose_every_frame):
            return []
        if _is_nth(self._number, self._faults.delay_every_frame):
            self._late = packet
            return []
        arriving, self._late = [*packet, *self._late], []
        return arriving


def _is_nth(number: int, every: int) -> bool:
    return every > 0 and number % every == 0
