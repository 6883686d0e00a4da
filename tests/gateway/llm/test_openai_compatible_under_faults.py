"""Servers that refuse, break, stall or are not there, and turns that are given up."""

import asyncio
import json
import time
from contextlib import aclosing

import pytest

from gateway.llm.base import Deadlines, TextDelta
from gateway.llm.openai_compatible import MAX_BODY_BYTES, ChatServer, OpenAiCompatibleModel
from tests.gateway.llm.asking import QUESTION, asked, eventually, refused, text_of
from tests.gateway.llm.chat_model import HELLO, LONG, chat
from tests.rig.openai import ChatEmulator, ChatScript, chunk, said


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
