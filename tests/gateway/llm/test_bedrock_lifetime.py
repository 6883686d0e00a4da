"""Turns of the real boto3 client that are cancelled, closed, slow, many or not to be had."""

import asyncio
import time
from contextlib import aclosing

import pytest

from gateway.llm.base import Deadlines, TextDelta
from gateway.llm.bedrock import BedrockEndpoint, BedrockModel
from tests.gateway.llm.asking import QUESTION, asked, eventually, refused, text_of
from tests.gateway.llm.bedrock_model import HELLO, LONG, bedrock
from tests.rig.bedrock import BedrockEmulator, Fault, Script


async def test_f69_closing_a_reply_in_flow_disconnects_and_ends_the_thread_at_once() -> None:
    async with BedrockEmulator([LONG]) as emulator:
        model = bedrock(emulator)
        async with aclosing(model.stream(QUESTION, "")) as reply:
            for _ in range(3):
                await anext(reply)
        cancelled_s = time.perf_counter()
        await eventually(lambda: emulator.seen[0].disconnected_s is not None and model.threads == 0)
        assert time.perf_counter() - cancelled_s < 0.5
        await model.close()


async def test_f69_closing_a_stalled_reply_disconnects_long_before_the_read_timeout() -> None:
    stalled = Script(("One ", "two"), fault=Fault("stall", after=1))
    async with BedrockEmulator([stalled]) as emulator:
        model = bedrock(emulator, deadlines=Deadlines(read_s=30.0))
        async with aclosing(model.stream(QUESTION, "")) as reply:
            await anext(reply)
        await eventually(lambda: emulator.seen[0].disconnected_s is not None and model.threads == 0)
        await model.close()


async def test_f69_cancelling_the_task_that_reads_abandons_the_reply() -> None:
    async with BedrockEmulator([Script(("late",), first_s=60.0)]) as emulator:
        model = bedrock(emulator)
        task = asyncio.create_task(asked(model))
        await eventually(lambda: len(emulator.seen) == 1)
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])
        await eventually(lambda: emulator.seen[0].disconnected_s is not None and model.threads == 0)
        await model.close()


async def test_a_turn_cancelled_before_the_response_begins_drains_within_the_read_timeout() -> None:
    async with BedrockEmulator([Script(("late",), headers_s=60.0), HELLO]) as emulator:
        model = bedrock(emulator, deadlines=Deadlines(read_s=0.4, first_token_s=0.1))
        assert (await refused(model)).code == "first_token_timeout"
        assert model.threads == 1
        await eventually(lambda: model.threads == 0, within_s=1.0)
        await model.close()


async def test_a_draining_turn_counts_and_a_turn_too_many_is_refused_as_busy() -> None:
    async with BedrockEmulator([Script(("late",), headers_s=60.0)]) as emulator:
        model = bedrock(emulator, deadlines=Deadlines(read_s=0.6, first_token_s=0.1, retry_pause_s=0.02), max_turns=1)
        assert (await refused(model)).code == "first_token_timeout"
        error = await refused(model)
        assert (error.code, error.retryable) == ("busy", True)
        await eventually(lambda: model.threads == 0, within_s=2.0)
        await model.close()


async def test_nothing_of_a_closed_reply_is_delivered_to_the_next() -> None:
    async with BedrockEmulator([LONG, HELLO]) as emulator:
        model = bedrock(emulator)
        async with aclosing(model.stream(QUESTION, "")) as reply:
            await anext(reply)
        events, _ = await asked(model)
        assert text_of(events) == "Hello there."
        await model.close()


async def test_many_turns_at_once_keep_their_replies_apart() -> None:
    scripts = [Script((f"{n} ", f"{n}"), gap_s=0.01) for n in range(20)]
    async with BedrockEmulator(scripts) as emulator:
        model = bedrock(emulator, max_turns=20)
        replies = await asyncio.gather(*(asked(model) for _ in range(20)))
        texts = sorted(text_of(events) for events, _ in replies)
        assert texts == sorted(f"{n} {n}" for n in range(20))
        await model.close()


async def test_a_slow_reader_loses_nothing() -> None:
    pieces = tuple(f"{n} " for n in range(1500))
    async with BedrockEmulator([Script(pieces)]) as emulator:
        model = bedrock(emulator)
        text = ""
        async for event in model.stream(QUESTION, ""):
            if isinstance(event, TextDelta):
                text += event.text
                if event.text == "0 ":
                    await asyncio.sleep(0.3)
        assert text == "".join(pieces)
        await model.close()


async def test_close_ends_every_turn_and_refuses_new_ones() -> None:
    async with BedrockEmulator([LONG]) as emulator:
        model = bedrock(emulator)
        reply = model.stream(QUESTION, "")
        await anext(reply)
        await model.close()
        assert model.threads == 0
        await reply.aclose()
        assert (await refused(model)).code == "closed"
        assert not await model.ready()
        await model.close()


async def test_it_is_ready_when_credentials_and_region_resolve() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        model = bedrock(emulator)
        assert await model.ready()
        assert emulator.seen == []
        await model.close()


@pytest.fixture
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "no-such-file")


@pytest.mark.usefixtures("_no_credentials")
async def test_it_is_not_ready_without_credentials_and_says_so_when_asked() -> None:
    model = BedrockModel("m", BedrockEndpoint("us-east-1", "http://127.0.0.1:9"))
    assert not await model.ready()
    assert (await refused(model)).code == "credentials"
    await model.close()


@pytest.mark.usefixtures("_no_credentials")
async def test_it_is_not_ready_without_a_region() -> None:
    model = BedrockModel("m", BedrockEndpoint())
    assert not await model.ready()
    assert (await refused(model)).code == "misconfigured"
    await model.close()


@pytest.mark.usefixtures("_no_credentials")
async def test_a_bearer_token_makes_it_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "token")
    model = BedrockModel("m", BedrockEndpoint("us-east-1"))
    assert await model.ready()
    await model.close()
