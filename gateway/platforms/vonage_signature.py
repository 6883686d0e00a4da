"""Vonage's signed requests: a JWT (HS256) in the Authorization header, with a hash of what the request carries.

The vendor promises no `exp`, so a token's age is counted from `iat`. Whatever is malformed is False.
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from gateway.platforms.base import WebhookRequest

# Vonage's own tokens are about 500 characters; a longer one is not worth a hash.
MAX_TOKEN_CHARS = 4096


@dataclass(frozen=True, slots=True)
class VonageIdentity:
    """Whose requests are taken: a blank secret verifies nothing, a blank key or application is not asked for."""

    signature_secret: str = field(repr=False)
    api_key: str = ""
    application_id: str = ""
    # Longer lets a stolen request be replayed, shorter refuses requests of a platform whose clock is off.
    max_age_s: float = 300.0


def verify_webhook(request: WebhookRequest, identity: VonageIdentity, now_s: float) -> bool:
    """Whether the request carries a fresh token of this identity that fits its body, or its query for a GET."""
    claims = verified_claims(request.headers.get("authorization", ""), identity, now_s)
    if claims is None:
        return False
    given = str(claims.get("payload_hash", ""))
    return any([hmac.compare_digest(given.encode("utf-8", "replace"), fits) for fits in _payload_hashes(request)])


def verified_claims(authorization: str, identity: VonageIdentity, now_s: float) -> Mapping[str, Any] | None:
    """The claims of a bearer token that is well signed, fresh and this identity's; None otherwise."""
    token = authorization[7:].strip() if authorization[:7].lower() == "bearer " else ""
    head, dot, signature = token.rpartition(".")
    if not dot or not identity.signature_secret or len(token) > MAX_TOKEN_CHARS or not token.isascii():
        return None
    if not hmac.compare_digest(hs256(identity.signature_secret, head), signature.rstrip("=")):
        return None
    header, _, payload = head.partition(".")
    claims = _object(payload)
    # Only HS256: a header that names another algorithm, or none, must not choose how it is checked.
    if claims is None or (_object(header) or {}).get("alg") != "HS256":
        return None
    return claims if _fresh(claims, identity.max_age_s, now_s) and _ours(claims, identity) else None


def hs256(secret: str, signed: str) -> str:
    """The signature part of a JWT whose first two parts are `signed`."""
    digest = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def _payload_hashes(request: WebhookRequest) -> list[bytes]:
    """The hashes that would fit: of the raw body; for a GET, of the query as a compact JSON object in its order."""
    if request.method.upper() == "GET":
        query = dict(parse_qsl(request.url.partition("?")[2], keep_blank_values=True))
        carried = [json.dumps(query, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")]
    else:
        carried = [request.body]
    return [hashlib.sha256(payload).hexdigest().encode("ascii") for payload in carried]


def _fresh(claims: Mapping[str, Any], max_age_s: float, now_s: float) -> bool:
    issued_s, expires_s = claims.get("iat"), claims.get("exp")
    if not isinstance(issued_s, int | float) or abs(now_s - issued_s) > max_age_s:
        return False
    return expires_s is None or (isinstance(expires_s, int | float) and now_s < expires_s)


def _ours(claims: Mapping[str, Any], identity: VonageIdentity) -> bool:
    wanted = {"api_key": identity.api_key, "application_id": identity.application_id}
    return all(claims.get(name) == value for name, value in wanted.items() if value)


def _object(part: str) -> Mapping[str, Any] | None:
    """A part of a token as JSON object, None when it is not one."""
    try:
        value = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
