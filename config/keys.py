"""Settings of the keys that callers press. default.toml owns the defaults, with their reasons."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from config.group import Group


class Keys(Group):
    terminators: Annotated[str, Field(max_length=4)]
    max_digits: Annotated[int, Field(ge=1, le=64)]
    pause_s: Annotated[float, Field(ge=0.3, le=30)]
    interrupts: bool
    in_band: Literal["auto", "always", "never"]
    tone_ms: Annotated[int, Field(ge=40, le=1000)]
    gap_ms: Annotated[int, Field(ge=40, le=1000)]

    @field_validator("terminators")
    @classmethod
    def _are_keys(cls, written: str) -> str:
        if not set(written) <= set("0123456789*#ABCD"):
            raise ValueError(f"{written!r} has what is no key; keys are 0-9 * # A-D")
        return written
