"""Settings of the phone platforms: one group a platform. default.toml owns the defaults, with their reasons."""

import re
from ipaddress import ip_network
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

Secret = Annotated[str, Field(repr=False)]
ByteOrder = Literal["little", "big"]


def check_networks(written: tuple[str, ...]) -> tuple[str, ...]:
    """The networks as they are; ValueError names the one that is none."""
    for network in written:
        try:
            ip_network(network, strict=False)
        except ValueError:
            raise ValueError(f"{network!r} is no network; write one such as 10.0.0.0/8") from None
    return written


class PlatformGroup(BaseModel):
    """One platform's table. It is switched on by its secrets: all that `proof` names must be set."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    proof: ClassVar[tuple[str, ...]]

    @property
    def enabled(self) -> bool:
        return all(getattr(self, name) for name in self.proof)


class Twilio(PlatformGroup):
    proof = ("auth_token",)
    account_sid: str
    auth_token: Secret
    api_url: str


class SignalWire(PlatformGroup):
    proof = ("signing_key",)
    signing_key: Secret
    project_id: str
    token: Secret
    space_url: str
    codec: Literal["PCMU@8000h", "L16@16000h", "L16@24000h"]
    realtime: bool
    l16_byte_order: ByteOrder


class Telnyx(PlatformGroup):
    proof = ("public_key",)
    application: Literal["texml", "call_control"]
    public_key: str
    api_key: Secret
    account_id: str
    application_id: str
    codec: Literal["PCMU", "PCMA", "L16"]
    rate_hz: Literal[8000, 16000, 24000]
    l16_byte_order: ByteOrder
    stream_secret: Secret
    api_url: str


class Plivo(PlatformGroup):
    proof = ("auth_token",)
    auth_id: str
    auth_token: Secret
    main_token: Secret
    content_type: str
    separator: Literal[",", ";"]
    l16_byte_order: ByteOrder
    socket_signed: bool
    api_url: str


class Vobiz(Plivo):
    """Plivo's keys with Vobiz's defaults."""


class Vonage(PlatformGroup):
    proof = ("signature_secret",)
    signature_secret: Secret
    api_key: str
    application_id: str
    private_key: Secret
    rate_hz: Literal[8000, 16000, 24000]
    authorization: Literal["custom", "vonage", "none"]
    max_age_s: Annotated[float, Field(gt=0, le=3600)]
    api_url: str


class Exotel(PlatformGroup):
    proof = ("user", "password")
    user: str
    password: Secret
    rate_hz: Literal[8000, 16000, 24000]
    min_chunk_bytes: Annotated[int, Field(ge=320, le=100_000, multiple_of=320)]
    marks_returned_on_clear: bool
    account_sid: str
    api_key: Secret
    api_token: Secret
    api_url: str


class Bandwidth(PlatformGroup):
    proof = ("user", "password")
    user: str
    password: Secret
    pcm_hz: Literal[0, 8000, 16000, 24000]
    hold_s: Annotated[int, Field(ge=60, le=86_400)]
    account_id: str
    application_id: str
    client_id: str
    client_secret: Secret
    oauth2: bool
    api_url: str
    token_url: str


class Asterisk(PlatformGroup):
    """What both Asterisk platforms have: the dial plan's credentials, and ARI's."""

    proof = ("user", "password")
    user: str
    password: Secret
    ari_user: str
    ari_password: Secret
    ari_url: str
    endpoint: Annotated[str, Field(pattern=r"\{number\}")]
    context: str
    extension: str


class ChanWebsocket(Asterisk):
    media_url: str

    @field_validator("media_url")
    @classmethod
    def _is_a_socket(cls, written: str) -> str:
        if written and not re.fullmatch(r"wss?://[^/?#\s]+(/[^?#\s]*)?", written):
            raise ValueError("give the address under which Asterisk waits, e.g. ws://10.0.0.4:8088/media")
        return written


class AudioSocket(Asterisk):
    port: Annotated[int, Field(ge=0, le=65535)]
    rate_hz: Literal[0, 8000, 12000, 16000, 24000, 32000, 44100, 48000, 96000, 192000]
    networks: tuple[str, ...]

    @field_validator("networks")
    @classmethod
    def _are_networks(cls, written: tuple[str, ...]) -> tuple[str, ...]:
        return check_networks(written)


class FreeSwitch(PlatformGroup):
    proof = ("user", "password")
    user: str
    password: Secret
    module: Literal["fork", "stream"]
    rate_hz: Literal[8000, 16000]
    bare_audio: bool
    chunk_ms: Annotated[int, Field(ge=20, le=2000, multiple_of=20)]
    socket_credentials: bool


class Genesys(PlatformGroup):
    proof = ("api_key", "client_secret")
    api_key: Secret
    client_secret: Secret
    require_signature: bool
    max_age_s: Annotated[float, Field(gt=0, le=3600)]
    l16_order: ByteOrder

    @property
    def enabled(self) -> bool:
        """By the key alone where no signature is asked for."""
        return bool(self.api_key) and (bool(self.client_secret) or not self.require_signature)


class Jambonz(PlatformGroup):
    proof = ("webhook_secret",)
    webhook_secret: Secret
    account_sid: str
    api_key: Secret
    rate_hz: Literal[8000, 16000, 24000, 48000, 64000]
    max_age_s: Annotated[float, Field(gt=0, le=3600)]
    api_url: str
