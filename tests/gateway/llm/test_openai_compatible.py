import json

import pytest

from gateway.llm.base import Completed, Inference, LanguageModel, TextDelta, ToolCall
from gateway.llm.openai_compatible import ChatServer, OpenAiCompatibleModel
from tests.gateway.llm.asking import asked, text_of
from tests.gateway.llm.chat_model import HELLO, chat
from tests.rig.openai import ChatEmulator, ChatScript, chunk, said


async def test_a_reply_streams_with_its_counts() -> None:
    async with ChatEmulator([HELLO]) as emulator:
        model: LanguageModel = chat(emulator)
        events, error = await asked(model)
        assert error is None
        assert events == [TextDelta("Hello "), TextDelta("there."), Completed("end_turn", 7, 2)]
        await model.close()


async def test_the_request_carries_model_key_settings_and_conversation() -> None:
    async with ChatEmulator([HELLO]) as emulator:
        server = ChatServer(emulator.url + "/", "tiny", "k-123", {"seed": 1, "stream_options": None})
        model = OpenAiCompatibleModel(server, Inference(max_tokens=50))
        await asked(model)
        seen = emulator.seen[0]
        assert seen.authorization == "Bearer k-123"
        assert seen.body["messages"][0] == {"role": "system", "content": "Be brief."}
        assert seen.body.keys() == {"model", "stream", "max_tokens", "seed", "messages", "tools"}
        await model.close()


async def test_without_a_key_no_authorization_is_sent() -> None:
    async with ChatEmulator([HELLO]) as emulator:
        model = OpenAiCompatibleModel(ChatServer(emulator.url, "tiny"))
        await asked(model)
        assert emulator.seen[0].authorization == ""
        await model.close()


def test_the_key_is_in_no_repr() -> None:
    assert "k-123" not in repr(ChatServer("http://127.0.0.1", "tiny", "k-123"))


async def test_the_connection_is_used_again_by_the_next_turn() -> None:
    async with ChatEmulator([HELLO]) as emulator:
        model = chat(emulator)
        for _ in range(3):
            await asked(model)
        assert len({seen.peer for seen in emulator.seen}) == 1
        await model.close()


@pytest.mark.parametrize(
    "script",
    [
        ChatScript(said("Hello ", "there."), line_end="\r\n"),
        ChatScript(said("Hello ", "there.")[:-1]),
        ChatScript(said("Hello ", "there.")[:-2]),
        ChatScript(said("Hello ", "there."), content_type="text/plain"),
        ChatScript(said("Hello ", "there."), then="stall"),
        ChatScript(said("Hello ", "there.")[:-2], then="stall"),
        ChatScript(said("Hello ", "there."), then="abort"),
    ],
    ids=[
        "crlf",
        "no done",
        "no usage",
        "odd content type",
        "stays open",
        "stays open without done",
        "aborted at the end",
    ],
)
async def test_servers_that_differ_are_understood(script: ChatScript) -> None:
    async with ChatEmulator([script]) as emulator:
        model = chat(emulator)
        events, error = await asked(model)
        assert error is None
        assert text_of(events) == "Hello there."
        assert isinstance(events[-1], Completed)
        await model.close()


async def test_a_server_that_does_not_stream_is_read_whole() -> None:
    choice = {"message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})
    async with ChatEmulator([ChatScript(body=body, content_type="application/json")]) as emulator:
        model = chat(emulator)
        events, _ = await asked(model)
        assert events == [TextDelta("Hello."), Completed("end_turn", 1, 2)]
        await model.close()


async def test_tool_calls_arrive_whole() -> None:
    call = {"index": 0, "id": "t1", "function": {"name": "look_up", "arguments": '{"name": "Ann"}'}}
    script = ChatScript([chunk({"tool_calls": [call]}), chunk({}, "tool_calls"), "[DONE]"])
    async with ChatEmulator([script]) as emulator:
        model = chat(emulator)
        events, _ = await asked(model)
        assert events == [ToolCall("t1", "look_up", {"name": "Ann"}), Completed("tool_use")]
        await model.close()


async def test_f70_a_refused_field_is_left_out_and_never_sent_again() -> None:
    body = json.dumps({"error": {"message": "Unsupported parameter: 'temperature'", "type": "invalid_request_error"}})
    async with ChatEmulator([ChatScript(status=400, body=body), HELLO]) as emulator:
        model = chat(emulator, inference=Inference(temperature=0.5))
        for _ in range(2):
            _, error = await asked(model)
            assert error is None
        assert ["temperature" in seen.body for seen in emulator.seen] == [True, False, False]
        await model.close()


@pytest.mark.parametrize(
    ("models", "health", "ready", "checks"),
    [(200, 404, True, 1), (404, 200, True, 2), (401, 200, False, 1), (404, 404, False, 2), (500, 200, False, 1)],
)
async def test_it_is_ready_when_the_server_lists_models_or_is_healthy(
    models: int, health: int, ready: bool, checks: int
) -> None:
    async with ChatEmulator([HELLO], models, health) as emulator:
        model = chat(emulator)
        assert await model.ready() is ready
        assert await model.ready() is ready
        assert emulator.checks == checks
        await model.close()
