"""Genesys AudioHook's signed upgrade: a draft of HTTP Message Signatures, HMAC-SHA256 over six parts of the request.

The key is the base64-decoded client secret. Whatever is malformed is False; comparisons take constant time.
"""

import binascii
import hashlib
import hmac
import re
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gateway.platforms.base import WebhookRequest

COMPONENTS = frozenset(
    ("@request-target", "@authority", "audiohook-organization-id", "audiohook-session-id", "audiohook-correlation-id")
    + ("x-api-key",)
)
# Of Genesys' reference server; 22 base64 characters hold 128 bits.
MIN_NONCE_CHARS = 22
# Six names, a key's id, a nonce and two times are about 300 characters.
MAX_HEADER_CHARS = 2048

_INPUT = re.compile(
    r"\s*(?P<label>[a-z*][a-z0-9_.*-]*)=(?P<params>\((?P<names>[^()]*)\)(?P<rest>(?:;[a-z]+=[^;,]+)*))\s*"
)
_SIGNATURE = re.compile(r"\s*(?P<label>[a-z*][a-z0-9_.*-]*)=:(?P<value>[A-Za-z0-9+/=]+):\s*")
_DEFAULT_PORTS = {"wss": ":443", "https": ":443", "ws": ":80", "http": ":80"}


@dataclass(frozen=True, slots=True)
class GenesysClient:
    """Whose sockets are taken: blank values take none. `secret` is the client secret in base64, as Genesys has it."""

    api_key: str = field(repr=False)
    secret: str = field(repr=False)
    # The reference server's age limit, and how far clocks may be apart.
    max_age_s: float = 10.0
    skew_s: float = 3.0


@dataclass(frozen=True, slots=True)
class Signed:
    """What a valid signature tells; a nonce may come once only."""

    nonce: str
    until_s: float


def verified(request: WebhookRequest, client: GenesysClient, now_s: float) -> Signed | None:
    """Check key, signature and age of an upgrade; None when anything is wrong."""
    key = _key(client.secret)
    described = _INPUT.fullmatch(request.headers.get("signature-input", "")[:MAX_HEADER_CHARS])
    given = _SIGNATURE.fullmatch(request.headers.get("signature", "")[:MAX_HEADER_CHARS])
    if not key or not shows_key(request, client) or described is None or given is None:
        return None
    names = [name.strip('"') for name in described["names"].split()]
    # The vendor's documentation signs `host` where its programs sign `@authority`; both are our public name.
    covered = {"@authority" if name == "host" else name for name in names}
    if given["label"] != described["label"] or len(names) != len(covered) or not covered >= COMPONENTS:
        return None
    ours = sign(key, base_string(request, names, described["params"]))
    if not hmac.compare_digest(ours.encode(), given["value"].encode()):
        return None
    return _timely(_parameters(described["rest"]), client, now_s)


def shows_key(request: WebhookRequest, client: GenesysClient) -> bool:
    """Whether the request's X-API-KEY is the client's."""
    shown = request.headers.get("x-api-key", "").encode("utf-8", "replace")
    return bool(client.api_key) and hmac.compare_digest(client.api_key.encode(), shown)


def sign(key: bytes, text: str) -> str:
    """The base64 signature of a base string."""
    return b64encode(hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()).decode("ascii")


def base_string(request: WebhookRequest, names: list[str], params: str) -> str:
    """The text that is signed: a line a component, then the parameters as they were sent."""
    lines = [f'"{name}": {_component(request, name)}' for name in names]
    return "\n".join([*lines, f'"@signature-params": {params}'])


def _component(request: WebhookRequest, name: str) -> str:
    parts = urlsplit(request.url)
    if name == "@request-target":
        return f"{parts.path}?{parts.query}" if parts.query else parts.path
    if name in ("@authority", "host"):
        return parts.netloc.lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme, ""))
    return request.headers.get(name.lower(), "")


def _parameters(rest: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in rest.split(";") if part)
    return {name: value.strip('"') for name, _, value in pairs}


def _timely(parameters: dict[str, str], client: GenesysClient, now_s: float) -> Signed | None:
    """Check what the signed parameters say; each is covered by the signature."""
    created_s, expires_s = _seconds(parameters.get("created", "")), _seconds(parameters.get("expires", ""))
    nonce = parameters.get("nonce", "")
    if parameters.get("alg") != "hmac-sha256" or parameters.get("keyid") != client.api_key:
        return None
    if created_s is None or expires_s is None or len(nonce) < MIN_NONCE_CHARS:
        return None
    oldest_s, newest_s = now_s - client.max_age_s - client.skew_s, now_s + client.skew_s
    if not oldest_s <= created_s <= newest_s or now_s >= expires_s + client.skew_s:
        return None
    return Signed(nonce, created_s + client.max_age_s + client.skew_s)


def _seconds(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def _key(secret: str) -> bytes:
    try:
        return b64decode(secret, validate=True)
    except (binascii.Error, ValueError):
        return b""
