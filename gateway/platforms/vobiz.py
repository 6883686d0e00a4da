"""Vobiz, which copies Plivo: the same documents and messages, a weaker signature, 24 kHz, and a hang-up on the stream.

Its V3 signature covers the address of a webhook and a nonce, not what the webhook says.
"""

from dataclasses import replace
from typing import Any

from gateway.events import Command, HangUp
from gateway.platforms import plivo_xml
from gateway.platforms.base import Capabilities, Codec, Document, WebhookRequest
from gateway.platforms.json_stream import Phase
from gateway.platforms.plivo import Plivo
from gateway.platforms.plivo_signature import verify_vobiz
from gateway.platforms.plivo_stream import CAPABILITIES as PLIVO
from gateway.platforms.plivo_stream import PlivoCodec

# `stop` moves the call on to the next element of our document; there is none.
CAPABILITIES = replace(PLIVO, hang_up_on_stream=True)


class VobizCodec(PlivoCodec):
    """One stream."""

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def encode(self, command: Command) -> list[str | bytes]:
        if isinstance(command, HangUp) and self.phase is Phase.OPEN:
            return [self._message("stop")]
        return super().encode(command)


class Vobiz(Plivo):
    """The platform; the constructor is Plivo's. Whether upgrades are signed is not documented, so they need not be."""

    name = "vobiz"
    capabilities = CAPABILITIES
    rates_hz: tuple[int, ...] = (8000, 16000, 24000)

    def __init__(self, auth_token: str, *, socket_signed: bool = False, **values: Any) -> None:
        super().__init__(auth_token, socket_signed=socket_signed, **values)

    def codec(self) -> Codec:
        return VobizCodec(self._byte_order)

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        """Without the beep that is Vobiz's default, and not Plivo's."""
        return plivo_xml.room(name, agent=agent, announcement=announcement, beep="false")

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the address of the webhook is signed; of the upgrade too, where `socket_signed` asks for it."""
        if request.url.startswith(("ws:", "wss:")) and not self._socket_signed:
            return any(self._tokens)
        return verify_vobiz(request, self._tokens)
