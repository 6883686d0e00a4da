"""The vendors' own servers for media sockets, plivo-stream-sdk and Vonage's audio connector, at our simulators."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from audio_connector_sdk.vonage_video.core import AudioConnectorConnection
from plivo_stream import PlivoWebsocketStreamingHandler

from gateway.events import CallStarted, ClearOutput, SendAudio, SendMark
from gateway.platforms.plivo_stream import PlivoCodec
from gateway.platforms.vonage_stream import VonageCodec
from gateway.simulator.dialect import BotAudio, BotClear, BotMark, BotViolation
from media.g711 import pcm_to_ulaw
from tests.counterparts.cases import CASES
from tests.counterparts.sides import Message, Ours, call, tone, understood

pytestmark = pytest.mark.counterparts


class MemorySocket:
    """The socket an SDK is given: it says `messages`, then closes, and keeps what it is sent."""

    def __init__(self, messages: list[Message]) -> None:
        self._messages = messages
        self.sent: list[Message] = []
        # What Vonage's library reads of the upgrade.
        self.request = SimpleNamespace(headers={}, path="/vonage/stream")
        self.id = "socket"

    async def __aiter__(self) -> AsyncIterator[Message]:
        for message in self._messages:
            yield message

    async def send(self, message: Message) -> None:
        self.sent.append(message)


async def heard_by_plivos_sdk(messages: list[Message]) -> tuple[list[Any], list[Exception], MemorySocket]:
    """The events and errors of the SDK, which speaks, marks and clears as soon as the stream has started."""
    handler = PlivoWebsocketStreamingHandler()
    events: list[Any] = []
    errors: list[Exception] = []

    async def keep(event: Any) -> None:
        events.append(event)

    async def fail(error: Exception) -> None:
        errors.append(error)

    async def answer(event: Any) -> None:
        events.append(event)
        await handler.send_media(pcm_to_ulaw(tone(8000, 20)))
        await handler.send_checkpoint("m1")
        await handler.send_clear_audio()

    handler.on_start(answer)
    for register in (handler.on_media, handler.on_dtmf, handler.on_played_stream, handler.on_cleared_audio):
        register(keep)
    handler.on_error(fail)
    socket = MemorySocket(messages)
    await handler.handle(socket)
    return events, errors, socket


async def test_plivos_sdk_reads_every_message_of_our_simulator() -> None:
    dialect = CASES["plivo"].dialect()
    messages = [
        *dialect.opening(),
        *dialect.audio(tone(8000, 20)),
        *dialect.digit("5"),
        *dialect.mark("m1"),
        *dialect.cleared(["m2"]),
    ]
    events, errors, _ = await heard_by_plivos_sdk(messages)
    assert errors == []
    assert [event.event for event in events] == ["start", "media", "dtmf", "playedStream", "clearedAudio"]
    start, media, digit, mark, _ = events
    codec = PlivoCodec()
    (started,) = codec.receive(messages[0])
    assert isinstance(started, CallStarted)
    assert (start.start.call_id, start.start.stream_id) == (started.call_id, started.stream_id)
    assert (start.start.media_format.encoding, start.start.media_format.sample_rate) == ("audio/x-mulaw", 8000)
    assert media.get_raw_media() == pcm_to_ulaw(tone(8000, 20))
    assert (digit.dtmf.digit, mark.name) == ("5", "m1")


async def test_vobiz_marks_are_not_what_plivos_sdk_expects() -> None:
    # Vobiz's playedStream carries no ids; our codec does not ask for them.
    events, errors, _ = await heard_by_plivos_sdk(['{"event":"playedStream","name":"m1"}'])
    assert (events, len(errors)) == ([], 1)


async def test_plivos_sdk_and_our_codec_write_the_same_commands() -> None:
    dialect = CASES["plivo"].dialect()
    opening = dialect.opening()
    _, errors, socket = await heard_by_plivos_sdk(opening)
    assert errors == []
    codec = PlivoCodec()
    codec.receive(opening[0])
    commands = (SendAudio(pcm_to_ulaw(tone(8000, 20))), SendMark("m1"), ClearOutput())
    ours = [json.loads(message) for command in commands for message in codec.encode(command)]
    theirs = [json.loads(message) for message in socket.sent]
    # The stream's id may stand in playAudio: the SDK leaves it out, we write it.
    assert ours[0].pop("streamId")
    assert ours == theirs
    kinds = [type(reading) for reading in understood(dialect, socket.sent)]
    assert kinds == [BotAudio, BotMark, BotClear]


@pytest.fixture
async def connector() -> AsyncIterator[tuple[Any, MemorySocket]]:
    socket = MemorySocket([])
    connection = AudioConnectorConnection(socket, logging.getLogger("counterpart"))
    yield connection, socket
    connection._sender_task.cancel()  # its own way to end wants to close a socket
    await asyncio.gather(connection._sender_task, return_exceptions=True)


async def test_vonages_library_cuts_audio_as_our_codec_does(connector: tuple[Any, MemorySocket]) -> None:
    connection, socket = connector
    answer = tone(16000, 50)
    await connection.send_audio_buffer(answer, pad_last_frame=True)
    ours = Ours(VonageCodec())
    dialect = CASES["vonage"].dialect()
    await call(dialect, ours, b"")
    assert socket.sent == await ours.say(answer)
    assert [type(reading) for reading in understood(dialect, socket.sent)] == [BotAudio] * 3


async def test_vonages_library_leaves_the_last_frame_short_unless_told(connector: tuple[Any, MemorySocket]) -> None:
    # It is made for the video product. The voice API closes on another length (F-16), so ours always fills up.
    connection, socket = connector
    await connection.send_audio_buffer(tone(16000, 50))
    kinds = [type(reading) for reading in understood(CASES["vonage"].dialect(), socket.sent)]
    assert kinds == [BotAudio, BotAudio, BotViolation]


async def test_vonages_library_clears_by_another_message(connector: tuple[Any, MemorySocket]) -> None:
    # It sends the video product the event which the voice API answers a clear with; that one wants an action.
    connection, socket = connector
    await connection.flush_buffer()
    codec, dialect = VonageCodec(), CASES["vonage"].dialect()
    codec.receive(dialect.opening()[0])
    assert [json.loads(message) for message in socket.sent] == [{"event": "websocket:cleared"}]
    assert dialect.cleared([]) == ['{"event": "websocket:cleared"}']
    (clear,) = codec.encode(ClearOutput())
    assert json.loads(str(clear)) == {"action": "clear"}
    assert isinstance(dialect.receive(clear), BotClear)
