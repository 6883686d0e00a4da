"""Vonage Voice API WebSocket: bare L16 audio of exactly 20 ms a message, JSON text for events and commands.

The socket is a participant of the conversation. Vonage buffers up to 3072 messages (about a minute; 1024 by an older
page) and drops what is beyond. A mark is `notify`. Nothing follows the socket in our document, so closing it ends
the call; hang-up, transfer and DTMF of the caller's leg go by REST.
"""

import hmac
import json
import re
import time
from collections.abc import Callable, Mapping

from gateway.errors import Refused
from gateway.events import (
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Event,
    MarkReached,
    OutputCleared,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import CALL_PARAMETER, Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, checked_audio, pressed, section, text, texts
from gateway.platforms.signature import socket_secret
from gateway.platforms.vonage_signature import VonageIdentity, verified_claims, verify_webhook
from gateway.platforms.webhook import webhook_fields, word
from media.formats import AudioFormat, Encoding
from media.framing import Framer

CAPABILITIES = Capabilities(
    marks_returned_on_clear=False,
    clear_acknowledged=True,
    call_id_in_stream=False,
    rest=frozenset(("hang_up", "transfer", "dial", "send_digits")),
)
RATES_HZ = (8000, 16000, 24000)
# The older of two documented limits for `headers`; the newer one is 2,000 bytes.
MAX_HEADERS_BYTES = 512

_OWN_KEYS = frozenset(("event", "content-type"))
_CONTENT_TYPE = re.compile(r"audio/l16;rate=([0-9]{4,5})")


class VonageCodec(JsonStream):
    """One stream."""

    before_start = frozenset({"websocket:connected"})

    def __init__(self) -> None:
        super().__init__(
            {
                "websocket:connected": self._connected,
                "websocket:dtmf": self._dtmf,
                "websocket:cleared": lambda _: [OutputCleared()],
                "websocket:notify": self._notify,
            }
        )
        self._frame_bytes = 0

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def receive_binary(self, message: bytes) -> list[Event]:
        """The caller, and whoever else is in the conversation, mixed."""
        if self.phase is Phase.WAITING:
            raise Breach("before_start", "audio")
        return [CallerAudio(checked_audio(message, Encoding.L16.bytes_per_sample))]

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages, audio in exact frames: a wrong size closes the socket (F-16)."""
        if self.phase is not Phase.OPEN:
            return []
        match command:
            case SendAudio(payload):
                framer = Framer(self._frame_bytes, Encoding.L16.silence)
                return [*framer.feed(payload), *framer.flush()]
            case SendMark(name):
                return [f'{{"action":"notify","payload":{{"name":{json.dumps(name)}}}}}']
            case ClearOutput():
                return ['{"action":"clear"}']
            case _:
                return []

    def _connected(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        wire = _format(text(body, "content-type", "audio/l16;rate=16000"))
        # Our headers come back at the top level, between the platform's own two keys.
        custom = texts(body, _OWN_KEYS)
        call_id = custom.get(CALL_PARAMETER) or custom.get("uuid", "")
        if not call_id:
            raise Breach("bad_start", f"no header {CALL_PARAMETER} came back", fatal=True)
        self._frame_bytes = wire.frame_bytes(CAPABILITIES.frame_ms)
        return self.start(CallStarted(call_id, call_id, wire, wire, custom))

    def _dtmf(self, body: Json) -> list[Event]:
        # Some servers were seen to nest it as {"dtmf": {"digit"}}.
        return [pressed(body if "digit" in body else section(body, "dtmf"), "digit")]

    def _notify(self, body: Json) -> list[Event]:
        name = text(section(body, "payload"), "name")
        if not name:
            raise Breach("bad_mark", "a notify without our name")
        return [MarkReached(name)]


class Vonage:
    """The platform. `api_key` and `application_id` are asked of signed webhooks where they are not blank.

    `authorization` is what Vonage shows at the socket: `custom` (a value made from the secret, in the answer document),
    `vonage` (a token of its own, signed as its webhooks by all we know) or `none`. The one-time token among the headers
    is asked for in any case.
    """

    name = "vonage"
    capabilities = CAPABILITIES

    def __init__(
        self,
        signature_secret: str,
        *,
        api_key: str = "",
        application_id: str = "",
        rate_hz: int = 16000,
        authorization: str = "custom",
        max_age_s: float = 300.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        """ValueError for a rate that Vonage does not have or an unknown `authorization`."""
        if rate_hz not in RATES_HZ:
            raise ValueError(f"rate_hz is {rate_hz}; Vonage has {', '.join(map(str, RATES_HZ))}")
        if authorization not in ("custom", "vonage", "none"):
            raise ValueError(f"authorization is {authorization!r}; known are custom, vonage, none")
        self._identity = VonageIdentity(signature_secret, api_key, application_id, max_age_s)
        self._rate_hz = rate_hz
        self._authorization = authorization
        self._now = now

    def codec(self) -> Codec:
        return VonageCodec()

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the webhook is signed, or the upgrade carries what `authorization` says."""
        if not request.url.startswith(("ws:", "wss:")):
            return verify_webhook(request, self._identity, self._now())
        given = request.headers.get("authorization", "")
        if self._authorization == "vonage":
            return verified_claims(given, self._identity, self._now()) is not None
        fits = hmac.compare_digest(self._bearer(request.url).encode(), given.encode("utf-8", "replace"))
        return bool(self._identity.signature_secret) and (fits or self._authorization == "none")

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the answer webhook, query or JSON; Refused (400) without the leg's uuid."""
        fields = webhook_fields(request)
        call_id = word(fields, "uuid")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no uuid", http_status=400)
        direction = "outbound" if word(fields, "direction") == "outbound" else "inbound"
        return IncomingCall(call_id, "", word(fields, "from"), word(fields, "to"), direction)

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Connect the call to the socket; Refused (400) when the parameters are more than Vonage carries."""
        headers = {**parameters, "token": token}
        size = len(json.dumps(headers).encode())
        if size > MAX_HEADERS_BYTES or _OWN_KEYS & headers.keys():
            detail = f"parameters of {size} bytes where {MAX_HEADERS_BYTES} is the limit, or a name that Vonage uses"
            raise Refused("bad_parameter", detail, http_status=400)
        endpoint: dict[str, object] = {
            "type": "websocket",
            "uri": stream_url,
            "content-type": f"audio/l16;rate={self._rate_hz}",
            "headers": headers,
        }
        if self._authorization == "custom":
            endpoint["authorization"] = {"type": "custom", "value": self._bearer(stream_url)}
        elif self._authorization == "vonage":
            endpoint["authorization"] = {"type": "vonage"}
        return Document("application/json", json.dumps([{"action": "connect", "endpoint": [endpoint]}]))

    def reject(self, reason: str) -> Document:
        """An empty list of actions: the call ends. Vonage has no action for a busy tone."""
        return Document("application/json", "[]")

    def _bearer(self, stream_url: str) -> str:
        return f"Bearer {socket_secret(self._identity.signature_secret, stream_url)}"


def _format(content_type: str) -> AudioFormat:
    match = _CONTENT_TYPE.fullmatch(content_type.lower().replace(" ", ""))
    rate_hz = int(match[1]) if match else 0
    if rate_hz not in RATES_HZ:
        raise Breach("unsupported_format", content_type[:32], fatal=True)
    return AudioFormat(Encoding.L16, rate_hz)
