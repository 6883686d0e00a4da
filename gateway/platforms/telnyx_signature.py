"""How Telnyx signs its webhooks: Ed25519 over the timestamp and the raw body, for JSON and TeXML forms alike."""

import binascii
from base64 import b64decode

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from gateway.platforms.base import WebhookRequest

# Telnyx's own bound for a replayed webhook, in either direction of the clock.
MAX_SKEW_S = 300
# Seconds since 1970 have ten digits until the year 2286.
_MAX_TIMESTAMP_CHARS = 12


def public_key(encoded: str) -> Ed25519PublicKey | None:
    """The portal's public key, base64 of 32 bytes; None for a blank one, ValueError for any other text."""
    if not encoded:
        return None
    try:
        return Ed25519PublicKey.from_public_bytes(b64decode(encoded, validate=True))
    except (binascii.Error, ValueError) as error:
        raise ValueError("the public key is not base64 of 32 bytes") from error


def signed_message(request: WebhookRequest) -> bytes:
    """The bytes that Telnyx signs."""
    return f"{request.headers.get('telnyx-timestamp', '')}|".encode("utf-8", "replace") + request.body


def verify_telnyx(request: WebhookRequest, key: Ed25519PublicKey | None, now_s: float) -> bool:
    """Whether the body is signed with the key that `key` is the public half of, less than MAX_SKEW_S ago.

    Only the body is signed, so a GET is refused: it could say anything.
    """
    timestamp = request.headers.get("telnyx-timestamp", "")
    if (
        key is None
        or request.method.upper() == "GET"
        or not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= _MAX_TIMESTAMP_CHARS)
    ):
        return False
    if abs(now_s - int(timestamp)) > MAX_SKEW_S:
        return False
    try:
        signature = b64decode(request.headers.get("telnyx-signature-ed25519", ""), validate=True)
        key.verify(signature, signed_message(request))
    except (binascii.Error, ValueError, InvalidSignature):
        return False
    return True
