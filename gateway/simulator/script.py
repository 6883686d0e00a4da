"""When the caller speaks: after the bot has answered and fallen silent, or into its words, or when patience ends."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gateway.simulator.caller import CallerTurn
from gateway.simulator.playback import Playback

FRAME_MS = 20
_FRAME_S = FRAME_MS / 1000
_SAMPLE_BYTES = 2
# A practised thumb presses a key and leaves it within 200 ms.
KEY_EVERY_S = 0.2


@dataclass(frozen=True, slots=True)
class Manners:
    """How the caller takes turns."""

    # People answer after 0.2 to 0.7 s; a pause between two sentences of a slow synthesiser is longer than that.
    quiet_s: float = 1.2
    # How long a caller waits for a greeting before speaking first.
    greeting_s: float = 4.0
    # "Hello, are you there?": a reply that takes longer counts as none.
    reply_s: float = 30.0
    # A reply longer than this is not waited for.
    listen_s: float = 120.0


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn that has begun, with the times its speech begins and ends on the call's time line."""

    turn: CallerTurn
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class CallerFrame:
    """The next 20 ms of the caller's side."""

    pcm: bytes = field(repr=False)
    digits: str = field(default="", repr=False)


class Script:
    """Asked once a frame; between turns it says silence, as a phone line does."""

    def __init__(self, turns: Sequence[CallerTurn], rate_hz: int, manners: Manners | None = None) -> None:
        self.spoken: list[SpokenTurn] = []
        self._waiting = list(turns)
        self._manners = manners or Manners()
        self._frame_bytes = rate_hz * FRAME_MS // 1000 * _SAMPLE_BYTES
        self._rest = b""
        self._keys = ""  # still to be pressed, the next one at `_key_s`
        self._key_s = 0.0
        self._silent_since_s = 0.0

    def frame(self, at_s: float, playback: Playback) -> CallerFrame | None:
        """Return the frame that begins at `at_s`; None when the caller hangs up."""
        if not self._rest and not self._keys and self._may_speak(at_s, playback):
            if not self._waiting:
                return None
            self._begin(self._waiting.pop(0), at_s)
            playback.end_utterance()
        digits = self._press(at_s)
        if self._rest or digits:
            self._silent_since_s = at_s + _FRAME_S
        pcm, self._rest = self._rest[: self._frame_bytes], self._rest[self._frame_bytes :]
        return CallerFrame(pcm.ljust(self._frame_bytes, b"\0"), digits)

    def _begin(self, turn: CallerTurn, at_s: float) -> None:
        self._rest, self._keys = turn.pcm, turn.digits
        self._key_s = at_s + turn.keys_after_s
        self._silent_since_s = at_s + _FRAME_S
        last_key_s = turn.keys_after_s + KEY_EVERY_S * (len(turn.digits) - 1) if turn.digits else 0.0
        end_s = max(turn.speech_end_s, last_key_s)
        self.spoken.append(SpokenTurn(turn, at_s + turn.speech_start_s, at_s + end_s))

    def _press(self, at_s: float) -> str:
        """The key that is pressed in this frame."""
        if not self._keys or at_s < self._key_s - _FRAME_S / 2:
            return ""
        digit, self._keys = self._keys[0], self._keys[1:]
        self._key_s += KEY_EVERY_S
        return digit

    def _may_speak(self, at_s: float, playback: Playback) -> bool:
        since_s = self.spoken[-1].end_s if self.spoken else 0.0
        patience_s = self._manners.reply_s if self.spoken else self._manners.greeting_s
        heard = playback.audible(since_s)
        if heard is None:
            return at_s - self._silent_since_s >= patience_s
        interrupt_s = self._waiting[0].interrupt_after_s if self._waiting else None
        if interrupt_s is not None and at_s - heard[0] >= interrupt_s:
            return True
        return (
            at_s - max(heard[1], self._silent_since_s) >= self._manners.quiet_s
            or at_s - since_s >= self._manners.listen_s
        )
