"""Settings of the TTS worker, alone or as replicas of Ray Serve; default.toml owns the defaults, with their reasons."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from config.group import LOOPBACK, Group, Port, Seconds


class Ray(Group):
    min_replicas: Annotated[int, Field(ge=1, le=1_000)]
    max_replicas: Annotated[int, Field(ge=1, le=1_000)]
    target_sessions: Annotated[float, Field(gt=0)]
    scale_out_s: Annotated[float, Field(ge=0, le=3_600)]
    scale_in_s: Annotated[float, Field(ge=0, le=86_400)]
    cpus: Annotated[float, Field(ge=0)]
    gpus: Annotated[float, Field(ge=0)]
    drain_s: Seconds

    @model_validator(mode="after")
    def _most_is_not_least(self) -> "Ray":
        if self.max_replicas < self.min_replicas:
            raise ValueError(f"max_replicas {self.max_replicas} is below min_replicas {self.min_replicas}; raise it")
        return self


class Worker(Group):
    host: str
    port: Port
    engine: Literal["kokoro_onnx", "kokoro_torch", "tone"]
    token: Annotated[str, Field(repr=False)]
    guarded: bool
    threads: Annotated[int, Field(ge=0, le=64)]
    device: Literal["auto", "cuda", "mps", "cpu"]
    weights: str
    max_sessions: Annotated[int, Field(ge=1)]
    max_queued: Annotated[int, Field(ge=1)]
    idle_s: Annotated[float, Field(gt=0, le=86_400)]
    session_s: Annotated[float, Field(gt=0, le=86_400)]
    stall_s: Annotated[float, Field(gt=0, le=300)]
    hang_s: Annotated[float, Field(gt=0, le=600)]
    drain_s: Annotated[float, Field(ge=0, le=3600)]
    ray: Ray

    @model_validator(mode="after")
    def _token_off_loopback(self) -> "Worker":
        if self.host not in LOOPBACK and not self.token and not self.guarded:
            raise ValueError(
                f"worker.token is empty while worker.host is {self.host}; set a token or listen on 127.0.0.1"
            )
        return self
