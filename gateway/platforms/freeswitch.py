"""FreeSWITCH mod_audio_fork and mod_audio_stream: metadata first, then bare linear audio; JSON or bare audio back.

The modules do not play, hang up or move anything themselves: each JSON message becomes an event, which the
application beside FreeSWITCH acts on. Only the releases that take bare audio back play it as it comes.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from gateway.errors import Refused
from gateway.events import (
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Event,
    HangUp,
    SendAudio,
    SendDigits,
    Transfer,
)
from gateway.platforms.base import Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.basic import carries_basic
from gateway.platforms.json_stream import (
    Breach,
    Json,
    JsonStream,
    Phase,
    checked_audio,
    integer,
    parse,
    pressed,
    text,
)
from gateway.platforms.webhook import sip_headers, webhook_fields, word
from media.formats import AudioFormat, Encoding

Module = Literal["fork", "stream"]
MODULES: tuple[Module, ...] = ("fork", "stream")
RATES_HZ = (8_000, 16_000)

CAPABILITIES = Capabilities(
    marks=False,
    marks_returned_on_clear=False,
    hang_up_on_stream=True,
    digits_out_on_stream=True,
    transfer_on_stream=True,
    rest=frozenset(),
    subprotocols=("audio.drachtio.org",),
)


class FreeSwitchCodec(JsonStream):
    """One stream. `bare_audio` sends binary audio, else each message is JSON of the module's own kind."""

    name_key = "type"

    def __init__(self, module: Module, rate_hz: int, bare_audio: bool, capabilities: Capabilities) -> None:
        super().__init__({"dtmf": lambda body: [pressed(body, "digit")], "stop": lambda _: self.end("stop")})
        self.capabilities = capabilities
        self._module = module
        self._format = AudioFormat(Encoding.L16, rate_hz)
        self._bare_audio = bare_audio

    def receive_text(self, message: str) -> list[Event]:
        """The first text is the metadata, whatever was given to the module; later ones are the application's."""
        return self._metadata(parse(message)) if self.phase is Phase.WAITING else super().receive_text(message)

    def receive_binary(self, message: bytes) -> list[Event]:
        """Audio, without a header."""
        if self.phase is Phase.WAITING:
            raise Breach("before_start", f"{len(message)} bytes of media")
        return [CallerAudio(checked_audio(message, Encoding.L16.bytes_per_sample))]

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty before the start and after the end."""
        if self.phase is not Phase.OPEN:
            return []
        match command:
            case SendAudio(payload) if payload:
                return [payload if self._bare_audio else self._audio(payload)]
            case ClearOutput():
                return ['{"type":"killAudio"}']
            case HangUp():
                return ['{"type":"disconnect"}']
            case Transfer(target):
                return [json.dumps({"type": "transfer", "data": {"target": target}})]
            case SendDigits(digits):
                return [json.dumps({"type": "sendDigits", "data": {"digits": digits}})]
            case _:
                return []

    def _audio(self, payload: bytes) -> str:
        encoded = b64encode(payload).decode("ascii")
        rate_hz = self._format.rate_hz
        if self._module == "fork":
            data: dict[str, str | int] = {"audioContentType": "raw", "sampleRate": rate_hz, "audioContent": encoded}
            return json.dumps({"type": "playAudio", "data": data}, separators=(",", ":"))
        data = {"audioDataType": "raw", "sampleRate": rate_hz, "audioData": encoded}
        return json.dumps({"type": "streamAudio", "data": data}, separators=(",", ":"))

    def _metadata(self, body: Json) -> list[Event]:
        call_id = text(body, "call_uuid") or text(body, "callSid") or text(body, "uuid")
        if not call_id:
            raise Breach("bad_start", "the metadata has no call_uuid", fatal=True)
        rate_hz = integer(body, "sample_rate", self._format.rate_hz)
        if rate_hz not in RATES_HZ:
            raise Breach("unsupported_format", f"{rate_hz} Hz", fatal=True)
        self._format = AudioFormat(Encoding.L16, rate_hz)
        custom = {name: text(body, name) for name, value in body.items() if type(value) in (str, int)}
        caller, called = text(body, "from"), text(body, "to")
        return self.start(CallStarted(call_id, call_id, self._format, self._format, custom, caller, called))


class FreeSwitch:
    """The platform. `user` and `password` protect the webhook, and the socket too when `socket_credentials` is set.

    Without them the socket is admitted by the token in its metadata. `chunk_ms` is how much audio one JSON message
    holds: each becomes a file and an event, so 20 ms would not do.
    """

    name = "freeswitch"

    def __init__(
        self,
        user: str = "",
        password: str = "",
        module: Module = "fork",
        rate_hz: int = 8_000,
        bare_audio: bool = False,
        chunk_ms: int = 400,
        socket_credentials: bool = False,
    ) -> None:
        """ValueError for a module or a rate there is not."""
        if module not in MODULES or rate_hz not in RATES_HZ:
            raise ValueError(f"FreeSWITCH has the modules {MODULES} at {RATES_HZ} Hz, not {module!r} at {rate_hz} Hz")
        self._user = user
        self._password = password
        self._module: Module = module
        self._rate_hz = rate_hz
        self._bare_audio = bare_audio
        self._socket_credentials = socket_credentials
        # mod_audio_stream knows no killAudio, but hands it to the application like any other message.
        self.capabilities = replace(CAPABILITIES, frame_ms=20 if bare_audio else chunk_ms)

    def codec(self) -> Codec:
        return FreeSwitchCodec(self._module, self._rate_hz, self._bare_audio, self.capabilities)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the request has our credentials; an upgrade needs them only where the module can send them."""
        if request.url.startswith("ws") and not self._socket_credentials:
            return True
        return carries_basic(request, self._user, self._password)

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the application's question; Refused (400) without a call_uuid."""
        fields = webhook_fields(request)
        call_id = word(fields, "call_uuid")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no call_uuid", http_status=400)
        direction = "outbound" if word(fields, "direction") == "outbound" else "inbound"
        caller, called = word(fields, "from"), word(fields, "to")
        return IncomingCall(call_id, "", caller, called, direction, sip_headers(fields))

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Where the module is to connect, at what rate, and the metadata it is to be given."""
        rate = f"{self._rate_hz // 1000}k"
        body = {"url": stream_url, "rate": rate, "metadata": {**parameters, "token": token}}
        return Document("application/json", json.dumps(body))

    def reject(self, reason: str) -> Document:
        """Tell the application to turn the call away."""
        return Document("application/json", json.dumps({"reject": reason}))

    def ended(self, request: WebhookRequest) -> str:
        """The call's id when the application says `"state": "ended"`."""
        fields = webhook_fields(request)
        return word(fields, "call_uuid") if word(fields, "state") == "ended" else ""
