"""Both ends of a platform's wire joined through memory: a ringing at a platform, a dialect at a codec."""

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl

from gateway.events import (
    CallEnded,
    CallerAudio,
    ClearOutput,
    Command,
    Digit,
    Event,
    HangUp,
    MarkReached,
    OutputCleared,
    SendAudio,
    SendDigits,
    SendMark,
)
from gateway.platforms.base import Codec, Platform, WebhookRequest
from gateway.simulator.dialect import BotAudio, BotClear, BotDigits, BotHangUp, BotMark, BotMessage, Dialect
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Ringing, Webhook

BASE = "https://bot.example.test"


def request_of(webhook: Webhook) -> WebhookRequest:
    """A simulated webhook with a form as the gateway's routes read it."""
    form = tuple(parse_qsl(webhook.body.decode(), keep_blank_values=True))
    return WebhookRequest(webhook.method, webhook.url, _lowered(webhook.headers), form, webhook.body)


def upgrade_of(door: Door) -> WebhookRequest:
    return WebhookRequest("GET", door.url, _lowered(door.headers))


def rung(platform: Platform, ringing: Ringing, parameters: dict[str, str] | None = None) -> Door:
    """Ring, answer with the token "once" as the gateway does, and return the door; both signatures must pass."""
    webhook = ringing.ask(BASE)
    assert webhook is not None
    request = request_of(webhook)
    assert platform.verify(request)
    call = platform.incoming(request)
    assert call.call_id == ringing.call_id
    assert (call.caller.lstrip("+"), call.called.lstrip("+")) == (CALLER.lstrip("+"), CALLED.lstrip("+"))
    url = f"wss://bot.example.test/{platform.name}/stream" + ("/once" if platform.capabilities.token_in_path else "")
    answer = platform.answer(url, "once", parameters or {})
    door = ringing.door(BASE, Reply(answer.content_type, answer.body))
    assert door.url == url
    assert platform.verify(upgrade_of(door))
    return door


def received(codec: Codec, messages: Sequence[str | bytes]) -> list[Event]:
    return [event for message in messages for event in codec.receive(message)]


def said(codec: Codec, side: Dialect, events: Sequence[Event]) -> list[Event]:
    """Have the platform say what the events mean; return what the codec understood. Audio is in the dialect's PCM."""
    messages: list[str | bytes] = []
    for event in events:
        match event:
            case CallerAudio(pcm):
                messages += side.audio(pcm)
            case Digit(digit):
                messages += side.digit(digit)
            case MarkReached(name):
                messages += side.mark(name)
            case OutputCleared():
                messages += side.cleared([])
            case CallEnded():
                messages += side.stop()
    return received(codec, messages)


def meant(command: Command) -> list[BotMessage]:
    """What a platform with L16 must understand of a command."""
    match command:
        case SendAudio(payload):
            return [BotAudio(payload)]
        case SendMark(name):
            return [BotMark(name)]
        case ClearOutput():
            return [BotClear()]
        case SendDigits(digits):
            return [BotDigits(digits)]
        case HangUp():
            return [BotHangUp()]
    raise ValueError(f"no platform is told {type(command).__name__} here")


def _lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
