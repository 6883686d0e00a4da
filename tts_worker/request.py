"""From JSON to a request the engine can take: every field checked, nothing guessed, nothing cut."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from media.formats import Encoding
from media.pronunciation import Pronunciation, check_ipa
from media.tts_wire import ErrorCode, WireError

# Telephone, wideband, a rate the public sample offers, and Kokoro's own.
SAMPLE_RATES_HZ = (8_000, 16_000, 22_050, 24_000)
# The wire's names of how a sample is written. G.711 is defined at 8 kHz only.
ENCODINGS = {"pcm": Encoding.L16, "ulaw": Encoding.ULAW, "alaw": Encoding.ALAW}
G711_RATE_HZ = 8_000
# Outside, Kokoro swallows or stretches sounds; the gateway's bot.speed has the same range.
MIN_SPEED, MAX_SPEED = 0.5, 2.0
# About seven minutes of speech. Longer texts hold a place in the queue too long; clients send sentences.
MAX_TEXT_CHARS = 5_000
# A request that waited longer than this has lost its reader: SageMaker gives up on an invocation after 60 s.
MAX_REQUEST_AGE_S = 56.0
# request_id is echoed with every message of the request.
MAX_REQUEST_ID_CHARS = 128
_FIELDS = ("voice", "language", "speed", "sample_rate", "encoding")
_PLACE = ("start_char", "end_char", "ipa")
# More than the words of a long sentence.
MAX_PRONUNCIATIONS = 100
_CONTROL_CHARS = re.compile("[\x00-\x1f\x7f-\x9f]")
_MAX_ECHO_CHARS = 40
_VOICES_NAMED = 6


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a text is spoken; a session may set it once for all requests. `language` "" is the voice's own."""

    voice: str = "af_heart"
    language: str = ""
    speed: float = 1.0
    rate_hz: int = 24_000
    encoding: Encoding = Encoding.L16


@dataclass(frozen=True, slots=True)
class SpeechRequest:
    """A text that may be spoken, and how."""

    text: str = field(repr=False)
    delivery: Delivery
    sounds: tuple[Pronunciation, ...] = field(default=(), repr=False)


class RequestReader:
    """Checks requests against what the engine offers. Every refusal is a WireError whose text holds the remedy."""

    def __init__(
        self,
        voices: frozenset[str],
        languages: frozenset[str],
        wall_clock_s: Callable[[], float],
        max_text_chars: int = MAX_TEXT_CHARS,
    ) -> None:
        self._voices = voices
        self._languages = languages
        self._wall_clock_s = wall_clock_s
        self._max_text_chars = max_text_chars

    def request(self, body: Mapping[str, Any], defaults: Delivery) -> SpeechRequest:
        """Return the request in `body`; raises WireError (any code of this module's checks)."""
        self._check_age(body.get("request_timestamp"))
        text = self._text(body.get("text"))
        return SpeechRequest(text, self.delivery(body, defaults), _pronunciations(body.get("pronunciations"), text))

    def delivery(self, body: Mapping[str, Any], defaults: Delivery) -> Delivery:
        """Return `defaults` changed by the fields that `body` has; raises WireError."""
        given = {key: body[key] for key in _FIELDS if body.get(key) is not None}
        delivery = defaults
        if "voice" in given:
            delivery = replace(delivery, voice=self._voice(given["voice"]))
        if "language" in given:
            delivery = replace(delivery, language=self._language(given["language"]))
        if "speed" in given:
            delivery = replace(delivery, speed=_speed(given["speed"]))
        if "sample_rate" in given:
            delivery = replace(delivery, rate_hz=_rate_hz(given["sample_rate"]))
        if "encoding" in given:
            delivery = replace(delivery, encoding=_encoding(given["encoding"]))
        if delivery.encoding is Encoding.L16 or delivery.rate_hz == G711_RATE_HZ:
            return delivery
        if "sample_rate" in given:
            raise WireError(ErrorCode.BAD_FIELD, f'ulaw and alaw have {G711_RATE_HZ} Hz; leave "sample_rate" out')
        return replace(delivery, rate_hz=G711_RATE_HZ)

    def _text(self, text: object) -> str:
        if text is None:
            raise WireError(ErrorCode.MISSING_TEXT, 'the request has no "text"; send the sentence to be spoken')
        if not isinstance(text, str):
            raise WireError(ErrorCode.BAD_FIELD, f'"text" is a {_kind(text)}; send a string')
        if len(text) > self._max_text_chars:
            message = f"text of {len(text)} characters; the limit is {self._max_text_chars}, send it by sentences"
            raise WireError(ErrorCode.TEXT_TOO_LONG, message)
        return _speakable(text)

    def _voice(self, voice: object) -> str:
        if isinstance(voice, str) and voice in self._voices:
            return voice
        known = ", ".join(sorted(self._voices)[:_VOICES_NAMED])
        more = " ..." if len(self._voices) > _VOICES_NAMED else ""
        raise WireError(ErrorCode.UNKNOWN_VOICE, f"voice {_echo(voice)} is not known; known are {known}{more}")

    def _language(self, language: object) -> str:
        if isinstance(language, str):
            tag = language.lower().replace("_", "-")
            if tag == "" or tag in self._languages:
                return tag
        known = ", ".join(sorted(self._languages))
        raise WireError(ErrorCode.UNKNOWN_LANGUAGE, f"language {_echo(language)} is not known; known are {known}")

    def _check_age(self, timestamp: object) -> None:
        if timestamp is None:
            return
        if isinstance(timestamp, bool) or not isinstance(timestamp, int | float) or timestamp != timestamp:
            raise WireError(ErrorCode.BAD_FIELD, '"request_timestamp" is not a number; send seconds since 1970')
        if timestamp < self._wall_clock_s() - MAX_REQUEST_AGE_S:
            message = f"the request is older than {MAX_REQUEST_AGE_S:.0f} s; send it again if it is still wanted"
            raise WireError(ErrorCode.STALE, message)


