"""HTTP Basic credentials, for platforms that sign nothing and can only repeat a user and a password."""

import hmac
from base64 import b64encode
from urllib.parse import quote, urlsplit, urlunsplit

from gateway.platforms.base import WebhookRequest


def carries_basic(request: WebhookRequest, user: str, password: str) -> bool:
    """Whether the request has exactly these credentials, compared in constant time; never when either is blank."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if not user or not password or scheme.lower() != "basic":
        return False
    expected = b64encode(f"{user}:{password}".encode())
    return hmac.compare_digest(expected, given.strip().encode("utf-8", "replace"))


def with_basic(url: str, user: str, password: str) -> str:
    """The URL with the credentials in it, for platforms that are told them there; unchanged without a user."""
    if not user:
        return url
    parts = urlsplit(url)
    credentials = f"{quote(user, safe='')}:{quote(password, safe='')}@"
    return urlunsplit(parts._replace(netloc=credentials + parts.netloc.rpartition("@")[2]))
