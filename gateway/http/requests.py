"""What a platform's HTTP request says: read as the platform signed it, from the address it came from."""

import asyncio
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from aiohttp import web

from gateway.errors import Refused
from gateway.platforms.base import WebhookRequest

# A webhook is below 4 kB.
MAX_WEBHOOK_BYTES = 64 * 1024
# Platforms send a webhook in one packet or two; who dribbles holds a connection.
BODY_TIMEOUT_S = 10.0

Network = IPv4Network | IPv6Network


class RequestReader:
    """`public_url`: how platforms reach us, scheme and host; empty takes the request's own, on loopback only.

    `proxies` are the networks whose X-Forwarded-For is believed.
    """

    def __init__(self, public_url: str, proxies: Sequence[str] = (), *, body_timeout_s: float = BODY_TIMEOUT_S) -> None:
        """ValueError when a network is none."""
        self._body_timeout_s = body_timeout_s
        self._public_url = public_url.rstrip("/")
        self._proxies = networks(proxies)

    def base(self, request: web.Request) -> str:
        """Scheme and host as the platform knows them: from configuration, never from a header, but on loopback.

        Refused (400) there for a header that is no host.
        """
        base = self._public_url or f"http://{request.host}"
        try:
            urlsplit(base)
        except ValueError as error:
            raise Refused("bad_host", "the Host header is no host", http_status=400) from error
        return base

    def source(self, request: web.Request) -> str:
        """The address the request came from: the last one that no proxy of ours has written."""
        hops = [hop.strip() for value in request.headers.getall("X-Forwarded-For", []) for hop in value.split(",")]
        address = request.remote or ""
        while hops and is_within(address, self._proxies):
            address = hops.pop()
        return address

    async def webhook(self, request: web.Request) -> WebhookRequest:
        """Read a webhook whole; Refused as `body` is, or when it is no form (400)."""
        body = await self.body(request)
        try:
            form = await request.post() if request.content_type == "application/x-www-form-urlencoded" else {}
        except (LookupError, ValueError) as error:  # a charset nobody knows, or bytes that are none of its text
            raise Refused("bad_form", "the form cannot be decoded", http_status=400) from error
        pairs = tuple((name, value) for name, value in form.items() if isinstance(value, str))
        url = f"{self.base(request)}{request.raw_path}"
        return WebhookRequest(request.method, url, _headers(request), pairs, body)

    async def body(self, request: web.Request) -> bytes:
        """Read a request's body whole; Refused when it is too large (413), too slow (408) or cut off (400)."""
        if (request.content_length or 0) > MAX_WEBHOOK_BYTES:
            raise Refused("body_too_large", f"more than {MAX_WEBHOOK_BYTES} bytes", http_status=413)
        try:
            async with asyncio.timeout(self._body_timeout_s):
                return await request.read()
        except TimeoutError:
            raise Refused("body_too_slow", f"not whole after {self._body_timeout_s:g} s", http_status=408) from None
        except ConnectionError:  # nobody will read this
            raise Refused("body_cut_off", "the peer left before the end of its request", http_status=400) from None

    def upgrade(self, request: web.Request) -> WebhookRequest:
        """The upgrade as it was signed: the wss URL of the answer document (Twilio, "Media Streams")."""
        base = urlsplit(self.base(request))
        scheme = "wss" if base.scheme == "https" else "ws"
        return WebhookRequest("GET", f"{scheme}://{base.netloc}{request.raw_path}", _headers(request))


def networks(written: Sequence[str]) -> tuple[Network, ...]:
    """Networks such as 10.0.0.0/8 or a single address; ValueError when one is neither."""
    return tuple(ip_network(network, strict=False) for network in written)


def is_within(address: str, known: Sequence[Network]) -> bool:
    """Whether an address lies in one of the networks; no text but an address does."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in known)


def _headers(request: web.Request) -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers.items()}
