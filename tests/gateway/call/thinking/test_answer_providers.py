"""Whole tool loops over the wire: each provider's real client, its emulator, and a tool's host on loopback."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from gateway.call.turn import Happening
from gateway.llm.base import LanguageModel, Tool
from gateway.tools.http import HttpRequest, HttpTool
from tests.gateway.call.thinking.test_reply import Desk
from tests.gateway.llm.bedrock_model import bedrock
from tests.gateway.llm.chat_model import chat
from tests.rig.bedrock import BedrockEmulator, Script, ToolUse
from tests.rig.openai import ChatEmulator, ChatScript, chunk, said
from tests.rig.tools import NUMBER
from tests.rig.voice import TestVoices
from tests.rig.waiting import until

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SLOW_S = 0.15


@pytest.fixture(autouse=True)
def _own_credentials_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


class Host:
    """The tool's server: what it answers to a number; `seen` in order of arrival."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        number = request.query["number"]
        self.seen.append(number)
        match number:
            case "1":  # comes first and is answered last
                await asyncio.sleep(SLOW_S)
                return web.json_response({"state": "shipped"})
            case "2":
                return web.json_response({"state": "packed"})
            case "500":
                return web.Response(status=500)
            case "302":
                return web.Response(status=302, headers={"Location": "http://127.0.0.1:1/"})
            case "666":
                return web.Response(body=b"\xff\xfe\0\0")
            case _:
                await asyncio.sleep(3600)
                raise AssertionError("nobody waits so long")


@asynccontextmanager
async def looking_up(timeout_s: float = 1.0) -> AsyncIterator[tuple[HttpTool, Host]]:
    host = Host()
    app = web.Application()
    app.router.add_get("/orders", host.answer)
    server = TestServer(app)
    await server.start_server()
    try:
        async with aiohttp.ClientSession() as http:
            request = HttpRequest("GET", str(server.make_url("/orders")))
            yield HttpTool(Tool("find_order", "Looks up an order.", NUMBER), request, http, timeout_s), host
    finally:
        await server.close()


async def replied(model: LanguageModel, tool: HttpTool) -> Desk:
    """One question, answered to its end."""
    desk = Desk(model, TestVoices())
    desk.replies.tools = {tool.spec.name: tool}
    await desk.voice.open()
    pumps = [asyncio.create_task(desk.speaker.pump()), asyncio.create_task(desk.playout.run())]
    desk.exchange.caller_said("Where are my orders?")
    desk.replies.answer()
    await until(lambda: desk.happened)
    for task in pumps:
        task.cancel()
    await asyncio.wait(pumps)
    await model.close()
    assert desk.happened == [Happening.REPLY_OVER]
    return desk


def uses(*numbers: str) -> tuple[ToolUse, ...]:
    return tuple(ToolUse(f"t{n}", "find_order", {"number": number}) for n, number in enumerate(numbers))


def calls(*numbers: str) -> list[str]:
    """Parallel calls whose pieces are interleaved by index."""
    begun = [
        {"index": n, "id": f"t{n}", "function": {"name": "find_order", "arguments": '{"number":'}}
        for n, _ in enumerate(numbers)
    ]
    ended = [{"index": n, "function": {"arguments": f'"{number}"}}'}} for n, number in enumerate(numbers)]
    return [
        *(chunk({"tool_calls": [piece]}) for piece in [*begun, *reversed(ended)]),
        chunk({}, "tool_calls"),
        "[DONE]",
    ]


async def by_bedrock(*numbers: str, text: str = "Let me see.") -> tuple[Desk, Host, list[tuple[str, str, bool]]]:
    """What was said, what the host saw, and the results as the service got them: id, text, failed."""
    scripts = [Script((text,), uses(*numbers)), Script(("It is ", "on its way."))]
    async with looking_up() as (tool, host), BedrockEmulator(scripts) as emulator:
        desk = await replied(bedrock(emulator), tool)
        blocks = emulator.seen[1].body["messages"][-1]["content"]
        results = [block["toolResult"] for block in blocks]
        assert len(emulator.seen) == 2
        assert emulator.seen[0].body["toolConfig"] == emulator.seen[1].body["toolConfig"]
        return desk, host, [(r["toolUseId"], r["content"][0]["text"], r["status"] == "error") for r in results]


