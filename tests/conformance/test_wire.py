"""Codec and dialect of each platform joined without a call: keys, a clear of nothing, ends, and what comes after."""

import pytest

from gateway.events import (
    CallEnded,
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Digit,
    Event,
    HangUp,
    MarkReached,
    OutputCleared,
    PeerError,
    SendAudio,
    SendDigits,
    SendMark,
    Transfer,
)
from gateway.platforms.base import Codec
from gateway.simulator.dialect import (
    BotAudio,
    BotClear,
    BotControl,
    BotDigits,
    BotHangUp,
    BotMark,
    BotMessage,
    BotTransfer,
    BotViolation,
    Dialect,
)
from gateway.simulator.run import RINGING
from tests.conformance.rig import PLATFORMS, PlatformRig, ring
from tests.rig.clock import run_leaping

every_platform = pytest.mark.parametrize("name", PLATFORMS)
# A second of the caller: longer than any platform's packets.
SILENCE_FRAMES = 50


class Wire:
    """Both ends of one stream; what is said on one side is read on the other at once."""

    def __init__(self, codec: Codec, dialect: Dialect) -> None:
        self.codec = codec
        self.dialect = dialect
        self.events: list[Event] = []
        self.understood: list[BotMessage] = []

    def platform_says(self, messages: list[str | bytes]) -> list[Event]:
        """The gateway's events; what its protocol owes is answered."""
        events: list[Event] = []
        for message in messages:
            events += self.codec.receive(message)
            for owed in self.codec.owed():
                self._read(owed)
        self.events += events
        return events

    def gateway_says(self, command: Command) -> list[BotMessage]:
        return [self._read(message) for message in self.codec.encode(command)]

    def _read(self, message: str | bytes) -> BotMessage:
        understood = self.dialect.receive(message)
        self.understood.append(understood)
        if isinstance(understood, BotControl | BotHangUp):
            self.platform_says(list(understood.replies))
        return understood

    def caller(self, pcm: bytes) -> list[Event]:
        return self.platform_says(self.dialect.audio(pcm))


def started(name: str) -> Wire:
    """An open stream: the start message has been understood, on both sides."""

    async def main() -> Wire:
        rig = PlatformRig(name)
        gateway = rig.gateway()
        dialect, _ = ring(gateway, gateway.platform(name), RINGING[name]("wire", ""))
        wire = Wire(gateway.platform(name).codec(), dialect)
        wire.platform_says(dialect.opening())
        for _ in range(SILENCE_FRAMES):
            wire.caller(bytes(dialect.rate_hz // 50 * 2))
        await gateway.stop(0.0)
        return wire

    wire = run_leaping(main())
    assert sum(isinstance(event, CallStarted) for event in wire.events) == 1
    assert not any(isinstance(event, PeerError | CallEnded) for event in wire.events)
    return wire


def start_of(wire: Wire) -> CallStarted:
    return next(event for event in wire.events if isinstance(event, CallStarted))


def a_frame(wire: Wire) -> SendAudio:
    wire_format = start_of(wire).format_out
    size = wire_format.frame_bytes(wire.codec.capabilities.frame_ms_of(wire_format))
    return SendAudio(wire_format.encoding.silence * (size // wire_format.encoding.bytes_per_sample))


@every_platform
def test_a_second_of_the_caller_arrives_whole(name: str) -> None:
    wire = started(name)
    wire.platform_says(wire.dialect.stop())
    wire.codec.receive_eof()
    payload = b"".join(event.payload for event in wire.events if isinstance(event, CallerAudio))
    assert start_of(wire).format_in.duration_s(len(payload)) == pytest.approx(1.0)


@every_platform
def test_a_frame_is_played_for_its_length(name: str) -> None:
    wire = started(name)
    played = [said for said in wire.gateway_says(a_frame(wire)) if isinstance(said, BotAudio)]
    seconds = sum(len(said.pcm) for said in played) / 2 / wire.dialect.rate_hz
    assert seconds * 1000 == pytest.approx(wire.codec.capabilities.frame_ms_of(start_of(wire).format_out))


@every_platform
@pytest.mark.parametrize("digit", list("0123456789*#"))
def test_keys_are_understood(name: str, digit: str) -> None:
    wire = started(name)
    pressed = wire.platform_says(wire.dialect.digit(digit))
    assert pressed == ([Digit(digit)] if wire.codec.capabilities.digits_in else [])


@every_platform
def test_a_mark_comes_back_under_its_name(name: str) -> None:
    wire = started(name)
    sent = wire.gateway_says(SendMark("17"))
    if not wire.codec.capabilities.marks:
        assert sent == []
        return
    assert BotMark("17") in sent
    assert wire.platform_says(wire.dialect.mark("17")) == [MarkReached("17")]


@every_platform
@pytest.mark.parametrize("dropped", [[], ["17", "18"]], ids=["nothing queued", "two marks queued"])
def test_a_clear_is_obeyed_and_its_answer_breaks_nothing(name: str, dropped: list[str]) -> None:
    wire = started(name)
    capabilities = wire.codec.capabilities
    understood = wire.gateway_says(ClearOutput())
    assert (BotClear() in understood) is capabilities.clear
    assert not any(isinstance(said, BotViolation) for said in understood)
    answer = wire.platform_says([*wire.dialect.cleared(dropped), *wire.dialect.tick(0.0)])
    assert all(isinstance(event, OutputCleared | MarkReached) for event in answer)
    assert any(isinstance(event, OutputCleared) for event in wire.events) or not capabilities.clear_acknowledged


@every_platform
def test_the_end_is_said_once(name: str) -> None:
    wire = started(name)
    stop = wire.dialect.stop()
    ended = [*wire.platform_says(stop), *wire.platform_says(stop), *wire.codec.receive_eof(), *wire.codec.receive_eof()]
    assert [type(event) for event in ended if not isinstance(event, CallerAudio)] == [CallEnded]


@every_platform
def test_nothing_is_sent_before_the_start_nor_after_the_end(name: str) -> None:
    wire = started(name)
    commands: list[Command] = [a_frame(wire), SendMark("1"), ClearOutput(), HangUp(), Transfer("+15550100009")]

    async def fresh() -> Codec:
        return PlatformRig(name).gateway().platform(name).codec()

    assert [run_leaping(fresh()).encode(command) for command in commands] == [[]] * len(commands)
    wire.codec.receive_eof()
    assert [wire.codec.encode(command) for command in commands] == [[]] * len(commands)


@every_platform
def test_what_goes_by_the_stream_is_understood_there_and_the_rest_is_not_sent(name: str) -> None:
    capabilities = started(name).codec.capabilities
    kinds: list[tuple[Command, bool, type[BotMessage]]] = [
        (SendDigits("42#"), capabilities.digits_out_on_stream, BotDigits),
        (Transfer("+15550100009"), capabilities.transfer_on_stream, BotTransfer),
        (HangUp("goodbye"), capabilities.hang_up_on_stream, BotHangUp),
    ]
    for command, possible, kind in kinds:
        understood = started(name).gateway_says(command)
        assert not any(isinstance(said, BotViolation) for said in understood), command
        assert any(isinstance(said, kind) for said in understood) is possible, command


@every_platform
def test_a_second_start_is_refused_and_the_call_goes_on(name: str) -> None:
    wire = started(name)
    again = wire.platform_says(wire.dialect.opening())
    assert not any(isinstance(event, CallStarted) for event in again)
    assert wire.caller(bytes(wire.dialect.rate_hz // 50 * 2)) is not None
    assert not any(isinstance(event, CallEnded) for event in wire.events)
