"""The real boto3 client against the emulator of ConverseStream: requests and replies."""

from contextlib import aclosing

from gateway.llm.base import Completed, Inference, LanguageModel, Message, TextDelta, ToolCall
from gateway.llm.converse import BedrockExtras, Guardrail
from gateway.llm.history import History
from gateway.llm.tool_arguments import MAX_ARGUMENTS_CHARS
from tests.gateway.llm.asking import QUESTION, asked, eventually, refused, text_of
from tests.gateway.llm.bedrock_model import HELLO, bedrock
from tests.rig.bedrock import BedrockEmulator, Script, ToolUse


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
