"""The platforms for which pipecat has a serializer: a simulated stream of each, and both servers for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pipecat.serializers.exotel import ExotelFrameSerializer
from pipecat.serializers.genesys import GenesysAudioHookSerializer
from pipecat.serializers.plivo import PlivoFrameSerializer
from pipecat.serializers.telnyx import TelnyxFrameSerializer
from pipecat.serializers.twilio import TwilioFrameSerializer
from pipecat.serializers.vonage import VonageFrameSerializer

from gateway.platforms.base import Codec
from gateway.platforms.exotel import ExotelCodec
from gateway.platforms.genesys_stream import GenesysCodec
from gateway.platforms.plivo_stream import PlivoCodec
from gateway.platforms.telnyx_stream import TelnyxCodec
from gateway.platforms.twilio import TwilioCodec
from gateway.platforms.vonage_stream import VonageCodec
from gateway.simulator import plivo, telnyx
from gateway.simulator.dialect import Dialect
from gateway.simulator.exotel import ExotelDialect
from gateway.simulator.genesys import GenesysDialect
from gateway.simulator.ringing import numbered_uuid
from gateway.simulator.twilio import TwilioDialect, TwilioIds
from gateway.simulator.vonage import VonageDialect
from gateway.simulator.wire_audio import WireAudio
from media.formats import AudioFormat, Encoding
from tests.counterparts.sides import Ours, Theirs

_STREAM_URL = "wss://bot.example.test/stream"
TWILIO_IDS = TwilioIds.numbered("seed")
TELNYX_IDS = telnyx.TelnyxIds.numbered("seed")
PLIVO_IDS = plivo.PlivoIds.numbered("seed")


@dataclass(frozen=True, slots=True)
class Case:
    """Each is made afresh for a call."""

    rate_hz: int
    dialect: Callable[[], Dialect]
    codec: Callable[[], Codec]
    serializer: Callable[[], Any]

    def ours(self) -> Ours:
        return Ours(self.codec())

    def theirs(self) -> Theirs:
        return Theirs(self.serializer(), self.rate_hz)


def _quiet(serializer: Any) -> Any:
    """Its parameters for a stream that it does not hang up by REST."""
    return serializer.InputParams(auto_hang_up=False)


def telnyx_dialect(codec_name: str, swap_every: int = 0) -> telnyx.TelnyxDialect:
    return telnyx.TelnyxDialect(TELNYX_IDS, telnyx.StreamOrder(_STREAM_URL, codec_name, 8000), swap_every)


def telnyx_serializer(codec_name: str) -> Any:
    return TelnyxFrameSerializer(TELNYX_IDS.stream, codec_name, codec_name, params=_quiet(TelnyxFrameSerializer))


CASES = {
    "twilio": Case(
        8000,
        lambda: TwilioDialect(TWILIO_IDS, {"token": "t"}),
        TwilioCodec,
        lambda: TwilioFrameSerializer(TWILIO_IDS.stream, params=_quiet(TwilioFrameSerializer)),
    ),
    "telnyx": Case(8000, lambda: telnyx_dialect("PCMU"), TelnyxCodec, lambda: telnyx_serializer("PCMU")),
    "telnyx, A-law": Case(
        8000,
        lambda: telnyx_dialect("PCMA"),
        lambda: TelnyxCodec(AudioFormat(Encoding.ALAW, 8000)),
        lambda: telnyx_serializer("PCMA"),
    ),
    "plivo": Case(
        8000,
        lambda: plivo.PlivoDialect(PLIVO_IDS, plivo.StreamOrder(_STREAM_URL, WireAudio("ulaw", 8000), "token=t")),
        PlivoCodec,
        lambda: PlivoFrameSerializer(PLIVO_IDS.stream, params=_quiet(PlivoFrameSerializer)),
    ),
    "exotel": Case(
        8000,
        lambda: ExotelDialect("seed", 8000, {"token": "t"}),
        lambda: ExotelCodec(AudioFormat(Encoding.L16, 8000)),
        lambda: ExotelFrameSerializer(ExotelDialect("seed", 8000, {}).stream_id),
    ),
    "genesys": Case(
        8000,
        lambda: GenesysDialect(numbered_uuid("seed", 0), numbered_uuid("seed", 1), numbered_uuid("seed", 2)),
        GenesysCodec,
        GenesysAudioHookSerializer,
    ),
    "vonage": Case(
        16000,
        lambda: VonageDialect(16000, {"call": "aaaa", "token": "t"}),
        VonageCodec,
        lambda: VonageFrameSerializer(VonageFrameSerializer.InputParams(vonage_sample_rate=16000)),
    ),
}
