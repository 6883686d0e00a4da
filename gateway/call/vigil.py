"""When a call has lasted long enough: a hard cap and a silence clock that no platform and no caller can stop."""

from gateway.call.turn import State

# Platforms send audio all the time, also of silence; a hiccup of the network is shorter than this.
MEDIA_GONE_S = 2.0
# "Are you still there?" a third time is a machine; the goodbye comes by the silence clock.
MAX_ASKED = 2


class Vigil:
    """Watches one call. Times are seconds since it began."""

    def __init__(self, max_call_s: float, silence_s: float, idle_s: float = 0.0) -> None:
        """After `idle_s` the caller is to be asked if still there; 0 never asks."""
        self._max_call_s = max_call_s
        self._silence_s = silence_s
        self._idle_s = idle_s
        self._asked_s: float | None = None  # when that was last asked, until somebody stirs
        self._asked = 0  # how often, since then
        self._stirred_s = 0.0  # when either side was last at it
        self._audio_s = 0.0  # when audio of the caller last came, be it of silence

    def audio_came(self, now_s: float) -> None:
        self._audio_s = now_s

    def is_over(self, now_s: float, state: State, audible: bool, asking: bool = False) -> bool:
        """Whether the goodbye is due, or on its way already; to be asked every half second or so.

        `asking`: what sounds is the question whether anybody is there, which is no sign of life.
        """
        # A turn of the caller counts only while there is audio of it.
        there = state is not State.HEARING or now_s - self._audio_s < MEDIA_GONE_S
        if not asking and (audible or (state is not State.LISTENING and there)):
            self._stirred_s = now_s
            self._asked_s, self._asked = None, 0
        return state is State.CLOSING or now_s >= self._max_call_s or now_s - self._stirred_s >= self._silence_s

    def is_idle(self, now_s: float, state: State, audible: bool) -> bool:
        """Whether to ask now if the caller is still there; ask `is_over` first."""
        since_s = self._stirred_s if self._asked_s is None else self._asked_s
        if (
            not self._idle_s
            or self._asked >= MAX_ASKED
            or state is not State.LISTENING
            or audible
            or now_s - since_s < self._idle_s
        ):
            return False
        self._asked_s, self._asked = now_s, self._asked + 1
        return True
