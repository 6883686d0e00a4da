"""The tables of hearing."""

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from config.group import LOOPBACK, Group, Language

# Deepgram takes 500 tokens of them, and beyond it hears nothing, and says so only after half a minute. A token of a
# name that nobody knows is two letters or three.
MAX_KEYTERM_CHARS = 1000


class Transcribe(Group):
    region: str
    url: str
    vocabulary: str
    languages: Mapping[Language, str]


class Deepgram(Group):
    url: str
    key_env: str
    model: Annotated[str, Field(min_length=1)]
    keyterms: tuple[Annotated[str, Field(min_length=1)], ...]
    languages: Annotated[Mapping[Language, str], Field(min_length=1)]
    extra: Mapping[str, str]

    @field_validator("keyterms")
    @classmethod
    def _are_heard(cls, written: tuple[str, ...]) -> tuple[str, ...]:
        if sum(map(len, written)) > MAX_KEYTERM_CHARS:
            raise ValueError(f"Deepgram takes {MAX_KEYTERM_CHARS} letters in all; keep those that are misheard most")
        return written

    @model_validator(mode="after")
    def _keeps_the_key(self) -> "Deepgram":
        parts = urlsplit(self.url)
        usable = parts.scheme in ("ws", "wss") and parts.hostname and parts.port != 0
        if not usable or "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("stt.deepgram.url is no address such as wss://api.deepgram.com")
        if parts.scheme == "ws" and self.key_env and parts.hostname not in LOOPBACK:
            raise ValueError("a key is not sent over plain ws; give a wss:// url, or an empty key_env")
        return self


class Stt(Group):
    engine: Literal["whisper", "transcribe", "deepgram", "energy"]
    model: Annotated[str, Field(min_length=1)]
    threads: Annotated[int, Field(ge=1, le=64)]
    prosody: str
    pause_ms: Annotated[int, Field(ge=40, le=2000)]
    canned_words: Annotated[tuple[str, ...], Field(min_length=1)]
    transcribe: Transcribe
    deepgram: Deepgram

    @model_validator(mode="after")
    def _transcribe_has_a_region(self) -> "Stt":
        if self.engine == "transcribe" and not self.transcribe.region:
            raise ValueError("stt.transcribe.region is empty; set it to the AWS region to ask, such as ap-southeast-1")
        return self
