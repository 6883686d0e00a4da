"""jambonz' `listen` socket: the call's description as first text, then bare L16 both ways and a few JSON messages.

Our metadata stands among the description. jambonz tells whether a mark was played or cleared, so none of its marks
deceives.
"""

import json

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
from gateway.platforms.base import Capabilities
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
from media.formats import AudioFormat, Encoding

RATES_HZ = (8000, 16000, 24000, 48000, 64000)
CAPABILITIES = Capabilities(
    marks_returned_on_clear=False,
    hang_up_on_stream=True,
    digits_out_in_band=True,
    rest=frozenset({"hang_up", "transfer", "dial", "warm_transfer"}),
    # The newer name and that of older releases.
    subprotocols=("audio.jambonz.org", "audio.drachtio.org"),
)
# What the first text holds beside our metadata.
CALL_INFO = frozenset(
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
        custom = texts(body, CALL_INFO)
        wire_in, wire_out = AudioFormat(Encoding.L16, rate_in_hz), AudioFormat(Encoding.L16, self._rate_hz)
        caller, called = text(body, "from"), text(body, "to")
        return self.start(CallStarted(call_id, call_id, wire_in, wire_out, custom, caller, called))

    def _mark(self, body: Json) -> list[Event]:
        mark = section(body, "data") if "data" in body else body  # one public client leaves it out
        name = text(mark, "name")
        if not name:
            raise Breach("bad_mark", "a mark without name")
        return [] if text(mark, "event", "playout") == "cleared" else [MarkReached(name)]