def request_id(body: Mapping[str, Any]) -> str | int | None:
    """Return the client's own name for a request, None when it gave none; raises WireError when it cannot be echoed."""
    given = body.get("request_id")
    if given is None or (isinstance(given, int) and not isinstance(given, bool) and abs(given) < 2**63):
        return given
    if isinstance(given, str) and len(given) <= MAX_REQUEST_ID_CHARS and given == _speakable(given):
        return given
    limit = f"a string of at most {MAX_REQUEST_ID_CHARS} characters or a whole number"
    raise WireError(ErrorCode.BAD_FIELD, f'"request_id" cannot be used; send {limit}')


def _pronunciations(given: object, text: str) -> tuple[Pronunciation, ...]:
    """Check places and symbols: in order, inside the text, without overlap, each with a sound the voice has."""
    if given is None:
        return ()
    if not isinstance(given, list) or len(given) > MAX_PRONUNCIATIONS:
        raise WireError(ErrorCode.BAD_FIELD, f'"pronunciations" is a list of at most {MAX_PRONUNCIATIONS} objects')
    found: list[Pronunciation] = []
    for entry in given:
        start, end, ipa = (entry.get(key) for key in _PLACE) if isinstance(entry, dict) else (None, None, None)
        if not (type(start) is type(end) is int and isinstance(ipa, str)):
            message = '"pronunciations" holds objects of start_char and end_char (whole numbers) and ipa (a string)'
            raise WireError(ErrorCode.BAD_FIELD, message)
        if not (found[-1].end_char if found else 0) <= start < end <= len(text):
            message = f'"pronunciations" {start} to {end} is outside the text, or not behind the one before it'
            raise WireError(ErrorCode.BAD_FIELD, message)
        try:
            found.append(Pronunciation(start, end, check_ipa(ipa)))
        except ValueError as error:
            raise WireError(ErrorCode.BAD_FIELD, f'"pronunciations" at {start}: {error}') from error
    return tuple(found)


def _speed(speed: object) -> float:
    if isinstance(speed, int | float) and not isinstance(speed, bool) and MIN_SPEED <= speed <= MAX_SPEED:
        return float(speed)
    raise WireError(ErrorCode.BAD_FIELD, f'"speed" {_echo(speed)} is not a number from {MIN_SPEED} to {MAX_SPEED}')


def _rate_hz(rate: object) -> int:
    if isinstance(rate, int) and not isinstance(rate, bool) and rate in SAMPLE_RATES_HZ:
        return rate
    known = ", ".join(map(str, SAMPLE_RATES_HZ))
    raise WireError(ErrorCode.BAD_FIELD, f'"sample_rate" {_echo(rate)} is not one of {known}')


def _encoding(name: object) -> Encoding:
    if isinstance(name, str) and name in ENCODINGS:
        return ENCODINGS[name]
    raise WireError(ErrorCode.BAD_FIELD, f'"encoding" {_echo(name)} is not one of {", ".join(ENCODINGS)}')


def _speakable(text: str) -> str:
    """Put a space for every control character: a NUL would end the text inside a phonemiser. Offsets stay true."""
    return text if text.isprintable() else _CONTROL_CHARS.sub(" ", text)


def _kind(value: object) -> str:
    return type(value).__name__


def _echo(value: object) -> str:
    """Return a field's value short enough for a message; containers are only named."""
    if not isinstance(value, str | int | float):
        return _kind(value)
    text = repr(value) if not isinstance(value, int) or abs(value) < 2**63 else "int"
    return text if len(text) <= _MAX_ECHO_CHARS else f"{text[:_MAX_ECHO_CHARS]}..."
