"""What every table of the configuration is."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

Port = Annotated[int, Field(ge=0, le=65535)]

# What the gateway can hear, say and read: gateway/text/languages.
Language = Literal["en", "id", "es", "fr", "it", "pt", "hi", "ja", "zh"]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Group(BaseModel):
    """One TOML table: unknown keys are refused, values cannot change after the start."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=False)