async def by_chat(*numbers: str, text: str = "Let me see.") -> tuple[Desk, Host, list[tuple[str, str, bool]]]:
    """As by_bedrock; the API has no field for failures, so they are told by their words."""
    first = ChatScript([chunk({"content": text}), *calls(*numbers)])
    async with (
        looking_up() as (tool, host),
        ChatEmulator([first, ChatScript(said("It is ", "on its way."))]) as emulator,
    ):
        desk = await replied(chat(emulator), tool)
        results: list[dict[str, Any]] = [m for m in emulator.seen[1].body["messages"] if m["role"] == "tool"]
        assert len(emulator.seen) == 2
        return (
            desk,
            host,
            [(r["tool_call_id"], r["content"], r["content"].startswith("The tool failed")) for r in results],
        )


PROVIDERS = pytest.mark.parametrize("asked", [by_bedrock, by_chat])


@PROVIDERS
async def test_f65_parallel_calls_are_answered_together_in_the_models_order(asked: Any) -> None:
    desk, host, results = await asked("1", "2")
    assert [(call_id, json.loads(text)["state"], failed) for call_id, text, failed in results] == [
        ("t0", "shipped", False),
        ("t1", "packed", False),
    ]
    assert sorted(host.seen) == ["1", "2"]
    (turn,) = desk.record.turns
    assert turn.heard_text == "Let me see. It is on its way."
    slow, quick = sorted(desk.record.tools, key=lambda tool: -tool.duration_s)
    assert slow.duration_s >= SLOW_S
    assert (slow.outcome, quick.outcome) == ("ok", "ok")


@PROVIDERS
@pytest.mark.parametrize(
    ("number", "outcome", "says"),
    [
        ("500", "http_5xx", "answered 500"),
        ("302", "redirected", "elsewhere"),
        ("666", "not_text", "no text"),
        ("999", "timeout", "did not answer in time"),
    ],
)
async def test_f61_whatever_goes_wrong_is_told_to_the_model_in_words(
    asked: Any, number: str, outcome: str, says: str
) -> None:
    desk, _, ((_, text, failed),) = await asked(number)
    assert (failed, says in text) == (True, True)
    assert [tool.outcome for tool in desk.record.tools] == [outcome]
    assert desk.record.turns[0].failure == ""


@PROVIDERS
async def test_arguments_that_do_not_fit_never_reach_the_host(asked: Any) -> None:
    desk, host, ((_, text, _),) = await asked("no number")
    assert host.seen == []
    assert "does not match" in text


async def test_f64_after_an_interruption_the_service_gets_every_call_answered() -> None:
    scripts = [Script((), uses("1", "999")), Script(("Fine.",))]
    async with looking_up(timeout_s=30.0) as (tool, host), BedrockEmulator(scripts) as emulator:
        model = bedrock(emulator)
        desk = Desk(model, TestVoices())
        desk.replies.tools = {tool.spec.name: tool}
        await desk.voice.open()
        pumps = [asyncio.create_task(desk.speaker.pump()), asyncio.create_task(desk.playout.run())]
        desk.exchange.caller_said("Where are my orders?")
        desk.replies.answer()
        await until(lambda: desk.record.tools)
        desk.replies.interrupt()
        desk.exchange.caller_said("Never mind.")
        desk.replies.answer()
        await until(lambda: desk.happened)
        results = [b["toolResult"] for b in emulator.seen[1].body["messages"][-1]["content"] if "toolResult" in b]
        assert [(r["toolUseId"], r["status"]) for r in results] == [("t0", "success"), ("t1", "error")]
        assert "may or may not have taken effect" in results[1]["content"][0]["text"]
        for task in pumps:
            task.cancel()
        await asyncio.wait(pumps)
        await model.close()
