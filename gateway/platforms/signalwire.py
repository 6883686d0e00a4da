"""SignalWire (cXML, Compatibility API): Twilio's messages with L16 beside µ-law, and DTMF out on the stream.

Marks and clears are Twilio's. The socket shows the bearer token of our answer document.
"""

import hmac
import json
from collections.abc import Mapping

from gateway.events import CallerAudio, Command, Event, SendAudio, SendDigits
from gateway.platforms import twiml
from gateway.platforms.base import Answerer, Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.json_stream import Json, Phase
from gateway.platforms.signalwire_signature import verify_signalwire
from gateway.platforms.signature import socket_secret
from gateway.platforms.twilio import Twilio, TwilioCodec

CAPABILITIES = Capabilities(
    digits_out_on_stream=True, rest=frozenset({"hang_up", "transfer", "redirect", "dial", "warm_transfer"})
)
CODECS = ("PCMU@8000h", "L16@16000h", "L16@24000h")


class SignalWireCodec(TwilioCodec):
    """One stream. Its ids may be missing in every message but the start, as in the vendor's examples."""

    def __init__(self, byte_order: ByteOrder = ByteOrder.LITTLE) -> None:
        super().__init__()
        self._byte_order = byte_order

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages, a key a message; empty for what SignalWire does by REST."""
        if isinstance(command, SendAudio):
            return super().encode(SendAudio(self._byte_order.turned(command.payload, self._format)))
        if isinstance(command, SendDigits) and self.phase is Phase.OPEN:
            head = f'{{"event":"dtmf","streamSid":{json.dumps(self._stream_id)},"dtmf":'
            return [f'{head}{{"digit":{json.dumps(digit)}}}}}' for digit in command.digits]
        return super().encode(command)

    def _media(self, body: Json) -> list[Event]:
        return [
            CallerAudio(self._byte_order.turned(event.payload, self._format))
            if isinstance(event, CallerAudio)
            else event
            for event in super()._media(body)
        ]


class SignalWire:
    """The platform. `signing_key` is the project's; blank verifies nothing."""

    name = "signalwire"
    capabilities = CAPABILITIES

    def __init__(
        self, signing_key: str, *, codec_name: str = "PCMU@8000h", realtime: bool = True, l16_byte_order: str = "little"
    ) -> None:
        """`realtime` asks for less buffering. ValueError for an unknown codec or byte order."""
        if codec_name not in CODECS:
            raise ValueError(f"codec_name is {codec_name!r}; known are {', '.join(CODECS)}")
        self._signing_key = signing_key
        self._codec_name = codec_name
        self._realtime = realtime
        self._byte_order = ByteOrder(l16_byte_order)
        self._cxml = Twilio("")  # the webhooks and documents are the same

    def codec(self) -> Codec:
        return SignalWireCodec(self._byte_order)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the webhook is signed with the signing key, or the socket shows the answer document's token."""
        if not request.url.startswith(("ws:", "wss:")):
            return verify_signalwire(request, self._signing_key)
        expected = f"Bearer {socket_secret(self._signing_key, request.url)}"
        given = request.headers.get("authorization", "")
        return bool(self._signing_key) and hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the voice webhook, form or query; Refused (400) without a CallSid."""
        return self._cxml.incoming(request)

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Connect the call to the stream; Refused (400) for a parameter that would not be carried."""
        attributes = {
            "codec": self._codec_name,
            "realtime": "true" if self._realtime else "false",
            "authBearerToken": socket_secret(self._signing_key, stream_url),
        }
        return twiml.connect(stream_url, {**parameters, "token": token}, attributes)

    def reject(self, reason: str) -> Document:
        return twiml.reject(reason)

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        return twiml.room(name, agent=agent, announcement=announcement)

    def hung_up(self, request: WebhookRequest) -> str:
        return twiml.hung_up(request)

    def answered_by(self, request: WebhookRequest) -> Answerer | None:
        """Read the callback of asynchronous answering machine detection."""
        return twiml.answered_by(request)

    def ended(self, request: WebhookRequest) -> str:
        """Read a call's or a stream's status callback."""
        return twiml.ended(request)
