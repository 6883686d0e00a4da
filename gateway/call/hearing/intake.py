"""Where the caller's audio goes: to the recording as it came, and past the detector of keys to the ears."""

from collections.abc import Callable

from gateway.call.hearing.listener import Listener
from gateway.call.keying.key_tones import KeyTones
from gateway.call.recording import Recording


class Intake:
    """One call's. `press` is told keys that were heard."""

    def __init__(
        self, listener: Listener, recording: Recording | None, tones: KeyTones | None, press: Callable[[str], None]
    ) -> None:
        self._listener = listener
        self._recording = recording
        self._tones = tones
        self._press = press
        self.also: Callable[[bytes], None] | None = None  # whoever else listens to the wire

    def take(self, payload: bytes, now_s: float) -> None:
        """Take audio as it came from the wire, at `now_s` of the call."""
        if self._recording is not None:
            self._recording.caller(payload, now_s)
        if self.also is not None:
            self.also(payload)
        if self._tones is not None:
            payload = self._tones.take(payload)
            for digit in self._tones.pressed:
                self._press(digit)
        self._listener.feed(payload, now_s)
