"""Two servers for one simulated platform, our codec and pipecat's serializer: both hear a caller and speak as a bot."""

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pipecat.frames.frames import (
    EndFrame,
    InputAudioRawFrame,
    InputDTMFFrame,
    InterruptionFrame,
    OutputAudioRawFrame,
    OutputTransportMessageUrgentFrame,
)
from pipecat.processors.frame_processor import FrameProcessorSetup

from gateway.events import CallerAudio, CallStarted, ClearOutput, Digit, HangUp, SendAudio
from gateway.platforms.base import Codec
from gateway.simulator.dialect import BotMessage, BotViolation, Dialect
from media.formats import Encoding
from media.g711 import alaw_to_pcm, pcm_to_alaw, pcm_to_ulaw, ulaw_to_pcm

Message = str | bytes
FRAME_MS = 20
_FROM_PCM: dict[Encoding, Callable[[bytes], bytes]] = {
    Encoding.ULAW: pcm_to_ulaw,
    Encoding.ALAW: pcm_to_alaw,
    Encoding.L16: bytes,
}
_TO_PCM: dict[Encoding, Callable[[bytes], bytes]] = {
    Encoding.ULAW: ulaw_to_pcm,
    Encoding.ALAW: alaw_to_pcm,
    Encoding.L16: bytes,
}


def tone(rate_hz: int, duration_ms: int, pitch_hz: float = 440.0) -> bytes:
    """A sine as PCM s16le."""
    samples = rate_hz * duration_ms // 1000
    waves = (round(8000 * math.sin(2 * math.pi * pitch_hz * n / rate_hz)) for n in range(samples))
    return struct.pack(f"<{samples}h", *waves)


class Side(Protocol):
    """A bot's end of a stream; `pcm` and `digits` are what it has heard."""

    pcm: bytes
    digits: str

    async def take(self, message: Message) -> Sequence[Message]:
        """Read a message of the platform; what is to be answered comes back."""
        ...

    async def say(self, pcm: bytes) -> Sequence[Message]: ...

    async def clear(self) -> Sequence[Message]: ...

    async def hang_up(self) -> Sequence[Message]: ...


class Ours(Side):
    """Our codec."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self.pcm, self.digits = b"", ""
        self.started: CallStarted | None = None

    async def take(self, message: Message) -> Sequence[Message]:
        for event in self._codec.receive(message):
            match event:
                case CallStarted():
                    self.started = event
                case CallerAudio(payload) if self.started:
                    self.pcm += _TO_PCM[self.started.format_in.encoding](payload)
                case Digit(digit):
                    self.digits += digit
        return self._codec.owed()

    async def say(self, pcm: bytes) -> Sequence[Message]:
        assert self.started
        return self._codec.encode(SendAudio(_FROM_PCM[self.started.format_out.encoding](pcm)))

    async def clear(self) -> Sequence[Message]:
        return self._codec.encode(ClearOutput())

    async def hang_up(self) -> Sequence[Message]:
        return self._codec.encode(HangUp())


class Theirs(Side):
    """Pipecat's serializer. It knows its rate from `setup` alone: without it, it hears nothing."""

    def __init__(self, serializer: Any, rate_hz: int) -> None:
        self._serializer = serializer
        self._rate_hz = rate_hz
        self._is_set_up = False
        self.pcm, self.digits = b"", ""

    async def take(self, message: Message) -> Sequence[Message]:
        await self._set_up()
        frame = await self._serializer.deserialize(message)
        if isinstance(frame, InputAudioRawFrame):
            self.pcm += frame.audio
        elif isinstance(frame, InputDTMFFrame):
            self.digits += frame.button.value
        elif isinstance(frame, OutputTransportMessageUrgentFrame):
            return await self._written(frame)
        return []

    async def say(self, pcm: bytes) -> Sequence[Message]:
        return await self._written(OutputAudioRawFrame(audio=pcm, sample_rate=self._rate_hz, num_channels=1))

    async def clear(self) -> Sequence[Message]:
        return await self._written(InterruptionFrame())

    async def hang_up(self) -> Sequence[Message]:
        return await self._written(EndFrame())

    async def _written(self, frame: Any) -> Sequence[Message]:
        await self._set_up()
        message = await self._serializer.serialize(frame)
        return [] if message is None else [message]

    async def _set_up(self) -> None:
        if not self._is_set_up:
            # Serializers read nothing else of a pipeline.
            await self._serializer.setup(FrameProcessorSetup(None, None, None, audio_in_sample_rate=self._rate_hz))
            self._is_set_up = True


async def deliver(dialect: Dialect, messages: Sequence[Message], side: Side) -> None:
    """Hand the platform's messages to a bot, and its answers back to the platform, which must accept them."""
    for message in messages:
        for answer in await side.take(message):
            assert not isinstance(dialect.receive(answer), BotViolation)


async def call(dialect: Dialect, side: Side, pcm: bytes, digits: str = "") -> None:
    """Open the stream, let the caller speak and press keys."""
    await deliver(dialect, dialect.opening(), side)
    size = dialect.rate_hz * FRAME_MS // 1000 * 2
    for at in range(0, len(pcm), size):
        await deliver(dialect, dialect.audio(pcm[at : at + size]), side)
    for digit in digits:
        await deliver(dialect, dialect.digit(digit), side)


def understood(dialect: Dialect, messages: Sequence[Message]) -> list[BotMessage]:
    """What the platform makes of a bot's messages."""
    return [dialect.receive(message) for message in messages]
