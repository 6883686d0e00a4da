"""Settings: frozen groups with types and ranges. config/default.toml owns every default, with its unit and reason;
sources.py reads them.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from config import platforms
from config.bots import Answering, Bot, NamedBot, Turn
from config.group import LOOPBACK, Group, Port, Seconds
from config.keys import Keys
from config.stt import Stt
from config.tools import DeclaredTools, ToolUse, check_bot
from config.tts import Tts
from config.worker import Worker

Level = Literal["debug", "info", "warning", "error"]


class Server(Group):
    host: str
    port: Port
    public_url: str
    max_calls: Annotated[int, Field(ge=1, le=10_000)]
    drain_s: Annotated[float, Field(ge=0, le=3600)]
    keep_alive_s: Seconds
    first_message_s: Seconds
    send_timeout_s: Seconds
    sockets_per_source: Annotated[int, Field(ge=1)]
    messages_per_s: Annotated[float, Field(ge=60, le=10_000)]
    trusted_proxies: tuple[str, ...]

    @field_validator("public_url")
    @classmethod
    def _is_a_base(cls, written: str) -> str:
        if written and not re.fullmatch(r"https?://[^/?#\s]+/?", written):
            raise ValueError("give scheme and host only, e.g. https://bot.example.com")
        return written

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, written: tuple[str, ...]) -> tuple[str, ...]:
        return platforms.check_networks(written)


class Security(Group):
    insecure_dev: bool
    admin_token: Annotated[str, Field(repr=False)]
    token_ttl_s: Seconds
    replay_s: Annotated[float, Field(ge=0, le=86_400)]


class Playout(Group):
    lead_ms: Annotated[int, Field(ge=20, le=1000)]
    max_queue_s: Annotated[float, Field(ge=2, le=600)]


class Bedrock(Group):
    model_id: str
    region: str
    endpoint_url: str
    additional_fields: dict[str, Any]
    guardrail_id: str
    guardrail_version: str
    guardrail_mode: Literal["sync", "async"]


class OpenAI(Group):
    base_url: str
    model: str
    api_key: Annotated[str, Field(repr=False)]
    extra: dict[str, Any]


class Scripted(Group):
    replies: Annotated[tuple[str, ...], Field(min_length=1)]
    first_token_s: Annotated[float, Field(ge=0, le=60)]
    tokens_per_s: Annotated[float, Field(ge=0)]


class Llm(Group):
    provider: Literal["bedrock", "openai", "scripted"]
    connect_s: Seconds
    read_s: Seconds
    first_token_s: Seconds
    max_tokens: Annotated[int, Field(ge=0, le=100_000)]
    temperature: Annotated[float, Field(le=1)]
    top_p: Annotated[float, Field(le=1)]
    max_concurrent: Annotated[int, Field(ge=1, le=1000)]
    bedrock: Bedrock
    openai: OpenAI
    scripted: Scripted

    @model_validator(mode="after")
    def _provider_is_complete(self) -> "Llm":
        if self.provider == "bedrock" and not self.bedrock.model_id:
            raise ValueError("llm.bedrock.model_id is empty; set it to a Bedrock model or inference profile id")
        if self.provider == "openai" and not (self.openai.base_url and self.openai.model):
            raise ValueError("llm.openai needs base_url and model, e.g. http://127.0.0.1:11434/v1 and llama3.2")
        return self


class Models(Group):
    dir: str


class Recording(Group):
    dir: str
    keep_days: Annotated[int, Field(ge=1, le=3650)]


class Transcripts(Group):
    keep_calls: Annotated[int, Field(ge=0, le=10_000)]


class Log(Group):
    level: Level
    format: Literal["auto", "json", "console"]
    words: bool


class WorkerSettings(Group):
    """The tables that the TTS worker reads; the rest of a shared file is not its business."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    worker: Worker
    models: Models
    log: Log


class Settings(Group):
    """The whole configuration of the gateway."""

    server: Server
    security: Security
    twilio: platforms.Twilio
    signalwire: platforms.SignalWire
    telnyx: platforms.Telnyx
    plivo: platforms.Plivo
    vobiz: platforms.Vobiz
    vonage: platforms.Vonage
    genesys: platforms.Genesys
    jambonz: platforms.Jambonz
    exotel: platforms.Exotel
    bandwidth: platforms.Bandwidth
    chan_websocket: platforms.ChanWebsocket
    audiosocket: platforms.AudioSocket
    freeswitch: platforms.FreeSwitch
    bot: Bot
    bots: dict[str, NamedBot]
    tool_use: ToolUse
    tools: DeclaredTools
    turn: Turn
    keys: Keys
    answering: Answering
    playout: Playout
    stt: Stt
    llm: Llm
    tts: Tts
    worker: Worker
    models: Models
    recording: Recording
    transcripts: Transcripts
    log: Log

    @model_validator(mode="after")
    def _bots_have_their_tools(self) -> "Settings":
        for name, bot in {"bot": self.bot, **{f"bots.{name}": bot for name, bot in self.bots.items()}}.items():
            check_bot(name, bot.tools, bot.transfer_to, self.tools)
        return self

    @model_validator(mode="after")
    def _insecure_only_on_loopback(self) -> "Settings":
        if self.security.insecure_dev and self.server.host not in LOOPBACK:
            raise ValueError(
                f"security.insecure_dev is true while server.host is {self.server.host}; "
                "listen on 127.0.0.1 or switch insecure_dev off"
            )
        if not self.security.insecure_dev and not self.server.public_url:
            raise ValueError(
                "server.public_url is empty; set it to the https:// address the phone platform calls, "
                "or set security.insecure_dev for work on this machine"
            )
        if not self.security.insecure_dev and not self.enabled_platforms():
            raise ValueError(
                "no phone platform is configured, so no signature can be checked; "
                "set the secrets of one, such as VOICEBOT_TWILIO__AUTH_TOKEN"
            )
        return self

    def enabled_platforms(self) -> dict[str, platforms.PlatformGroup]:
        """The tables of the platforms that are on, by name: those whose secrets are set, or all in insecure_dev."""
        tables = {name: value for name, value in self if isinstance(value, platforms.PlatformGroup)}
        return {name: table for name, table in tables.items() if table.enabled or self.security.insecure_dev}
