import asyncio
import json
import time
from contextlib import aclosing

import pytest

from gateway.llm.base import Completed, Deadlines, Inference, LanguageModel, TextDelta, ToolCall
from gateway.llm.openai_compatible import MAX_BODY_BYTES, ChatServer, OpenAiCompatibleModel
from tests.gateway.llm.asking import QUESTION, asked, eventually, refused, text_of
from tests.rig.openai import ChatEmulator, ChatScript, chunk, said

PATIENT = Deadlines(retry_pause_s=0.02)
HELLO = ChatScript(said("Hello ", "there."))
LONG = ChatScript([chunk({"content": f"word{n} "}) for n in range(300)], gap_s=0.02)


def chat(
    emulator: ChatEmulator,
    *,
    inference: Inference | None = None,
    deadlines: Deadlines | None = None,
    max_turns: int = 8,
) -> OpenAiCompatibleModel:
    return OpenAiCompatibleModel(
        ChatServer(emulator.url, "tiny", "k-123", max_turns=max_turns), inference, deadlines or PATIENT
    )


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


async def test_a_kept_connection_that_the_server_closed_costs_no_pause() -> None:
    async with ChatEmulator([HELLO, ChatScript(cut=True), HELLO]) as emulator:
        model = chat(emulator, deadlines=Deadlines(retry_pause_s=60.0))
        for _ in range(2):
            events, error = await asked(model)
            assert error is None
            assert text_of(events) == "Hello there."
        await model.close()


async def test_a_server_that_closes_every_connection_is_said() -> None:
    async with ChatEmulator([ChatScript(cut=True)]) as emulator:
        model = chat(emulator)
        assert (await refused(model)).code == "connection_lost"
        await model.close()


async def test_a_body_without_end_is_not_read_whole() -> None:
    script = ChatScript(body="x" * 2 * MAX_BODY_BYTES, content_type="application/json")
    async with ChatEmulator([script]) as emulator:
        model = chat(emulator)
        assert (await refused(model)).code == "corrupt_stream"
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


REFUSALS = [
    (429, "throttled", 2),
    (503, "unavailable", 2),
    (401, "access_denied", 1),
    (404, "model_not_found", 1),
    (400, "invalid_request", 1),
]


@pytest.mark.parametrize(("status", "code", "requests"), REFUSALS)
async def test_f59_a_refusal_has_a_code_and_is_retried_once_when_that_may_help(
    status: int, code: str, requests: int
) -> None:
    script = ChatScript(status=status, body=json.dumps({"error": {"message": "no"}}), content_type="application/json")
    async with ChatEmulator([script]) as emulator:
        model = chat(emulator)
        assert (await refused(model)).code == code
        assert len(emulator.seen) == requests
        await model.close()


@pytest.mark.parametrize("body", ["<html>bad gateway</html>", "[1]", '{"detail": "x"}', '{"message": "x"}'])
async def test_a_refusal_in_any_form_is_understood(body: str) -> None:
    async with ChatEmulator([ChatScript(status=502, body=body, content_type="text/html")]) as emulator:
        model = chat(emulator)
        assert (await refused(model)).code == "server_error"
        await model.close()


FAULTS = [
    (ChatScript([], "abort"), "connection_lost"),
    (ChatScript([], "stall"), "stalled"),
    (ChatScript([]), "incomplete"),
    (ChatScript(["{"]), "corrupt_stream"),
    (ChatScript(['{"error": {"type": "overloaded_error", "message": "busy"}}']), "unavailable"),
]


@pytest.mark.parametrize(("script", "code"), FAULTS, ids=[c for _, c in FAULTS])
async def test_f59_a_fault_before_any_text_is_hidden_by_the_retry(script: ChatScript, code: str) -> None:
    async with ChatEmulator([script, HELLO]) as emulator:
        model = chat(emulator, deadlines=Deadlines(read_s=0.15, retry_pause_s=0.02))
        events, error = await asked(model)
        assert error is None
        assert text_of(events) == "Hello there."
        await model.close()


@pytest.mark.parametrize(("script", "code"), FAULTS, ids=[c for _, c in FAULTS])
async def test_f59_a_fault_after_text_is_reported_and_never_retried(script: ChatScript, code: str) -> None:
    late = ChatScript([chunk({"content": "One "}), chunk({"content": "two"}), *script.chunks], script.then)
    async with ChatEmulator([late, HELLO]) as emulator:
        model = chat(emulator, deadlines=Deadlines(read_s=0.15, retry_pause_s=0.02))
        events, error = await asked(model)
        assert text_of(events) == "One two"
        assert error is not None
        assert (error.code, error.retryable) == (code, False)
        assert len(emulator.seen) == 1
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


async def test_a_server_that_is_not_there_is_said() -> None:
    async with ChatEmulator([HELLO]) as emulator:
        pass  # its port is free again
    model = chat(emulator)
    assert (await refused(model)).code == "connect_failed"
    assert not await model.ready()
    await model.close()


@pytest.mark.parametrize("url", ["no url at all", "ftp://x/v1"])
async def test_a_wrong_address_is_the_operators_mistake(url: str) -> None:
    model = OpenAiCompatibleModel(ChatServer(url, "tiny"))
    assert (await refused(model)).code == "misconfigured"
    assert not await model.ready()
    await model.close()


async def test_a_model_that_says_nothing_is_given_up_at_the_first_token_deadline() -> None:
    async with ChatEmulator([ChatScript(said("late"), first_s=60.0)]) as emulator:
        model = chat(emulator, deadlines=Deadlines(first_token_s=0.1))
        assert (await refused(model)).code == "first_token_timeout"
        await eventually(lambda: emulator.seen[0].disconnected_s is not None)
        await model.close()


async def test_f69_closing_a_reply_disconnects_at_once() -> None:
    async with ChatEmulator([LONG]) as emulator:
        model = chat(emulator)
        async with aclosing(model.stream(QUESTION, "")) as reply:
            for _ in range(3):
                await anext(reply)
        cancelled_s = time.perf_counter()
        await eventually(lambda: emulator.seen[0].disconnected_s is not None)
        assert time.perf_counter() - cancelled_s < 0.5
        await model.close()


async def test_f69_cancelling_the_task_that_reads_disconnects_a_silent_server() -> None:
    async with ChatEmulator([ChatScript(said("late"), first_s=60.0)]) as emulator:
        model = chat(emulator)
        task = asyncio.create_task(asked(model))
        await eventually(lambda: len(emulator.seen) == 1)
        task.cancel()
        await asyncio.wait([task])
        await eventually(lambda: emulator.seen[0].disconnected_s is not None)
        await model.close()


async def test_a_turn_too_many_is_refused_as_busy() -> None:
    async with ChatEmulator([LONG]) as emulator:
        model = chat(emulator, max_turns=1)
        async with aclosing(model.stream(QUESTION, "")) as reply:
            await anext(reply)
            assert (await refused(model)).code == "busy"
        events = model.stream(QUESTION, "")
        assert await anext(events) == TextDelta("word0 ")
        await events.aclose()
        await model.close()


async def test_close_ends_every_turn_and_refuses_new_ones() -> None:
    async with ChatEmulator([LONG]) as emulator:
        model = chat(emulator)
        reply = model.stream(QUESTION, "")
        await anext(reply)
        await model.close()
        await eventually(lambda: emulator.seen[0].disconnected_s is not None)
        await reply.aclose()
        assert (await refused(model)).code == "closed"
        assert not await model.ready()
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
