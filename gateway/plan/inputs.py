"""What a plan is made for: the calls, what they are promised, how long a new instance takes."""

import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from config.errors import ConfigError

Share = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
# Beyond these a figure is a slip of the pen, and the sums over so many calls would not fit in memory.
Count = Annotated[float, Field(gt=0, le=1e9)]
Seconds = Annotated[float, Field(ge=0, le=86_400)]


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Calls(_Group):
    """The calls of the busiest minutes. Calls at once come as `peak`, or as `per_hour` times `duration_s` (Little)."""

    peak: Count | None = None
    per_hour: Count | None = None
    duration_s: Annotated[Seconds, Field(gt=0)] = 180.0
    # How fast calls at once grow on the way to the peak; a campaign or a broken service makes it steep.
    growth_per_minute: NotNegative = 0.0
    # Calls at once in the quietest hours.
    quiet: NotNegative = 0.0
    # Share of a call in which the bot speaks, and what it says in a turn.
    talk_share: Share = 0.4
    sentences_per_turn: Annotated[float, Field(ge=1, le=50)] = 2.5
    sentence_s: Annotated[float, Field(gt=0, le=60)] = 2.5

    @model_validator(mode="after")
    def _one_way_to_say_how_many(self) -> "Calls":
        if (self.peak is None) == (self.per_hour is None):
            raise ValueError("say how many: either peak (calls at once) or per_hour")
        return self

    @property
    def at_once(self) -> float:
        """Mean calls at once in the busiest minutes."""
        if self.peak is not None:
            return self.peak
        assert self.per_hour is not None  # the validator wants one of the two
        return self.per_hour * self.duration_s / 3600

    @property
    def turn_audio_s(self) -> float:
        return self.sentences_per_turn * self.sentence_s

    @property
    def turn_s(self) -> float:
        """From one turn of the bot to its next."""
        return self.turn_audio_s / self.talk_share


class Promises(_Group):
    """What callers are promised, and what may break without breaking it."""

    # From the sentence's text at the worker to its first sound; the p95 that a pause in talk can take.
    first_audio_ms: Positive = 300.0
    # Replies that may come later than that, or fall behind their own playing.
    late_share: Share = 0.05
    # Callers who find every session taken.
    refused_share: Share = 0.001
    # `worker.max_sessions`: an instance turns further sessions away.
    sessions: Annotated[int, Field(ge=1, le=1_000)] = 64
    # Instances that may be missing at any time.
    spare_instances: Annotated[int, Field(ge=0, le=100)] = 1


class ScaleOut(_Group):
    """A scale-out in its measured parts, in seconds.

    The defaults are those published for one ml.g5.xlarge with a 4 GB image on 2026-08-04 (260 s from the wish to
    recovered traffic). They vary with region, instance type and image: measure your own.
    """

    # The high-resolution metric comes every 10 s, and target tracking wants three in a row; then the policy acts.
    metric_period_s: Annotated[Seconds, Field(gt=0)] = 10.0
    datapoints: Annotated[int, Field(ge=1, le=60)] = 3
    decision_s: Seconds = 30.0
    instance_s: Seconds = 180.8  # a machine, and the image pulled
    start_s: Seconds = 3.7  # the container
    model_s: Seconds = 7.5  # framework, weights, warm-up
    in_service_s: Seconds = 20.7  # until the health check passed
    settle_s: Seconds = 47.4  # until new calls have levelled the load

    @property
    def detect_s(self) -> float:
        return self.metric_period_s * self.datapoints + self.decision_s

    @property
    def fulfil_s(self) -> float:
        return self.instance_s + self.start_s + self.model_s + self.in_service_s + self.settle_s

    @property
    def total_s(self) -> float:
        return self.detect_s + self.fulfil_s


class Endpoint(_Group):
    """Names in the scaling requests."""

    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$")] = "voicebot-tts"
    variant: Annotated[str, Field(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$")] = "main"


class Inputs(_Group):
    """Everything but the ladder."""

    calls: Calls
    promises: Promises = Promises()
    scale_out: ScaleOut = ScaleOut()
    endpoint: Endpoint = Endpoint()


def read_inputs(file: Path | None, flags: dict[str, dict[str, Any]]) -> Inputs:
    """Return the inputs of a TOML file with `flags` (section, key) laid over it. Raises ConfigError, one sentence."""
    merged: dict[str, Any] = _toml(file) if file else {}
    for section, values in flags.items():
        given = merged.setdefault(section, {})
        if not isinstance(given, dict):
            raise ConfigError(f"{file}: {section} is no table; write [{section}] above its keys")
        if {"peak", "per_hour"} & values.keys():  # two ways to say one thing: the flag is meant
            given.pop("peak", None)
            given.pop("per_hour", None)
        given.update(values)
    merged.setdefault("calls", {})
    try:
        return Inputs.model_validate(merged)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        told = fault["msg"].removeprefix("Value error, ")
        given = "" if fault["type"] in ("value_error", "missing") else f" (given: {fault['input']!r})"
        raise ConfigError(f"{where}: {told}{given}; voicebot plan --help names the flags") from error


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}); check the path after --config") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is no TOML ({error}); mend it or give flags instead") from error
