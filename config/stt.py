"""The tables of hearing."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from config.group import Group, Language


class Transcribe(Group):
    region: str
    url: str
    vocabulary: str
    languages: Mapping[Language, str]


class Stt(Group):
    engine: Literal["whisper", "transcribe", "energy"]
    model: Annotated[str, Field(min_length=1)]
    threads: Annotated[int, Field(ge=1, le=64)]
    prosody: str
    pause_ms: Annotated[int, Field(ge=40, le=2000)]
    canned_words: Annotated[tuple[str, ...], Field(min_length=1)]
    transcribe: Transcribe

    @model_validator(mode="after")
    def _transcribe_has_a_region(self) -> "Stt":
        if self.engine == "transcribe" and not self.transcribe.region:
            raise ValueError("stt.transcribe.region is empty; set it to the AWS region to ask, such as ap-southeast-1")
        return self
