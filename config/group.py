"""What every table of the configuration is."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Group(BaseModel):
    """One TOML table: unknown keys are refused, values cannot change after the start."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=False)
