"""When a call has lasted long enough: a hard cap and a silence clock that no platform and no caller can stop."""

from gateway.call.turn import State

# Platforms send audio all the time, also of silence; a hiccup of the network is shorter than this.
MEDIA_GONE_S = 2.0


class Vigil:
    """Watches one call. Times are seconds since it began."""

    def __init__(self, max_call_s: float, silence_s: float) -> None:
        self._max_call_s = max_call_s
        self._silence_s = silence_s
        self._stirred_s = 0.0  # when either side was last at it
        self._audio_s = 0.0  # when audio of the caller last came, be it of silence

    def audio_came(self, now_s: float) -> None:
        self._audio_s = now_s

    def is_over(self, now_s: float, state: State, audible: bool) -> bool:
        """Whether the goodbye is due, or on its way already; to be asked every half second or so."""
        # A turn of the caller counts only while there is audio of it.
        there = state is not State.HEARING or now_s - self._audio_s < MEDIA_GONE_S
        if audible or (state is not State.LISTENING and there):
            self._stirred_s = now_s
        return state is State.CLOSING or now_s >= self._max_call_s or now_s - self._stirred_s >= self._silence_s
