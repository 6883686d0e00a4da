"""Settings of the gateway's voice: which worker, and over what. default.toml owns the defaults, with their reasons."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from config.group import Group, Seconds


class SageMaker(Group):
    endpoint: Annotated[str, Field(pattern=r"^([A-Za-z0-9](-*[A-Za-z0-9]){0,62})?$")]
    region: Annotated[str, Field(pattern=r"^[a-z0-9-]*$")]
    variant: Annotated[str, Field(pattern=r"^([A-Za-z0-9](-*[A-Za-z0-9]){0,62})?$")]
    endpoint_url: Annotated[str, Field(pattern=r"^(https://[^/?#\s]+)?/?$")]


class Tts(Group):
    provider: Literal["websocket", "sagemaker"]
    url: Annotated[str, Field(pattern=r"^wss?://[^/?#\s]+/?$")]
    token: Annotated[str, Field(repr=False)]
    connect_s: Seconds
    give_up_s: Seconds
    outstanding: Annotated[int, Field(ge=1, le=50)]
    sagemaker: SageMaker

    @model_validator(mode="after")
    def _provider_is_complete(self) -> "Tts":
        if self.provider == "sagemaker" and not (self.sagemaker.endpoint and self.sagemaker.region):
            raise ValueError("tts.sagemaker needs endpoint and region, e.g. kokoro and eu-west-1")
        return self
