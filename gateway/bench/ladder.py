"""What `voicebot bench worker` climbs, and what it found on the way."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

# About 25 characters, as the published ladder has them.
SHORT = [
    ["Thank you for calling us."],
    ["We open at nine tomorrow."],
    ["One moment please, I look."],
    ["Your order is on its way."],
    ["Is there anything else?"],
    ["Could you say that again?"],
]
# What a receptionist says in a turn: two to four sentences.
REPLIES = [
    ["Thank you for calling the clinic.", "We are open on Monday from nine to six.", "Shall I book you in?"],
    ["The next free appointment is on Tuesday at half past ten.", "It takes about forty minutes."],
    ["I have found your order.", "It left our house this morning.", "It should be with you tomorrow before noon."],
    ["Parking is free behind the house.", "Please ring at the green door and wait for us in the hall."],
    ["I am sorry to hear that.", "I can send you a new one today.", "You keep the old one.", "Would that help you?"],
    ["Your account is in good order.", "The payment you made last Friday has arrived, and nothing is left to pay."],
    ["Of course, I can change the time.", "Would Thursday at three suit you, or rather the day after?"],
]
# Replies that each caller of a rung asks for.
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Rung:
    """One load on one scheme. First audio in ms, rates a second, use in percent of one core or card."""

    scheme: str
    load: str
    clients: int
    replies: int
    failed: int
    replies_per_s: float
    audio_s_per_s: float
    first_p50_ms: float
    first_p95_ms: float
    first_p99_ms: float
    cpu_percent: float
    gpu_percent: float | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Ladder:
    """What to climb: callers at once, `text` "short" or "replies", and the first audio that is still acceptable."""

    clients: Sequence[int] = (1, 5, 10, 20)
    text: str = "replies"
    limit_ms: float = 3_000.0
    with_reference: bool = True
    with_poisson: bool = True
    rounds: int = _ROUNDS
    # A closed rung, and cancellation's first run, ask for nothing more after this: a slow machine's time is bounded.
    rung_s: float = math.inf

    @property
    def replies(self) -> list[list[str]]:
        return SHORT if self.text == "short" else REPLIES


def q_max(rungs: Sequence[Rung], limit_ms: float) -> int:
    """Return the most callers up to whom p95 first audio is within the limit and all are answered; 0 when none."""
    most = 0
    for rung in sorted((rung for rung in rungs if rung.load == "closed"), key=lambda rung: rung.clients):
        if rung.failed or rung.first_p95_ms > limit_ms:
            break
        most = rung.clients
    return most
