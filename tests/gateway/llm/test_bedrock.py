"""The real boto3 client against the emulator of ConverseStream."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from gateway.errors import LlmError
from gateway.llm.base import Completed, Deadlines, Inference, LanguageModel, Message, TextDelta, ToolCall
from gateway.llm.bedrock import BedrockEndpoint, BedrockModel
from gateway.llm.converse import BedrockExtras, Guardrail
from gateway.llm.history import History
from gateway.llm.tool_arguments import MAX_ARGUMENTS_CHARS
from tests.gateway.llm.asking import QUESTION, asked, dummy_session, eventually, refused, text_of
from tests.rig.bedrock import BedrockEmulator, Fault, Script, ToolUse

PATIENT = Deadlines(retry_pause_s=0.02)
HELLO = Script(("Hello ", "there."))
LONG = Script(tuple(f"word{n} " for n in range(300)), gap_s=0.02)


@pytest.fixture(autouse=True)
def _own_credentials_only(monkeypatch: pytest.MonkeyPatch) -> None:
    # A bearer token would win over the session's keys, and the SDK refuses to send it over plain http.
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(autouse=True)
def _no_thread_stays() -> Iterator[None]:
    yield
    deadline_s = time.monotonic() + 1.0
    while (left := turn_threads()) and time.monotonic() < deadline_s:
        time.sleep(0.005)
    assert left == 0, "a turn's thread is still alive"


def turn_threads() -> int:
    return sum(t.name.startswith("bedrock-turn") for t in threading.enumerate())


def bedrock(
    emulator: BedrockEmulator,
    *,
    inference: Inference | None = None,
    extras: BedrockExtras | None = None,
    deadlines: Deadlines | None = None,
    max_turns: int = 8,
) -> BedrockModel:
    endpoint = BedrockEndpoint("us-east-1", emulator.url, max_turns)
    return BedrockModel("vendor.model-v1:0", endpoint, inference, extras, deadlines or PATIENT, dummy_session())


async def test_a_reply_streams_with_its_counts() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        model: LanguageModel = bedrock(emulator)
        events, error = await asked(model)
        assert error is None
        assert events[:2] == [TextDelta("Hello "), TextDelta("there.")]
        assert isinstance(events[2], Completed)
        assert (events[2].reason, events[2].output_tokens) == ("end_turn", 2)
        await model.close()


async def test_the_request_carries_what_is_configured_and_nothing_else() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        plain = bedrock(emulator)
        await asked(plain)
        assert emulator.seen[0].model_id == "vendor.model-v1:0"
        assert emulator.seen[0].body.keys() == {"messages", "system", "toolConfig"}
        full = bedrock(
            emulator,
            inference=Inference(200, 0.3, stop_sequences=("END",)),
            extras=BedrockExtras({"thinking": {"type": "disabled"}}, Guardrail("g1", "1"), "optimized", "priority"),
        )
        await asked(full)
        body = emulator.seen[1].body
        assert body["inferenceConfig"] == {"maxTokens": 200, "temperature": 0.3, "stopSequences": ["END"]}
        assert body["additionalModelRequestFields"] == {"thinking": {"type": "disabled"}}
        assert body["guardrailConfig"]["streamProcessingMode"] == "sync"
        assert body["performanceConfig"] == {"latency": "optimized"}
        assert body["serviceTier"] == {"type": "priority"}
        await plain.close()
        await full.close()


async def test_the_connection_is_used_again_by_the_next_turn() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        model = bedrock(emulator)
        for _ in range(3):
            await asked(model)
            await eventually(lambda: model.threads == 0)
        assert len({seen.peer for seen in emulator.seen}) == 1
        await model.close()


async def test_text_is_delivered_as_it_arrives() -> None:
    async with BedrockEmulator([Script(("One ", "two."), gap_s=0.3)]) as emulator:
        model = bedrock(emulator)
        async with aclosing(model.stream(QUESTION, "")) as reply:
            assert await anext(reply) == TextDelta("One ")
            assert emulator.seen[0].deltas == 1
        await model.close()


async def test_reasoning_is_never_spoken() -> None:
    async with BedrockEmulator([Script(("Yes.",), reasoning=("The caller ", "wants"))]) as emulator:
        model = bedrock(emulator)
        events, _ = await asked(model)
        assert text_of(events) == "Yes."
        await model.close()


async def test_f65_two_parallel_tool_calls_both_arrive() -> None:
    tools = (ToolUse("t1", "look_up", {"name": "Ann"}), ToolUse("t2", "look_up", {"name": "Bo"}))
    async with BedrockEmulator([Script(("One moment.",), tools)]) as emulator:
        model = bedrock(emulator)
        events, _ = await asked(model)
        assert events[1:3] == [ToolCall("t1", "look_up", {"name": "Ann"}), ToolCall("t2", "look_up", {"name": "Bo"})]
        assert isinstance(events[3], Completed)
        assert events[3].reason == "tool_use"
        await model.close()


async def test_a_tool_call_that_is_not_whole_never_runs() -> None:
    broken = Script(tools=(ToolUse("t1", "look_up", raw='{"name": "An'),), stop_reason="max_tokens")
    async with BedrockEmulator([broken]) as emulator:
        model = bedrock(emulator)
        assert (await refused(model)).code == "tool_arguments_invalid"
        await model.close()


async def test_f72_a_tool_call_of_enormous_size_is_cut_off() -> None:
    huge = ToolUse("t1", "look_up", raw='{"x": "' + "y" * 2 * MAX_ARGUMENTS_CHARS, piece_chars=4096)
    async with BedrockEmulator([Script(tools=(huge,))]) as emulator:
        model = bedrock(emulator)
        assert (await refused(model)).code == "tool_arguments_too_long"
        await model.close()


FAULTS = [
    (Fault("http", "ThrottlingException", status=429), "throttled", True),
    (Fault("http", "ServiceUnavailableException", status=503), "unavailable", True),
    (Fault("http", "AccessDeniedException", status=403), "access_denied", False),
    (Fault("http", "ResourceNotFoundException", status=404), "model_not_found", False),
    (Fault("http", "ModelTimeoutException", status=408), "model_timeout", True),
    (Fault("exception", "throttlingException"), "throttled", True),
    (Fault("exception", "modelStreamErrorException"), "server_error", True),
    (Fault("exception", "internalServerException"), "server_error", True),
    (Fault("exception", "validationException"), "invalid_request", False),
    (Fault("abort"), "connection_lost", True),
    (Fault("bad_crc"), "corrupt_stream", True),
    (Fault("no_stop"), "incomplete", True),
    (Fault("stall"), "stalled", True),
]


@pytest.mark.parametrize(("fault", "code", "retryable"), FAULTS, ids=[f"{f.kind} {f.name}" for f, _, _ in FAULTS])
async def test_f59_a_fault_before_any_text_is_retried_once_when_that_may_help(
    fault: Fault, code: str, retryable: bool
) -> None:
    broken = Script(("never",), fault=fault)
    async with BedrockEmulator([broken, broken]) as emulator:
        model = bedrock(emulator, deadlines=Deadlines(read_s=0.15, retry_pause_s=0.02))
        error = await refused(model)
        assert (error.code, error.retryable) == (code, retryable)
        assert len(emulator.seen) == (2 if retryable else 1)
        await model.close()


async def test_f59_a_throttle_in_the_stream_before_any_text_is_hidden_by_the_retry() -> None:
    throttled = Script(("never",), fault=Fault("exception", "throttlingException"))
    async with BedrockEmulator([throttled, HELLO]) as emulator:
        model = bedrock(emulator)
        events, error = await asked(model)
        assert error is None
        assert text_of(events) == "Hello there."
        await model.close()


IN_THE_STREAM = [f for f in FAULTS if f[0].kind != "http"]


@pytest.mark.parametrize(
    ("fault", "code"), [(f, c) for f, c, _ in IN_THE_STREAM], ids=[f"{f.kind} {f.name}" for f, _, _ in IN_THE_STREAM]
)
async def test_f59_a_fault_after_text_is_reported_and_never_retried(fault: Fault, code: str) -> None:
    late = Fault(fault.kind, fault.name, after=3)
    async with BedrockEmulator([Script(("One ", "two ", "three ", "four"), fault=late), HELLO]) as emulator:
        model = bedrock(emulator, deadlines=Deadlines(read_s=0.15, retry_pause_s=0.02))
        events, error = await asked(model)
        assert text_of(events) == "One two three "
        assert error is not None
        assert (error.code, error.retryable) == (code, False)
        assert len(emulator.seen) == 1
        await model.close()


@pytest.mark.parametrize("kind", ["no_metadata", "late_metadata"])
async def test_a_reply_without_metadata_still_completes_soon(kind: str) -> None:
    fault = Fault("no_metadata" if kind == "no_metadata" else "late_metadata", after=2)
    async with BedrockEmulator([Script(HELLO.text, fault=fault)]) as emulator:
        model = bedrock(emulator)
        events, error = await asked(model)
        assert error is None
        assert events[-1] == Completed("end_turn")
        await model.close()


async def test_a_server_that_is_not_there_is_said_within_the_deadline() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        pass  # its port is free again
    model = bedrock(emulator)
    assert (await refused(model)).code == "connect_failed"
    await model.close()


async def test_f70_a_refused_temperature_is_left_out_and_never_sent_again() -> None:
    async with BedrockEmulator([HELLO], refused_fields=["temperature"]) as emulator:
        model = bedrock(emulator, inference=Inference(max_tokens=50, temperature=0.5, top_p=0.9))
        for _ in range(2):
            events, error = await asked(model)
            assert error is None
            assert text_of(events) == "Hello there."
        sent = [seen.body["inferenceConfig"] for seen in emulator.seen]
        without = {"maxTokens": 50, "topP": 0.9}
        assert sent == [{**without, "temperature": 0.5}, without, without]
        await model.close()


async def test_f70_two_refused_fields_are_both_left_out() -> None:
    async with BedrockEmulator([HELLO], refused_fields=["temperature", "topP"]) as emulator:
        model = bedrock(emulator, inference=Inference(temperature=0.5, top_p=0.9))
        _, error = await asked(model)
        assert error is None
        assert "inferenceConfig" not in emulator.seen[-1].body
        await model.close()


async def test_f60_a_blank_assistant_turn_never_reaches_the_service() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        model = bedrock(emulator)
        conversation = [Message("user", "Hi"), Message("assistant", "\n\n"), Message("user", "Hello?")]
        assert [e async for e in model.stream(conversation, "")]
        assert emulator.seen[0].body["messages"] == [{"role": "user", "content": [{"text": "Hi\nHello?"}]}]
        await model.close()


async def test_f62_a_conversation_that_begins_with_a_greeting_is_accepted() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        model = bedrock(emulator)
        history = History()
        history.begin_reply()
        history.heard("Welcome.")
        history.caller_said("Hi.")
        assert [e async for e in model.stream(history.request(), "")]
        await model.close()


async def test_f64_the_turn_after_a_cancelled_tool_is_accepted() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        model = bedrock(emulator)
        history = History()
        history.caller_said("Find me.")
        history.begin_reply()
        history.call_tools([ToolCall("t1", "look_up", {}), ToolCall("t2", "look_up", {})])
        history.heard("")
        history.caller_said("Never mind.")
        assert [e async for e in model.stream(history.request(), "")]
        await model.close()


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


async def test_an_error_that_quotes_the_caller_is_withheld() -> None:
    quoting = Fault("http", "ValidationException", "cannot read: what time is it?", 400)
    async with BedrockEmulator([Script(fault=quoting)]) as emulator:
        model = bedrock(emulator)
        error = await refused(model)
        assert isinstance(error, LlmError)
        assert "time" not in str(error)
        await model.close()
