"""The bot's own voice, come back through the caller's loudspeaker or line, is not what the caller says (F-44).

An echo is the bot's audio again, later and quieter, so it correlates with what was sent at one fixed lag. The lag is
searched for while both sides sound; once found, each frame is compared there, and one that is nearly all echo is
silenced before anybody hears it as speech. Speech of the caller over an echo is several times louder, correlates
little, and passes.
"""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from media.formats import AudioFormat, Encoding
from media.g711 import alaw_to_pcm, ulaw_to_pcm
from media.level import rms_dbfs

# An echo of the room is 50 ms late, one by way of a mobile network or of our own lead up to half a second; the caller's
# clock may run ahead of ours by what the platform took to open the stream.
_EARLIEST_S = -0.1
_LATEST_S = 0.7
# What is compared: long enough that two voices do not resemble each other by chance, short enough to notice in time.
_SEARCH_S = 0.12
_COMPARE_S = 0.06
# Searching costs a fourth of a millisecond; both sides sound together for seconds at most.
_SEARCH_EVERY_S = 0.04
# Twice the same lag, to within a sample or two, is no chance.
_SAME_LAG_SAMPLES = 3
_ALIKE = 0.6
# Below this nobody takes it for speech, and noise of the line is not worth a search.
_AUDIBLE_DBFS = -55.0
# Frames in a row without echo, both sides sounding, after which the lag is no longer believed: two seconds.
_DOUBTS = 100
# The caller's latest frames: those of 20 ms fill the window, longer ones more than fill it.
_MAX_HEARD = 6
# A second and a half of the bot's frames: what may still come back.
_MAX_UNREAD = 75

_Samples = NDArray[np.float32]


class EchoGate:
    """One call's gate; both sides must have the same rate, else nothing is gated. Times are seconds of the call."""

    def __init__(self, caller: AudioFormat, bot: AudioFormat) -> None:
        self._caller, self._bot = caller, bot
        self._works = caller.rate_hz == bot.rate_hz
        rate_hz = caller.rate_hz
        self._rate_hz = rate_hz
        self._search, self._compare = round(_SEARCH_S * rate_hz), round(_COMPARE_S * rate_hz)
        self._early, self._late = round(_EARLIEST_S * rate_hz), round(_LATEST_S * rate_hz)
        self._sent = np.zeros(2 * (self._late - self._early + self._search), np.float32)  # by position, round and round
        self._unread: deque[tuple[int, bytes]] = deque(maxlen=_MAX_UNREAD)  # sent, and not yet in `_sent`
        self._heard: deque[bytes] = deque(maxlen=_MAX_HEARD)  # the caller's latest, as PCM
        self._sounds_upto = -len(self._sent)  # position behind the bot's last frame
        self._at: int | None = None  # position behind the caller's last frame
        self._searched_at = 0
        self._guess: int | None = None
        self._lag: int | None = None
        self._doubts = 0
        self.echoing = False  # the last frame was echo

    def sent(self, frame: bytes, at_s: float) -> None:
        """The bot's frame begins to sound at `at_s`."""
        if self._works:
            at = round(at_s * self._rate_hz)
            self._unread.append((at, frame))
            self._sounds_upto = at + len(frame) // self._bot.encoding.bytes_per_sample

    def passed(self, payload: bytes, now_s: float) -> bytes:
        """The caller's payload, or as much silence where it is echo."""
        size = len(payload) // self._caller.encoding.bytes_per_sample
        if self._at is None:
            self._at = round(now_s * self._rate_hz) - size
        self._at += size
        self.echoing = False
        if not self._works or self._at - self._sounds_upto > self._late:
            return payload
        pcm = _pcm(payload, self._caller)
        self._heard.append(pcm)
        if rms_dbfs(pcm) > _AUDIBLE_DBFS:
            self._read()
            self.echoing = self._is_echo(self._at)
        return self._caller.encoding.silence * size if self.echoing else payload

    def _read(self) -> None:
        """Put what was sent where it can be compared; nobody pays for this while the caller is quiet."""
        while self._unread:
            at, frame = self._unread.popleft()
            samples = _samples(_pcm(frame, self._bot))
            self._sent[np.arange(at, at + len(samples)) % len(self._sent)] = samples

    def _is_echo(self, at: int) -> bool:
        if self._lag is None and at - self._searched_at >= _SEARCH_EVERY_S * self._rate_hz:
            self._searched_at = at
            self._look(at)
        if self._lag is None:
            return False
        heard = _samples(b"".join(self._heard))
        alike = self._alike(
            heard[-self._compare :], at - self._lag - _SAME_LAG_SAMPLES, at - self._lag + _SAME_LAG_SAMPLES
        )
        if float(np.max(alike)) >= _ALIKE:
            self._doubts = 0
            return True
        self._doubts += 1
        if self._doubts >= _DOUBTS:
            self._lag = self._guess = None
        return False

    def _look(self, at: int) -> None:
        heard = _samples(b"".join(self._heard))[-self._search :]
        if len(heard) < self._search:
            return
        alike = self._alike(heard, at - self._late, at - self._early)
        best = int(np.argmax(alike))
        if alike[best] < _ALIKE:
            self._guess = None
            return
        lag = self._late - best
        if self._guess is not None and abs(self._guess - lag) <= _SAME_LAG_SAMPLES:
            self._lag, self._doubts = lag, 0
        self._guess = lag

    def _alike(self, heard: _Samples, first_end: int, last_end: int) -> _Samples:
        """How much `heard` resembles what was sent up to each end, from 0 to 1."""
        size = len(heard)
        sent = self._sent[np.arange(first_end - size, last_end) % len(self._sent)]
        bits = (len(sent) + size - 1).bit_length()
        products = np.fft.irfft(np.fft.rfft(sent, 1 << bits) * np.fft.rfft(heard[::-1], 1 << bits), 1 << bits)
        energy = np.concatenate((np.zeros(1), np.cumsum(sent.astype(np.float64) ** 2)))
        power = np.sqrt(np.maximum(energy[size:] - energy[:-size], 1.0) * max(float(heard @ heard), 1.0))
        return np.asarray(np.abs(products[size - 1 : len(sent)]) / power, np.float32)


def _pcm(payload: bytes, wire_format: AudioFormat) -> bytes:
    if wire_format.encoding is Encoding.ULAW:
        return ulaw_to_pcm(payload)
    return alaw_to_pcm(payload) if wire_format.encoding is Encoding.ALAW else payload


def _samples(pcm: bytes) -> _Samples:
    return np.frombuffer(pcm, "<i2").astype(np.float32)
