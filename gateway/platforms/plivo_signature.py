"""How Plivo signs webhooks and upgrades (V3), and how Vobiz, which copies it, does.

Both put a nonce in a header and may send several signatures, made with an account's own token and its main account's.
"""

import hmac
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Sequence
from urllib.parse import parse_qsl, urlsplit

from gateway.platforms.base import WebhookRequest


def plivo_signature(auth_token: str, base: str, nonce: str) -> str:
    """Sign the base and the nonce."""
    mac = hmac.new(auth_token.encode(), f"{base}.{nonce}".encode("utf-8", "surrogatepass"), "sha256")
    return b64encode(mac.digest()).decode("ascii")


def plivo_base(method: str, url: str, fields: Iterable[tuple[str, str]] = ()) -> str:
    """What Plivo signs of a request: its URL with the query sorted, and the fields of a POST, sorted, behind it."""
    place, query = _split(url)
    asked = _grouped(parse_qsl(query, keep_blank_values=True))
    posted = _grouped(fields)
    if method == "GET":
        # A name in both is taken from the URL.
        return _with_query(place, _pairs({**posted, **asked}, "=", "&"))
    if not posted:
        return _with_query(place, _pairs(asked, "=", "&"))
    told = _pairs(asked, "=", "&")
    return f"{place}?{told}{'.' if told else ''}{_pairs(posted, '', '')}"


def verify_plivo(request: WebhookRequest, auth_tokens: Sequence[str]) -> bool:
    """Whether a webhook carries a V3 signature made with one of the tokens; blank tokens make none."""
    base = plivo_base(request.method.upper(), request.url, request.form)
    # A body that the signature does not cover would be somebody else's.
    covered = bool(request.form) or not request.body or request.method.upper() == "GET"
    return _signed(request, "plivo", [base], auth_tokens) and covered


def verify_plivo_upgrade(request: WebhookRequest, auth_tokens: Sequence[str]) -> bool:
    """Whether an upgrade is signed in one of the forms told of: wss, https or http, with and without /websocket."""
    place, query = _split(request.url)
    rest = place.partition("://")[2]
    forms = [f"{scheme}://{rest}{end}" for scheme in ("wss", "https", "http") for end in ("", "/websocket")]
    bases = [plivo_base("GET", f"{form}?{query}" if query else form) for form in forms]
    return _signed(request, "plivo", bases, auth_tokens)


def verify_vobiz(request: WebhookRequest, auth_tokens: Sequence[str]) -> bool:
    """Whether a request carries Vobiz's V3 signature, which covers the URL without its query, and nothing else."""
    return _signed(request, "vobiz", [_split(request.url)[0]], auth_tokens)


def plivo_nonce(request: WebhookRequest, vendor: str) -> str:
    """What the signature's sender used once; blank without."""
    return request.headers.get(f"x-{vendor}-signature-v3-nonce", "")


def _signed(request: WebhookRequest, vendor: str, bases: Sequence[str], auth_tokens: Sequence[str]) -> bool:
    nonce = plivo_nonce(request, vendor)
    headers = (request.headers.get(f"x-{vendor}-signature-{kind}", "") for kind in ("v3", "ma-v3"))
    given = [signature.strip().encode("utf-8", "replace") for header in headers for signature in header.split(",")]
    ours = [plivo_signature(token, base, nonce).encode() for token in auth_tokens if token for base in bases]
    # No early exit: everything is computed and compared.
    fits = [hmac.compare_digest(mine, theirs) for mine in ours for theirs in given]
    return any(fits) and bool(nonce)


def _split(url: str) -> tuple[str, str]:
    """Scheme, host and path; and the query. What is no URL is all path, and signs nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}", parts.query


def _with_query(place: str, query: str) -> str:
    return f"{place}?{query}" if query else place


def _grouped(fields: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for name, value in fields:
        grouped[name].append(value)
    return grouped


def _pairs(fields: dict[str, list[str]], between: str, behind: str) -> str:
    return behind.join(f"{name}{between}{value}" for name in sorted(fields) for value in sorted(fields[name]))
