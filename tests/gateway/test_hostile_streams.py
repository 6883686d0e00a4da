"""Bad input over a real socket to a call that is on: it goes on or ends cleanly, says why once, and leaves nothing."""

import asyncio
import json
import logging
from collections import Counter
from typing import Any

import aiohttp
import pytest
from aiohttp import WSMsgType
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from tests.rig.server import PUBLIC_URL, STREAM_PATH, Served, served, signature, start_message
from tests.rig.waiting import until

Message = str | bytes


def media(payload: Any, **more: Any) -> str:
    return json.dumps({"event": "media", "streamSid": "MZ1", "media": {"payload": payload, **more}})


HARMLESS: dict[str, tuple[Message, str]] = {
    "malformed JSON": ("{", "bad_json"),
    "a JSON list": ("[]", "bad_json"),
    "deep JSON": ("[" * 30_000, "bad_json"),
    "a huge number": (json.dumps({"event": "media", "streamSid": "MZ1", "media": 10**400}), "bad_field"),
    "nothing": ("", "bad_json"),
    "unknown event": ('{"event":"frobnicate"}', "unknown_event"),
    "no event": ("{}", "unknown_event"),
    "binary": (b"\x00\x01", "binary_message"),
    "a second start": (json.dumps(start_message("CA1", "again")), "second_start"),
    "another stream's media": ('{"event":"media","streamSid":"MZ9","media":{"payload":"////"}}', "wrong_stream"),
    "no payload": ('{"event":"media","streamSid":"MZ1","media":{}}', "bad_base64"),
    "no base64": (media("?!"), "bad_base64"),
    "an empty payload": (media(""), "empty_payload"),
    "a number for payload": (media(5), "bad_base64"),
    "a huge payload": (media("/" * 40_000), "payload_too_large"),
    "a nameless mark": ('{"event":"mark","streamSid":"MZ1","mark":{}}', "bad_mark"),
    "a digit that is none": ('{"event":"dtmf","streamSid":"MZ1","dtmf":{"digit":"77"}}', "bad_digit"),
    "a megabyte": ('{"event":"' + "x" * 1_000_000 + '"}', "message_too_large"),
}
STOP = '{"event":"stop","streamSid":"MZ1","stop":{}}'


async def begin(house: Served) -> aiohttp.ClientWebSocketResponse:
    token = await house.token()
    socket = await house.socket()
    await socket.send_json(start_message("CA1", token))
    await until(lambda: house.gateway.calls.count == 1)
    return socket


async def send(socket: aiohttp.ClientWebSocketResponse, message: Message) -> None:
    await (socket.send_str(message) if isinstance(message, str) else socket.send_bytes(message))


async def over(house: Served) -> str:
    """Read to the call's end and return why it ended; nothing is left of it then."""
    for socket in house.sockets:
        while not socket.closed and (await socket.receive()).type is WSMsgType.TEXT:
            pass
    await until(lambda: house.gateway.calls.count == 0, within_s=5.0)
    assert all(voice.closed for voice in house.voices.made)
    assert house.reports == []
    return house.gateway.calls.records()[0].ended


@pytest.mark.parametrize(("message", "code"), HARMLESS.values(), ids=HARMLESS)
async def test_bad_input_is_counted_logged_once_and_the_call_goes_on(
    message: Message, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), capture_logs() as logs:
        async with served() as house:
            socket = await begin(house)
            for _ in range(3):
                await send(socket, message)
            await send(socket, media("////"))
            await send(socket, STOP)
            assert await over(house) == "stop"
            assert house.gateway.calls.records()[0].peer_errors.keys() == {code}
    assert [entry["code"] for entry in logs if entry["event"] == "peer_error"] == [code]
    assert not caplog.records  # a traceback would be one


async def test_three_megabytes_in_one_message_end_the_call_cleanly(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        async with served() as house:
            socket = await begin(house)
            await socket.send_str("x" * 3_000_000)
            assert await over(house) == "closed"
            assert (await house.webhook({"CallSid": "CA2"}))[0] == 200  # its place is free
    assert not caplog.records


@pytest.mark.parametrize("message", [STOP, "{", media("////"), json.dumps(start_message("CA1", "x"))])
async def test_what_comes_after_the_stop_means_nothing(message: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with served() as house:
            socket = await begin(house)
            await socket.send_str(STOP)
            await socket.send_str(message)
            assert await over(house) == "stop"
    assert not caplog.records


@pytest.mark.parametrize("message", [media("////"), STOP, "{", b"\xff", '{"event":"mark","mark":{"name":"1"}}'])
async def test_what_comes_before_the_start_neither_starts_nor_ends_anything(message: Message) -> None:
    async with served() as house:
        token = await house.token()
        socket = await house.socket()
        for _ in range(3):
            await send(socket, message)
        await socket.send_json(start_message("CA1", token))
        await until(lambda: house.gateway.calls.count == 1)


async def test_a_caller_that_vanishes_without_a_close_frees_its_place(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        async with served() as house:
            socket = await begin(house)
            socket.get_extra_info("socket").shutdown(2)
            assert await over(house) in ("closed", "peer_gone")
    assert not caplog.records


async def _upgrade(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, house: Served) -> None:
    signed = signature(PUBLIC_URL.replace("https", "wss", 1) + STREAM_PATH)
    writer.write(
        f"GET {STREAM_PATH} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"X-Twilio-Signature: {signed}\r\n\r\n".encode()
    )
    assert b"101" in await reader.readline()


def _frame(text: str) -> bytes:
    """One masked text frame of 126 to 65535 bytes; the mask is zero."""
    data = text.encode()
    return b"\x81" + bytes([0x80 | 126]) + len(data).to_bytes(2, "big") + b"\0\0\0\0" + data


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
events = st.builds(
    lambda name, body: json.dumps({"event": name, "streamSid": "MZ1", name: body}),
    st.sampled_from(["connected", "start", "media", "dtmf", "mark", "frobnicate"]),
    values,
)
messages = st.lists(events | st.text(max_size=50) | st.binary(max_size=50), max_size=12)


@given(messages)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_messages_never_break_a_call(sent: list[Message]) -> None:
    async def main() -> Counter[str]:
        async with served(greeting="") as house:
            socket = await begin(house)
            for message in sent:
                await send(socket, message)
            await send(socket, STOP)
            assert await over(house) == "stop"
            return Counter(house.gateway.calls.records()[0].peer_errors)

    asyncio.run(main())


async def test_closing_in_the_middle_of_the_upgrade_or_of_the_first_message_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR):
        async with served() as house:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(house.url.rpartition(":")[2]))
            await _upgrade(reader, writer, house)
            writer.write(_frame(json.dumps(start_message("CA1", "x")))[:20])
            writer.transport.abort()
            await asyncio.sleep(0.1)
            assert house.reports == []
            assert house.gateway.calls.count == 0
            socket = await house.socket()
            assert (await socket.close(), (await socket.receive()).type) == (True, WSMsgType.CLOSED)
    assert not caplog.records
