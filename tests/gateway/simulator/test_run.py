"""A call over loopback: webhook, socket, signatures, report. One real second or two, no more."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from gateway.platforms.base import WebhookRequest
from gateway.platforms.signature import verify_twilio
from gateway.simulator.caller import recorded_turn
from gateway.simulator.failure import CallFailed
from gateway.simulator.run import Target, place_call, run_call
from gateway.simulator.script import Manners
from media import wav
from tests.gateway.simulator.echo import RATE_HZ, SEEN, EchoBot, echo_app, tone

MANNERS = Manners(quiet_s=0.1, greeting_s=0.1, reply_s=1.0)
PUBLIC = "https://bot.example.test"


@asynccontextmanager
async def serving(app: web.Application) -> AsyncIterator[str]:
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/").replace("http", "ws")


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    wav.save(tmp_path / "tone.wav", tone(0.2), RATE_HZ)
    (tmp_path / "manifest.json").write_text('{"tone.wav": {"text": "Beep?"}}', "utf-8")
    return tmp_path / "tone.wav"


async def test_a_call_is_placed_held_and_reported(recording: Path, tmp_path: Path) -> None:
    record = {"ended": "caller", "turns": [{"caller_text": "beep", "bot_text": "Peep.", "at_s": {"first_frame": 0.6}}]}
    bot = EchoBot(tone_s=0.3, hangover_s=0.2)
    app = echo_app(bot, record)
    async with serving(app) as url:
        report = await run_call([recording], url, "twilio", tmp_path / "out", admin_token="admin", manners=MANNERS)
    (turn,) = report.turns
    assert (turn.caller_text, turn.recognised_text, turn.bot_text) == ("Beep?", "beep", "Peep.")
    assert turn.response_s == pytest.approx(0.2, abs=0.1)
    assert report.trace.ended_by == "caller"
    assert report.trace.gaps == ()
    assert app[SEEN]["form"]["CallSid"] == report.call_id
    assert app[SEEN]["admin"] == "Bearer admin"
    start = next(body["start"] for body in bot.messages if body["event"] == "start")
    assert start["callSid"] == report.call_id
    assert start["customParameters"] == {"token": "once & only"}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["call.json", "heard.wav", "timeline.png"]
    assert json.loads((tmp_path / "out" / "call.json").read_text("utf-8"))["turns"][0]["bot_text"] == "Peep."


async def test_both_requests_are_signed_for_the_public_address() -> None:
    bot = EchoBot(tone_s=0.1, hangover_s=0.1)
    stream_url = PUBLIC.replace("https", "wss") + "/twilio/stream"
    answer = f'<Response><Connect><Stream url="{stream_url}"/></Connect></Response>'
    app = echo_app(bot, answer=answer)
    turns = [recorded_turn("tone", tone(0.1), RATE_HZ)]
    async with serving(app) as url:
        report = await place_call(turns, Target(url, "secret", PUBLIC), manners=MANNERS)
    seen = app[SEEN]
    form = tuple(seen["form"].items())
    headers = {"x-twilio-signature": seen["signature"]}
    assert verify_twilio(WebhookRequest("POST", f"{PUBLIC}/twilio/voice", headers, form), "secret", {})
    headers = {"x-twilio-signature": seen["stream_signature"]}
    assert verify_twilio(WebhookRequest("GET", stream_url, headers), "secret", {})
    assert report.turns[0].bot_text == ""  # no record was to be had


async def test_the_record_is_waited_for_until_the_gateway_has_closed_it() -> None:
    record: dict[str, Any] = {"turns": []}
    app = echo_app(EchoBot(), record)
    asked = 0

    async def count(_request: web.Request, _response: web.StreamResponse) -> None:
        nonlocal asked
        if _request.path.startswith("/calls/"):
            asked += 1
            if asked == 2:
                record["ended"] = "stop"

    app.on_response_prepare.append(count)
    async with serving(app) as url:
        await place_call([], Target(url), manners=MANNERS)
    assert asked == 3


async def test_a_record_that_cannot_be_fetched_is_done_without() -> None:
    app = echo_app(EchoBot(), {"turns": []})

    async def garble(request: web.Request, response: web.StreamResponse) -> None:
        if request.path.startswith("/calls/"):
            response.headers["Content-Type"] = "text/html"

    app.on_response_prepare.append(garble)
    async with serving(app) as url:
        report = await place_call([recorded_turn("tone", tone(0.1), RATE_HZ)], Target(url), manners=MANNERS)
    assert [turn.bot_text for turn in report.turns] == [""]


async def test_a_record_that_is_never_closed_is_taken_as_it_is() -> None:
    async with serving(echo_app(EchoBot(), {"turns": []})) as url:
        assert (await place_call([], Target(url), manners=MANNERS)).turns == ()


@pytest.mark.parametrize(
    ("answer", "code"), [('<Response><Reject reason="busy"/></Response>', "rejected"), ("<html/>", "bad_answer")]
)
async def test_a_gateway_that_does_not_answer_the_call_fails_it(answer: str, code: str) -> None:
    async with serving(echo_app(EchoBot(), answer=answer)) as url:
        with pytest.raises(CallFailed) as failed:
            await place_call([], Target(url))
    assert failed.value.code == code


async def test_a_refused_webhook_is_told_with_its_status() -> None:
    async with serving(web.Application()) as url:
        with pytest.raises(CallFailed, match="HTTP 404"):
            await place_call([], Target(url))


async def test_a_refused_socket_is_told_with_its_status() -> None:
    def voice(url: str) -> Callable[[web.Request], Coroutine[Any, Any, web.Response]]:
        async def answer(request: web.Request) -> web.Response:
            stream = f'<Stream url="ws://{request.host}{url}"/>'
            return web.Response(text=f"<Response><Connect>{stream}</Connect></Response>", content_type="text/xml")

        return answer

    app = web.Application()
    app.router.add_post("/twilio/voice", voice("/nowhere"))
    async with serving(app) as url:
        with pytest.raises(CallFailed, match="media socket .*HTTP 404"):
            await place_call([], Target(url))


async def test_without_its_port_audiosocket_names_the_setting(unused_tcp_port: int) -> None:
    async def voice(_: web.Request) -> web.Response:
        return web.Response(text="00000000-0000-4000-8000-000000000001")

    app = web.Application()
    app.router.add_post("/audiosocket/voice", voice)
    async with serving(app) as url:
        with pytest.raises(CallFailed, match=r"could not be opened .*audiosocket\.port .*--tcp-port"):
            await place_call([], Target(url, tcp_port=unused_tcp_port), "audiosocket")


async def test_a_socket_nobody_listens_on_is_told(unused_tcp_port: int) -> None:
    stream = f'<Stream url="ws://127.0.0.1:{unused_tcp_port}/s"/>'
    async with serving(echo_app(EchoBot(), answer=f"<Response><Connect>{stream}</Connect></Response>")) as url:
        with pytest.raises(CallFailed, match="no_stream"):
            await place_call([], Target(url))


async def test_no_gateway_at_all_is_told_with_the_remedy(unused_tcp_port: int) -> None:
    with pytest.raises(CallFailed, match="is it running there"):
        await place_call([], Target(f"ws://127.0.0.1:{unused_tcp_port}"))


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://host", "ws://"])
async def test_an_address_that_is_none_is_told(url: str, recording: Path, tmp_path: Path) -> None:
    with pytest.raises(CallFailed, match="give one like ws://"):
        await run_call([recording], url, "twilio", tmp_path)


async def test_an_unknown_platform_is_told_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(CallFailed, match=r"known are .*twilio"):
        await run_call([], "ws://127.0.0.1:1", "carrier-pigeon", tmp_path)


async def test_a_recording_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"absent\.wav"):
        await run_call([tmp_path / "absent.wav"], "ws://127.0.0.1:1", "twilio", tmp_path)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("ws://h:1", "http://h:1"),
        ("wss://h/", "https://h"),
        ("http://h/gateway/", "http://h/gateway"),
        ("https://h", "https://h"),
    ],
)
def test_the_base_may_be_written_as_socket_or_web_address(url: str, base: str) -> None:
    assert Target(url).http_base == base
    assert Target(url).public_base == base


def test_a_public_stream_is_reached_where_the_gateway_is() -> None:
    target = Target("ws://127.0.0.1:8080", public_url=PUBLIC + "/")
    assert target.reachable("wss://bot.example.test/twilio/stream") == "ws://127.0.0.1:8080/twilio/stream"
    assert target.reachable("wss://other.test/s") == "wss://other.test/s"
    assert Target("ws://127.0.0.1:8080").reachable("ws://127.0.0.1:8080/s") == "ws://127.0.0.1:8080/s"
    assert "secret" not in repr(Target("ws://h", "secret", admin_token="secret"))


def test_a_tcp_stream_is_reached_on_the_gateways_host() -> None:
    target = Target("ws://127.0.0.1:8080", public_url=PUBLIC)
    assert target.reachable("tcp://bot.example.test:9092") == "tcp://127.0.0.1:9092"
    assert Target("ws://127.0.0.1:8080", tcp_port=7).reachable("tcp://127.0.0.1:9092") == "tcp://127.0.0.1:7"
