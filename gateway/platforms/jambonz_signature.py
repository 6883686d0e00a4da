"""jambonz' signed webhooks: `Jambonz-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of t, a dot and the raw body>`."""

import hashlib
import hmac

from gateway.platforms.base import WebhookRequest


def jambonz_signature(secret: str, timestamp: str, body: bytes) -> str:
    """The hexadecimal signature of a body at a time."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def verify_jambonz(request: WebhookRequest, secret: str, now_s: float, max_age_s: float) -> bool:
    """Whether one of the header's v1 signatures fits, and its time is not further than `max_age_s` from now.

    Only the body is signed, so a GET is refused: it could say anything.
    """
    timestamp = signed_time(request)
    given = [value for name, value in _parts(request) if name == "v1"]
    # The vendor's own check takes times of the future; a clock may be off either way, but not further.
    if (
        not secret
        or request.method.upper() == "GET"
        or not timestamp.isascii()
        or not timestamp.isdigit()
        or len(timestamp) > 12
    ):
        return False
    if abs(now_s - int(timestamp)) > max_age_s:
        return False
    ours = jambonz_signature(secret, timestamp, request.body).encode()
    return any([hmac.compare_digest(ours, value.encode("utf-8", "replace")) for value in given])


def signed_time(request: WebhookRequest) -> str:
    """The header's time as it is written; blank without."""
    return dict(_parts(request)).get("t", "")


def _parts(request: WebhookRequest) -> list[tuple[str, str]]:
    parts = (part.strip().partition("=") for part in request.headers.get("jambonz-signature", "").split(","))
    return [(name, value) for name, _, value in parts]
