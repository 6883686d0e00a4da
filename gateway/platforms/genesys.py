"""Genesys AudioHook v2 as an Audio Connector: a bot in an Architect flow.

Genesys opens the socket itself, signed; there is no webhook and no REST. genesys_stream.py is what passes over it.
"""

import time
from collections.abc import Callable, Mapping

from gateway.errors import Refused
from gateway.platforms.base import Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.genesys_signature import GenesysClient, shows_key, verified
from gateway.platforms.genesys_stream import CAPABILITIES, GenesysCodec

# Nonces that are remembered until their signatures are too old anyway; only the key's owner can fill this.
MAX_NONCES = 10_000


class Genesys:
    """The platform: the upgrade's signature, made with the connector's key and secret, admits a stream.

    `require_signature` False takes a socket for its X-API-KEY alone, as connectors without a client secret do.
    """

    name = "genesys"
    capabilities = CAPABILITIES

    def __init__(
        self,
        api_key: str,
        client_secret: str = "",
        *,
        require_signature: bool = True,
        max_age_s: float = 10.0,
        l16_order: str = "little",
        now: Callable[[], float] = time.time,
    ) -> None:
        """`client_secret` in base64, as Genesys shows it. ValueError for another byte order than little or big."""
        self._client = GenesysClient(api_key, client_secret, max_age_s)
        self._require_signature = require_signature
        self._l16_order = ByteOrder(l16_order)
        self._now = now
        self._nonces: dict[str, float] = {}  # until when each is refused, oldest first

    def codec(self) -> Codec:
        return GenesysCodec(self._l16_order)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the upgrade is signed, and for the first time: a repeated one is somebody else's."""
        if not self._require_signature:
            return shows_key(request, self._client)
        now_s = self._now()
        signed = verified(request, self._client, now_s)
        self._nonces = {nonce: until_s for nonce, until_s in self._nonces.items() if until_s > now_s}
        if signed is None or signed.nonce in self._nonces or len(self._nonces) >= MAX_NONCES:
            return False
        self._nonces[signed.nonce] = signed.until_s
        return True

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Refused (404): Genesys asks no webhook."""
        raise _no_webhook()

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        raise _no_webhook()

    def reject(self, reason: str) -> Document:
        raise _no_webhook()

    def ended(self, request: WebhookRequest) -> str:
        """Blank: Genesys has no status callbacks."""
        return ""


def _no_webhook() -> Refused:
    return Refused("no_webhook", "Genesys opens the media socket without asking first", http_status=404)
