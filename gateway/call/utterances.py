"""The frames of a call's utterances: those waiting, and enough of those sent to take them back.

An utterance is one sentence or prompt, known by a number. Positions are frames sent since the platform's queue was last
known to be empty: the beginning, a clear, or a pause.
"""

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Utterance:
    number: int
    frames: deque[bytes] = field(default_factory=deque)
    queued: int = 0
    sent: int = 0
    begins: int = 0  # position of its first frame; negative when it began before positions did
    whole: bool = False  # nothing more will be queued

    @property
    def ends(self) -> int:
        """Position behind the last frame sent."""
        return self.begins + self.sent


class Utterances:
    """In the order of speaking. The last `keep_frames` sent are kept: as many as a platform may not have played yet."""

    def __init__(self, keep_frames: int) -> None:
        self._open: deque[Utterance] = deque()  # not yet sent to the end
        self._sent: deque[Utterance] = deque()  # sent to the end, and not yet forgotten
        self._latest: deque[tuple[Utterance, bytes]] = deque(maxlen=keep_frames)
        self.waiting = 0  # frames queued and not sent
        self.position = 0

    def queue(self, number: int, frames: list[bytes]) -> None:
        """Add frames to an utterance; a number not seen since it was closed opens one behind the others."""
        utterance = self._of(number)
        utterance.frames.extend(frames)
        utterance.queued += len(frames)
        self.waiting += len(frames)

    def close(self, number: int) -> int:
        """The utterance is whole. Returns its length in frames."""
        utterance = self._of(number)
        utterance.whole = True
        return utterance.queued

    @property
    def front(self) -> Utterance | None:
        """The utterance that is being sent, or is next."""
        return self._open[0] if self._open else None

    def find(self, number: int) -> Utterance | None:
        """The utterance of that number, unless it is forgotten."""
        return next((u for u in (*self._open, *self._sent) if u.number == number), None)

    def take(self) -> bytes:
        """Take the front's next frame, to be sent now."""
        utterance = self._open[0]
        frame = utterance.frames.popleft()
        if not utterance.sent:
            utterance.begins = self.position
        utterance.sent += 1
        self.position += 1
        self.waiting -= 1
        self._latest.append((utterance, frame))
        return frame

    def retire(self) -> Utterance:
        """The front has been sent to its end: the next one is the front."""
        self._sent.append(self._open.popleft())
        return self._sent[-1]

    def is_sent(self, utterance: Utterance) -> bool:
        """Whether it has been sent to its end."""
        return utterance in self._sent

    def positions(self, played: float) -> list[tuple[int, float]]:
        """Frames played of each utterance, when `played` is the position of the platform; forget those done with."""
        found = [(u.number, min(max(0.0, played - u.begins), float(u.sent))) for u in (*self._sent, *self._open)]
        while self._sent and self._sent[0].ends <= played:
            self._sent.popleft()
        return found

    def take_back(self, frames: int) -> None:
        """The platform has dropped the last frames sent: they come to the front again. Positions begin anew."""
        for _ in range(min(frames, len(self._latest))):
            utterance, frame = self._latest.pop()
            if utterance in self._sent:
                self._sent.remove(utterance)
                self._open.appendleft(utterance)
            utterance.frames.appendleft(frame)
            utterance.sent -= 1
            self.position -= 1
            self.waiting += 1
        for utterance in (*self._sent, *self._open):
            utterance.begins -= self.position
        self.position = 0
        self._latest.clear()

    def clear(self) -> None:
        """Forget everything. Positions begin anew."""
        self._open.clear()
        self._sent.clear()
        self._latest.clear()
        self.waiting = self.position = 0

    def _of(self, number: int) -> Utterance:
        if not self._open or self._open[-1].number != number:
            self._open.append(Utterance(number))
        return self._open[-1]
