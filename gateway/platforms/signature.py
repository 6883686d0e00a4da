"""How platforms sign their requests: one pair of functions a scheme, the signer and the check.

Checks take the request as the platform signed it (its URL rebuilt from the configured public base) and answer
True or False; whatever is malformed is False. All comparisons take constant time.
"""

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qs

from gateway.platforms.base import WebhookRequest

_TWILIO_DIGESTS = {"HMAC_SHA1": "sha1", "HMAC_SHA256": "sha256"}


def twilio_signature(secret: str, url: str, fields: Iterable[tuple[str, str]] = (), digest: str = "sha1") -> str:
    """Sign the URL followed by each form field's name and value, sorted; equal pairs count once."""
    signed = url + "".join(name + value for name, value in sorted(set(fields)))
    # Form values may hold anything; surrogatepass keeps a hostile one from raising.
    mac = hmac.new(secret.encode(), signed.encode("utf-8", "surrogatepass"), digest)
    return b64encode(mac.digest()).decode("ascii")


def verify_twilio(request: WebhookRequest, auth_token: str, signing_keys: Mapping[str, str]) -> bool:
    """Whether the X-Twilio-Signature fits; `signing_keys` maps the key ids of the newer SHA-256 scheme to secrets.

    The signature may have been made over the URL with or without its port. A body which the signature does not
    cover (neither form fields nor a bodySHA256 in the URL) is refused.
    """
    given = request.headers.get("x-twilio-signature", "")
    secret, digest = _twilio_key(request.headers, auth_token, signing_keys)
    fields = _twilio_fields(request)
    if not given or not secret or fields is None:
        return False
    # No early exit: both spellings are always computed and compared.
    fits = [_same(twilio_signature(secret, url, fields, digest), given) for url in port_variants(request.url)]
    return any(fits)


def port_variants(url: str) -> tuple[str, str]:
    """The URL without a port and with one: its own, else 443 for https and 80 for every other scheme.

    Twilio's SDK accepts both; so `wss` without a port pairs with `:80`.
    """
    scheme, _, rest = url.partition("://")
    end = min((i for i in map(rest.find, "/?#") if i >= 0), default=len(rest))
    authority, tail = rest[:end], rest[end:]
    host, colon, port = authority.rpartition(":")
    if not (colon and port.isdigit()):  # an IPv6 address ends in "]", so its colons are not taken for a port's
        host, port = authority, "443" if scheme == "https" else "80"
    return f"{scheme}://{host}{tail}", f"{scheme}://{host}:{port}{tail}"


def socket_secret(secret: str, stream_url: str) -> str:
    """What a platform that repeats a credential of our answer document shows at the socket of `stream_url`.

    Made from the webhook secret, so there is nothing more to configure; it proves that the document was ours, the
    one-time token proves which call's it was.
    """
    return hmac.new(secret.encode(), f"media socket {stream_url}".encode(), hashlib.sha256).hexdigest()


def _twilio_key(headers: Mapping[str, str], auth_token: str, signing_keys: Mapping[str, str]) -> tuple[str, str]:
    """Return secret and digest as the settings header names them; an empty secret when it names what we lack."""
    header = headers.get("x-twilio-webhooks-signature-settings")
    if header is None:
        return auth_token, "sha1"
    settings = dict(pair.strip().split("=", 1) for pair in header.split(",") if "=" in pair)
    digest = _TWILIO_DIGESTS.get(settings.get("algorithm", ""))
    if digest is None:
        return "", "sha1"
    return signing_keys.get(settings.get("key", ""), ""), digest


def _twilio_fields(request: WebhookRequest) -> tuple[tuple[str, str], ...] | None:
    """The form fields that were signed; None when the body is not covered by the signature."""
    if request.method.upper() == "GET":
        return ()
    body_hash = parse_qs(request.url.partition("?")[2]).get("bodySHA256")
    if body_hash:
        return () if _same(hashlib.sha256(request.body).hexdigest(), body_hash[0]) else None
    return request.form if request.form or not request.body else None


def _same(ours: str, theirs: str) -> bool:
    return hmac.compare_digest(ours.encode(), theirs.encode("utf-8", "replace"))
