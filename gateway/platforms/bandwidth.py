"""Bandwidth `<StartStream mode="bidirectional">`: JSON text both ways, µ-law in, µ-law or linear audio out.

It returns no marks, says no digits on the stream, and keeps the call when the socket closes: the leg is ended by
REST.
"""

from base64 import b64encode
from collections.abc import Mapping
from xml.etree import ElementTree

from gateway.errors import Refused
from gateway.events import CallStarted, ClearOutput, Command, Event, SendAudio
from gateway.platforms.base import Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.basic import carries_basic
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, base64_audio, integer, section, text
from gateway.platforms.webhook import webhook_fields, word
from gateway.platforms.xml import NOT_XML, document, spoken
from media.formats import ULAW_8K, AudioFormat, Encoding

CAPABILITIES = Capabilities(
    marks=False,
    marks_returned_on_clear=False,
    digits_in=False,
    rest=frozenset({"hang_up", "transfer", "dial", "send_digits", "warm_transfer"}),
)

# Rates of linear audio that Bandwidth takes.
PCM_RATES_HZ = (8_000, 16_000, 24_000)
# Bounds of <StreamParam>.
MAX_PARAMETERS = 12
MAX_NAME_CHARS = 256
MAX_VALUE_CHARS = 2048
# How our documents call the stream.
_STREAM = "voicebot"
_ENCODINGS = {"PCMU": Encoding.ULAW, "AUDIO/PCMU": Encoding.ULAW, "PCMA": Encoding.ALAW, "AUDIO/PCMA": Encoding.ALAW}


