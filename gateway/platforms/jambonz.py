"""jambonz: verbs in JSON for the webhook, `listen` for the stream, which carries bare L16 both ways.

The stream's first text is the call's description with our metadata among it. jambonz tells whether a mark was played
or cleared. Closing the stream, or `disconnect` on it, goes on in our document, where `hangup` is next; transfer and
dial go by REST.
"""

import json
import time
from collections.abc import Callable, Mapping

from gateway.errors import Refused
from gateway.events import (
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Event,
    HangUp,
    MarkReached,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.basic import carries_basic
from gateway.platforms.jambonz_signature import verify_jambonz
from gateway.platforms.json_stream import (
    Breach,
    Json,
    JsonStream,
    Phase,
    checked_audio,
    integer,
    pressed,
    section,
    text,
    texts,
)
from gateway.platforms.signature import socket_secret
from gateway.platforms.target import is_number
from gateway.platforms.webhook import webhook_fields, word
from media.formats import AudioFormat, Encoding

RATES_HZ = (8000, 16000, 24000, 48000, 64000)
CAPABILITIES = Capabilities(
    marks_returned_on_clear=False,
    hang_up_on_stream=True,
    # The newer name and that of older releases.
    subprotocols=("audio.jambonz.org", "audio.drachtio.org"),
)
# Who opens the stream with the credentials of our document.
_SOCKET_USER = "voicebot"
# What the first text holds beside our metadata.
_CALL_INFO = frozenset(
    ("callSid", "accountSid", "applicationSid", "direction", "from", "to", "callId", "sbcCallid", "callStatus")
    + ("sipStatus", "sipReason", "callerName", "traceId", "fsSipAddress", "originatingSipIp", "sampleRate", "mixType")
)


class JambonzCodec(JsonStream):
    """One stream. `rate_hz` is what our document asked to send at; what we hear is as announced."""

    before_start = frozenset({"start"})

    def __init__(self, rate_hz: int = 16000) -> None:
        super().__init__(
            {
                "start": self._start,
                "dtmf": lambda body: [pressed(body, "dtmf")],
                "mark": self._mark,
                "playDone": lambda _: [],
            }
        )
        self._rate_hz = rate_hz

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def name_of(self, body: Json) -> object:
        """The first text has no name; later ones have it in `type`, or in `event` (dtmf)."""
        return "start" if self.phase is Phase.WAITING else body.get("type", body.get("event"))

    def receive_binary(self, message: bytes) -> list[Event]:
        """The caller's voice."""
        if self.phase is Phase.WAITING:
            raise Breach("before_start", "audio")
        return [CallerAudio(checked_audio(message, Encoding.L16.bytes_per_sample))]

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty for what goes by REST, before the start and after the end."""
        if self.phase is not Phase.OPEN:
            return []
        match command:
            case SendAudio(payload) if payload:
                return [payload]
            case SendMark(name):
                return [f'{{"type":"mark","data":{{"name":{json.dumps(name)}}}}}']
            case ClearOutput():
                return ['{"type":"killAudio"}']
            case HangUp():
                return ['{"type":"disconnect"}']
            case _:
                return []

    def _start(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        call_id = text(body, "callSid")
        if not call_id:
            raise Breach("bad_start", "callSid is missing", fatal=True)
        rate_in_hz = integer(body, "sampleRate", self._rate_hz)
        if rate_in_hz not in RATES_HZ or text(body, "mixType", "mono") == "stereo":
            raise Breach("unsupported_format", f"{rate_in_hz} Hz, {text(body, 'mixType')[:16]}", fatal=True)
        custom = texts(body, _CALL_INFO)
        wire_in, wire_out = AudioFormat(Encoding.L16, rate_in_hz), AudioFormat(Encoding.L16, self._rate_hz)
        caller, called = text(body, "from"), text(body, "to")
        return self.start(CallStarted(call_id, call_id, wire_in, wire_out, custom, caller, called))

    def _mark(self, body: Json) -> list[Event]:
        mark = section(body, "data") if "data" in body else body  # one public client leaves it out
        name = text(mark, "name")
        if not name:
            raise Breach("bad_mark", "a mark without name")
        return [] if text(mark, "event", "playout") == "cleared" else [MarkReached(name)]


class Jambonz:
    """The platform: `webhook_secret` is the account's; from it the stream's credentials are made, too."""

    name = "jambonz"
    capabilities = CAPABILITIES

    def __init__(
        self,
        webhook_secret: str,
        *,
        rate_hz: int = 16000,
        max_age_s: float = 300.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        """ValueError for a rate that jambonz does not have."""
        if rate_hz not in RATES_HZ:
            raise ValueError(f"rate_hz is {rate_hz}; jambonz has {', '.join(map(str, RATES_HZ))}")
        self._secret = webhook_secret
        self._rate_hz = rate_hz
        self._max_age_s = max_age_s
        self._now = now

    def codec(self) -> Codec:
        return JambonzCodec(self._rate_hz)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the webhook is signed, or the upgrade has the credentials of our document."""
        if not request.url.startswith(("ws:", "wss:")):
            return verify_jambonz(request, self._secret, self._now(), self._max_age_s)
        return bool(self._secret) and carries_basic(request, _SOCKET_USER, socket_secret(self._secret, request.url))

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the call's webhook; Refused (400) without a callSid."""
        fields = webhook_fields(request)
        if not (call_id := word(fields, "callSid")):
            raise Refused("missing_call_id", "the webhook has no callSid", http_status=400)
        direction = "outbound" if word(fields, "direction") == "outbound" else "inbound"
        return IncomingCall(call_id, word(fields, "accountSid"), word(fields, "from"), word(fields, "to"), direction)

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Answer, stream both ways, and hang up when the stream ends (F-11); Refused (400) for a taken name."""
        if taken := _CALL_INFO & parameters.keys():
            raise Refused("bad_parameter", f"jambonz uses the name {sorted(taken)[0]} itself", http_status=400)
        listen: dict[str, object] = {
            "verb": "listen",
            "url": stream_url,
            "sampleRate": self._rate_hz,
            "mixType": "mono",
            "passDtmf": True,
            # Without `streaming` what we send would be ignored.
            "bidirectionalAudio": {"enabled": True, "streaming": True, "sampleRate": self._rate_hz},
            "metadata": {**parameters, "token": token},
            "wsAuth": {"username": _SOCKET_USER, "password": socket_secret(self._secret, stream_url)},
        }
        return _document([{"verb": "answer"}, listen, {"verb": "hangup"}])

    def reject(self, reason: str) -> Document:
        """Decline the call: 486 for `busy`, 603 for any other reason."""
        return _document([{"verb": "sip:decline", "status": 486 if reason == "busy" else 603}])


def dial(target: str) -> Document:
    """Move the caller to a number or SIP address; Refused (400) when it is neither."""
    return _document([{"verb": "dial", "target": [endpoint(target)]}])


def endpoint(target: str) -> dict[str, str]:
    """A number or SIP address as jambonz writes it; Refused (400) when it is neither."""
    return {"type": "phone", "number": target} if is_number(target) else {"type": "sip", "sipUri": target}


def _document(verbs: list[dict[str, object]]) -> Document:
    return Document("application/json", json.dumps(verbs))
