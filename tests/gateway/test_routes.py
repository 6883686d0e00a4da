"""The HTTP side in secure mode: who may ask what, and that nothing is opened for those who may not."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import WSMsgType

from gateway.routes import RETRY_AFTER_S
from tests.rig.server import (
    ADMIN_TOKEN,
    PUBLIC_URL,
    STREAM_PATH,
    VOICE_PATH,
    Served,
    form_of,
    served,
    signature,
    start_message,
)
from tests.rig.waiting import until

ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
WSS_URL = PUBLIC_URL.replace("https", "wss", 1) + STREAM_PATH


async def closed_with(socket: aiohttp.ClientWebSocketResponse, within_s: float = 5.0) -> int | None:
    """Read until the gateway closes and return its code."""
    async with asyncio.timeout(within_s):
        while (await socket.receive()).type in (WSMsgType.TEXT, WSMsgType.BINARY):
            pass
    return socket.close_code


async def begin(house: Served, call_id: str = "CA1") -> aiohttp.ClientWebSocketResponse:
    """A call that is on."""
    token = await house.token(call_id)
    socket = await house.socket()
    await socket.send_json(start_message(call_id, token))
    await until(lambda: any(record.call_id == call_id for record in house.gateway.calls.records()))
    return socket


# Webhooks.


async def test_a_signed_webhook_is_answered_with_a_stream_at_the_public_address_and_a_token() -> None:
    async with served() as house:
        status, document = await house.webhook(form_of())
        assert status == 200
        assert f'url="{WSS_URL}"' in document
        assert house.made == (0, 1)  # the voice is opened while the phone rings


@pytest.mark.parametrize(
    "forged",
    [
        {},
        {"X-Twilio-Signature": ""},
        {"X-Twilio-Signature": "ä"},
        {"X-Twilio-Signature": signature(PUBLIC_URL + VOICE_PATH, form_of("CA2"))},
        {"X-Twilio-Signature": signature(PUBLIC_URL + VOICE_PATH, form_of(), token="another's")},
        {"X-Twilio-Signature": signature(PUBLIC_URL + VOICE_PATH, form_of(), token="")},
        {"X-Twilio-Signature": signature("http://bot.example.com" + VOICE_PATH, form_of())},
        {"X-Twilio-Signature": signature(PUBLIC_URL + VOICE_PATH + "/", form_of())},
        {"X-Twilio-Signature": signature("https://bot.example.com:8443" + VOICE_PATH, form_of())},
        {"X-Twilio-Signature": signature("https://evil.example.com" + VOICE_PATH, form_of())},
        {"X-Twilio-Signature": signature(PUBLIC_URL + VOICE_PATH)},
    ],
    ids=[
        "none",
        "blank",
        "no ascii",
        "altered body",
        "wrong secret",
        "blank secret",
        "scheme",
        "slash",
        "port",
        "host",
        "no body",
    ],
)
async def test_f29b_a_webhook_that_is_not_signed_by_the_platform_opens_nothing(forged: dict[str, str]) -> None:
    async with served() as house:
        status, text = await house.webhook(form_of(), headers=forged)
        assert (status, json.loads(text)["error"]) == (403, "bad_signature")
        assert house.made == (0, 0)


async def test_the_default_port_may_be_written_or_not() -> None:
    async with served() as house:
        headers = {"X-Twilio-Signature": signature("https://bot.example.com:443" + VOICE_PATH, form_of())}
        assert (await house.webhook(form_of(), headers=headers))[0] == 200


async def test_the_host_header_changes_neither_the_check_nor_the_answer() -> None:
    async with served() as house:
        evil = {"Host": "evil.example.com", "X-Forwarded-Host": "evil.example.com", "X-Forwarded-Proto": "http"}
        good = {"X-Twilio-Signature": signature(PUBLIC_URL + VOICE_PATH, form_of())}
        status, document = await house.webhook(form_of(), headers={**good, **evil})
        assert status == 200
        assert f'url="{WSS_URL}"' in document
        assert "evil" not in document
        bad = {"X-Twilio-Signature": signature("http://evil.example.com" + VOICE_PATH, form_of())}
        assert (await house.webhook(form_of(), headers={**bad, **evil}))[0] == 403


async def test_a_signed_webhook_without_a_call_is_refused() -> None:
    async with served() as house:
        assert (await house.webhook(form_of("")))[0] == 400
        assert house.made == (0, 0)


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_webhook_above_its_bound_is_refused_before_it_is_checked(chunked: bool) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(70):
            yield b"a" * 1024

    async with served() as house:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        data = chunks() if chunked else b"a" * 70 * 1024
        async with house.http.post(house.url + VOICE_PATH, data=data, headers=headers) as answer:
            assert answer.status == 413
        assert house.made == (0, 0)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/x-www-form-urlencoded; charset=klingon", b"CallSid=CA1"),
        ("application/x-www-form-urlencoded", b"CallSid=\xff\xfe"),
        ("application/x-www-form-urlencoded", b"CallSid=%ff%fe&%00=%00"),
        ("multipart/form-data; boundary=x", b"--x\r\nbroken"),
        ("application/json", b"[" * 10_000),
        ("", b"\x00"),
    ],
)
async def test_a_body_that_is_no_form_is_refused_without_a_traceback(
    content_type: str, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with served() as house:
        headers = {"Content-Type": content_type, "X-Twilio-Signature": "x"}
        with caplog.at_level(logging.ERROR):
            async with house.http.post(house.url + VOICE_PATH, data=body, headers=headers) as answer:
                assert answer.status in (400, 403)
        assert not caplog.records
        assert house.made == (0, 0)


async def test_status_callbacks_are_checked_too_and_end_the_call_they_are_about() -> None:
    path = "/twilio/status"
    async with served() as house:
        assert (await house.webhook(form_of(), path, headers={}))[0] == 403
        socket = await begin(house)
        form = {**form_of(), "CallStatus": "completed"}
        assert (await house.webhook(form, path))[0] == 204
        await closed_with(socket)
        await until(lambda: house.gateway.calls.count == 0)
        assert house.gateway.calls.records()[0].ended == "status"


async def test_unknown_platforms_and_paths_are_not_found() -> None:
    async with served() as house:
        for method, path in (
            ("POST", "/acme/voice"),
            ("POST", "/acme/status"),
            ("GET", "/acme/stream"),
            ("GET", "/x/y/z"),
        ):
            async with house.http.request(method, house.url + path) as answer:
                assert answer.status == 404


# Media sockets.


@pytest.mark.parametrize(
    "forged",
    [
        {},
        {"X-Twilio-Signature": signature(PUBLIC_URL + STREAM_PATH)},
        {"X-Twilio-Signature": signature(WSS_URL.replace("wss", "ws", 1))},
        {"X-Twilio-Signature": signature(WSS_URL + "/")},
        {"X-Twilio-Signature": signature(WSS_URL.replace(".com", ".com:444"))},
        {"X-Twilio-Signature": signature(WSS_URL, token="another's")},
    ],
    ids=["none", "https", "ws", "slash", "port", "secret"],
)
async def test_an_unsigned_socket_is_refused_before_the_upgrade(forged: dict[str, str]) -> None:
    async with served() as house:
        await house.token()
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await house.socket(forged)
        assert caught.value.status == 403
        assert house.made == (0, 1)


async def refused_start(house: Served, message: dict[str, object], made: tuple[int, int]) -> None:
    socket = await house.socket()
    await socket.send_json(message)
    assert await closed_with(socket) == 1008
    assert house.made == made
    assert house.gateway.calls.count == 0


async def test_a_socket_without_a_webhook_gets_no_recogniser_and_no_voice() -> None:
    async with served() as house:
        await refused_start(house, start_message("CA1"), (0, 0))
        await refused_start(house, start_message("CA1", "guessed"), (0, 0))


async def test_a_token_of_another_call_is_refused_and_remains_good_for_its_own() -> None:
    async with served() as house:
        token = await house.token("CA1")
        await refused_start(house, start_message("CA2", token), (0, 1))
        socket = await house.socket()
        await socket.send_json(start_message("CA1", token))
        await until(lambda: house.gateway.calls.count == 1)


async def test_a_used_token_is_refused() -> None:
    async with served() as house:
        token = await house.token()
        socket = await house.socket()
        await socket.send_json(start_message("CA1", token))
        await until(lambda: house.gateway.calls.count == 1)
        again = await house.socket()
        await again.send_json(start_message("CA1", token))
        assert await closed_with(again) == 1008
        assert house.made == (1, 1)
        await socket.close()
        await until(lambda: house.gateway.calls.count == 0)
        await refused_start(house, start_message("CA1", token), (1, 1))


async def test_an_expired_token_is_refused_and_its_voice_closed() -> None:
    async with served(token_ttl_s=0.1) as house:
        token = await house.token()
        await until(lambda: house.voices.made[0].closed)
        await refused_start(house, start_message("CA1", token), (0, 1))


async def test_a_start_without_a_call_ends_the_socket() -> None:
    async with served() as house:
        token = await house.token()
        socket = await house.socket()
        await socket.send_json(start_message("", token))
        await closed_with(socket)
        assert house.made == (0, 1)


async def test_a_socket_that_does_not_start_in_time_is_closed() -> None:
    async with served(first_message_s=0.2) as house:
        socket = await house.socket()
        assert await closed_with(socket) == 1008
        assert house.made == (0, 0)


async def test_media_for_ever_is_no_start() -> None:
    media = {"event": "media", "streamSid": "MZ1", "media": {"payload": "////"}}
    async with served(first_message_s=0.3) as house:
        socket = await house.socket()

        async def talk() -> None:
            while not socket.closed:
                await socket.send_json(media)
                await asyncio.sleep(0.01)

        talking = asyncio.create_task(talk())
        assert await closed_with(socket) == 1008
        talking.cancel()
        await asyncio.wait({talking})
        assert house.made == (0, 0)


async def test_one_address_holds_no_more_than_its_share_of_sockets() -> None:
    async with served(per_source=2) as house:
        held = [await house.socket(), await house.socket()]
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await house.socket()
        assert caught.value.status == 429
        await held.pop().close()
        await asyncio.sleep(0.05)
        await house.socket()


async def test_a_plain_request_for_the_stream_is_refused() -> None:
    async with served() as house:
        headers = {"X-Twilio-Signature": signature(WSS_URL)}
        async with house.http.get(house.url + STREAM_PATH, headers=headers) as answer:
            assert answer.status == 400


# Capacity and drain.


async def test_a_call_too_many_is_told_busy() -> None:
    async with served(max_calls=1) as house:
        await begin(house)
        status, document = await house.webhook(form_of("CA2"))
        assert (status, "<Reject" in document, 'reason="busy"' in document) == (200, True, True)
        assert house.made == (1, 1)
        async with house.http.get(house.url + "/readyz") as answer:
            assert (answer.status, (await answer.json())["room"]) == (503, False)


async def test_f114_draining_refuses_new_calls_while_the_one_that_is_on_goes_on() -> None:
    async with served() as house:
        socket = await begin(house)
        waiting = await house.token("CA2")
        draining = asyncio.create_task(house.gateway.stop(30.0))
        await asyncio.sleep(0)
        async with house.http.get(house.url + "/readyz") as answer:
            assert answer.status == 503
        async with house.http.get(house.url + "/healthz") as answer:
            assert answer.status == 200
        assert "<Reject" in (await house.webhook(form_of("CA3")))[1]
        late = await house.socket()
        await late.send_json(start_message("CA2", waiting))
        assert await closed_with(late) == 1008
        assert house.gateway.calls.count == 1
        received = [json.loads((await socket.receive()).data)["event"] for _ in range(10)]
        assert "media" in received
        assert not draining.done()
        await socket.send_json({"event": "stop", "streamSid": "MZ1", "stop": {}})
        await asyncio.wait_for(draining, 5.0)


# The operator.


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/calls"), ("GET", "/calls/CA1"), ("DELETE", "/calls/CA1"), ("POST", "/calls")]
)
@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer \udcff"}, {"Authorization": "Bearer"}]
)
async def test_the_calls_are_the_operators_business(method: str, path: str, headers: dict[str, str]) -> None:
    async with served() as house:
        await begin(house)
        async with house.http.request(method, house.url + path, headers=headers) as answer:
            assert answer.status == 401
        assert house.gateway.calls.count == 1


async def test_without_a_configured_admin_token_nobody_has_it() -> None:
    async with served(admin_token="") as house:
        for headers in ({}, {"Authorization": "Bearer "}):
            async with house.http.get(house.url + "/calls", headers=headers) as answer:
                assert answer.status == 401


async def test_the_operator_sees_the_calls_and_ends_one_with_a_goodbye() -> None:
    async with served() as house:
        socket = await begin(house)
        async with house.http.get(house.url + "/calls", headers=ADMIN) as answer:
            (brief,) = await answer.json()
        assert brief["call_id"] == "CA1"
        assert "turns" not in brief
        async with house.http.delete(house.url + "/calls/CA1", headers=ADMIN) as answer:
            assert answer.status == 202
        await closed_with(socket)
        async with house.http.get(house.url + "/calls/CA1", headers=ADMIN) as answer:
            record = await answer.json()
        assert record["ended"] == "goodbye"
        assert record["turns"][-1]["bot_text"] == "Bye."
        for method in ("GET", "DELETE"):
            async with house.http.request(method, house.url + "/calls/CA9", headers=ADMIN) as answer:
                assert answer.status == 404


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"[" * 60_000, b'{"to": 5}', b'{"to": "+15550100001", "from": "x"}']
)
async def test_a_call_that_is_asked_for_wrongly_is_refused(body: bytes) -> None:
    async with served() as house, house.http.post(house.url + "/calls", data=body, headers=ADMIN) as answer:
        assert answer.status == 400


async def test_a_call_cannot_be_placed_without_an_account() -> None:
    async with served() as house:
        wanted = {"to": "+15550100001", "from": "+15550100002"}
        async with house.http.post(house.url + "/calls", json=wanted, headers=ADMIN) as answer:
            assert (answer.status, (await answer.json())["error"]) == (400, "cannot_dial")


@pytest.mark.parametrize("full", [True, False])
async def test_a_call_too_many_is_not_placed_and_may_be_tried_again(full: bool) -> None:
    async with served(max_calls=1) as house:
        if full:
            house.gateway.calls.ringing.begin("another", "default", 60.0)
        else:
            await house.gateway.stop(0.0)
        wanted = {"to": "+15550100001", "from": "+15550100002"}
        async with house.http.post(house.url + "/calls", json=wanted, headers=ADMIN) as answer:
            assert (answer.status, (await answer.json())["error"]) == (503, "at_capacity" if full else "draining")
            assert answer.headers["Retry-After"] == str(RETRY_AFTER_S)
        async with house.http.post(house.url + "/calls", json={}, headers=ADMIN) as answer:
            assert "Retry-After" not in answer.headers


@pytest.mark.parametrize("bot", ["nobody", 7, "x" * 1000])
async def test_a_call_for_a_bot_that_there_is_not_is_not_placed(bot: object) -> None:
    async with served() as house:
        wanted = {"to": "+15550100001", "from": "+15550100002", "bot": bot}
        async with house.http.post(house.url + "/calls", json=wanted, headers=ADMIN) as answer:
            assert (answer.status, (await answer.json())["error"]) == (400, "unknown_bot")


@pytest.mark.parametrize(("what", "body"), [("transfer", {"to": "+15550100001"}), ("digits", {"digits": "12"})])
async def test_what_the_account_cannot_do_to_a_call_is_said(what: str, body: dict[str, str]) -> None:
    async with served() as house:
        await begin(house)
        for call_id, status in (("CA1", 400), ("CA9", 404)):
            async with house.http.post(f"{house.url}/calls/{call_id}/{what}", json=body, headers=ADMIN) as answer:
                assert answer.status == status


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("transfer", {"to": None}),
        ("transfer", {"to": 15550100001}),
        ("transfer", {"to": "+15550100001", "warm": "yes"}),
        ("transfer", {"to": "+15550100001", "warm": True, "announce": None}),
        ("transfer", {"to": "+15550100001", "warm": True, "from": None}),
        ("digits", {"digits": 12}),
    ],
)
async def test_what_is_no_text_or_no_truth_is_not_guessed_at(what: str, body: dict[str, object]) -> None:
    """`null` was said to the agent as "None", and a call with "yes" moved cold."""
    async with served() as house:
        await begin(house)
        async with house.http.post(f"{house.url}/calls/CA1/{what}", json=body, headers=ADMIN) as answer:
            assert (answer.status, (await answer.json())["error"]) == (400, "bad_field")


# Health and metrics.


async def test_ready_when_every_part_is() -> None:
    async with served() as house, house.http.get(house.url + "/readyz") as answer:
        assert (answer.status, await answer.json()) == (200, {"stt": True, "llm": True, "tts": True, "room": True})


async def test_metrics_count_what_was_refused_without_the_peers_words() -> None:
    async with served() as house:
        await house.webhook(form_of(), headers={})
        await house.http.post(house.url + "/evil-name/voice")
        async with house.http.get(house.url + "/metrics") as answer:
            text = await answer.text()
        assert 'voicebot_refused_total{code="bad_signature",platform="twilio"} 1.0' in text
        assert 'voicebot_refused_total{code="unknown_platform",platform="-"} 1.0' in text
        assert "evil-name" not in text


async def test_insecure_work_needs_neither_signature_nor_token_nor_admin_token() -> None:
    async with served(insecure=True, public_url="", admin_token="") as house:
        status, document = await house.webhook(form_of(), headers={})
        assert status == 200
        assert f'url="{house.url.replace("http", "ws", 1)}{STREAM_PATH}"' in document
        socket = await house.socket({})
        await socket.send_json(start_message("CA9"))
        await until(lambda: house.gateway.calls.count == 1)
        async with house.http.get(house.url + "/calls") as answer:
            assert answer.status == 200
