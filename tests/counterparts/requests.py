"""The simulator's webhooks and upgrades as the gateway hands them to a platform."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from gateway.platforms.base import WebhookRequest
from gateway.simulator.ringing import Door, Webhook

BASE = "https://bot.example.test"
# Values that scripts, spaces, signs and an empty field make hard.
FORM = {"CallSid": "CA0001", "From": "+15550100001", "City": "São Paulo & más", "Empty": "", "Body": "a=b+c %20"}


def named(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with their names as the gateway has them."""
    return {name.lower(): value for name, value in headers.items()}


def asked(webhook: Webhook) -> WebhookRequest:
    """A simulated webhook, its form read from its body."""
    form = parse_qsl(webhook.body.decode(), keep_blank_values=True) if "form" in webhook.content_type else []
    return WebhookRequest(webhook.method, webhook.url, named(webhook.headers), tuple(form), webhook.body)


def opened(door: Door) -> WebhookRequest:
    """A simulated upgrade."""
    return WebhookRequest("GET", door.url, named(door.headers))