class BandwidthCodec(JsonStream):
    """One stream; `format_out` is how audio is sent."""

    name_key = "eventType"
    before_start = frozenset(("start",))

    def __init__(self, format_out: AudioFormat = ULAW_8K) -> None:
        super().__init__({"start": self._start, "media": self._media, "stop": self._stop})
        self._format_in = ULAW_8K
        self._format_out = format_out
        self._content_type = _content_type(format_out)
        self._stream_id = ""

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty for what goes by REST, before the start and after the end."""
        if self.phase is not Phase.OPEN:
            return []
        if isinstance(command, SendAudio) and command.payload:
            payload = b64encode(command.payload).decode("ascii")
            head = f'{{"eventType":"playAudio","media":{{"contentType":"{self._content_type}"'
            return [f'{head},"payload":"{payload}"}}}}']
        return ['{"eventType":"clear"}'] if isinstance(command, ClearOutput) else []

    def _start(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        about = section(body, "metadata")
        call_id, stream_id = text(about, "callId"), text(about, "streamId")
        if not call_id or not stream_id:
            raise Breach("bad_start", "callId or streamId is missing", fatal=True)
        self._format_in = _media_format(about.get("tracks"))
        self._stream_id = stream_id
        parameters = body.get("streamParams")
        custom = {name: text(parameters, name) for name in parameters} if isinstance(parameters, dict) else {}
        return self.start(CallStarted(call_id, stream_id, self._format_in, self._format_out, custom))

    def _media(self, body: Json) -> list[Event]:
        nested = body.get("media")  # as in what we send; documented at the top
        media = nested if isinstance(nested, dict) and "payload" not in body else body
        if text(media, "track", "inbound") != "inbound":
            return []
        return [base64_audio(media, "payload", 1)]

    def _stop(self, body: Json) -> list[Event]:
        about = body.get("metadata")
        if isinstance(about, dict) and text(about, "streamId", self._stream_id) != self._stream_id:
            raise Breach("wrong_stream", "streamId is another stream's")
        return self.end("stop")


class Bandwidth:
    """The platform: `user` and `password` are asked of webhooks and socket, `pcm_hz` 0 sends µ-law.

    <StartStream> does not hold the call, the pause after it does: `hold_s`, longer than a call may last. So a call
    that is not ended by REST stays up in silence for the rest of it.
    """

    name = "bandwidth"
    capabilities = CAPABILITIES

    def __init__(self, user: str = "", password: str = "", pcm_hz: int = 0, hold_s: int = 3_600) -> None:
        """ValueError for a rate Bandwidth does not take."""
        if pcm_hz and pcm_hz not in PCM_RATES_HZ:
            raise ValueError(f"Bandwidth takes no linear audio of {pcm_hz} Hz; it takes {PCM_RATES_HZ}")
        self._user = user
        self._password = password
        self._format_out = AudioFormat(Encoding.L16, pcm_hz) if pcm_hz else ULAW_8K
        self._hold_s = hold_s

    def codec(self) -> Codec:
        return BandwidthCodec(self._format_out)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the request has our credentials."""
        return carries_basic(request, self._user, self._password)

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the initiate or answer callback; Refused (400) without a callId."""
        fields = webhook_fields(request)
        call_id = word(fields, "callId")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no callId", http_status=400)
        direction = "outbound" if word(fields, "direction") == "outbound" else "inbound"
        return IncomingCall(call_id, word(fields, "accountId"), word(fields, "from"), word(fields, "to"), direction)

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Start the stream and hold the call; Refused (400) for a parameter Bandwidth would not carry."""
        custom = {**parameters, "token": token}
        response = ElementTree.Element("Response")
        attributes = {"destination": stream_url, "mode": "bidirectional", "tracks": "inbound"}
        if self._user:
            attributes |= {"destinationUsername": self._user, "destinationPassword": self._password}
        stream = ElementTree.SubElement(response, "StartStream", {**attributes, "name": _STREAM})
        if len(custom) > MAX_PARAMETERS:
            raise Refused("bad_parameter", f"more than {MAX_PARAMETERS} parameters", http_status=400)
        for name, value in custom.items():
            if not 0 < len(name) <= MAX_NAME_CHARS or len(value) > MAX_VALUE_CHARS or NOT_XML.search(name + value):
                raise Refused("bad_parameter", "a parameter is too long or cannot be written in XML", http_status=400)
            ElementTree.SubElement(stream, "StreamParam", name=name, value=value)
        ElementTree.SubElement(response, "Pause", duration=str(self._hold_s))
        return document(response, "application/xml")

    def reject(self, reason: str) -> Document:
        """Hang up: BXML has no busy tone."""
        response = ElementTree.Element("Response")
        ElementTree.SubElement(response, "Hangup")
        return document(response, "application/xml")

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        """A conference opens with whoever comes first, who hears nothing, and whoever stays is hung up by us."""
        response = ElementTree.Element("Response")
        if not agent:
            ElementTree.SubElement(response, "StopStream", name=_STREAM)
        if announcement:
            ElementTree.SubElement(response, "SpeakSentence").text = spoken(announcement)
        ElementTree.SubElement(response, "Conference").text = name
        return document(response, "application/xml")

    def hung_up(self, request: WebhookRequest) -> str:
        return self.ended(request)

    def ended(self, request: WebhookRequest) -> str:
        """The call's id when the callback is the disconnect event."""
        fields = webhook_fields(request)
        return word(fields, "callId") if word(fields, "eventType") == "disconnect" else ""


def _content_type(wire: AudioFormat) -> str:
    if wire.encoding is Encoding.ULAW:
        return "audio/pcmu"
    return f"audio/pcm;rate={wire.rate_hz};channels=1;bit-depth=16;endian=little;encoding=signed"


def _media_format(tracks: object) -> AudioFormat:
    """Read the caller's track in metadata.tracks; µ-law at 8 kHz where nothing is announced."""
    named = [track for track in tracks if isinstance(track, dict)] if isinstance(tracks, list) else []
    track = next((track for track in named if track.get("name") == "inbound"), named[0] if named else {})
    announced = track.get("mediaFormat")
    if not isinstance(announced, dict):
        return ULAW_8K
    name = text(announced, "encoding", "PCMU").upper()
    encoding = _ENCODINGS.get(name)
    rate_hz = integer(announced, "sampleRate", 8_000)
    if encoding is None or rate_hz != 8_000:
        raise Breach("unsupported_format", f"{name[:32]} at {rate_hz} Hz", fatal=True)
    return AudioFormat(encoding, rate_hz)
