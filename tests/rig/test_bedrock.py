"""The emulator is only worth what it refuses and what the real SDK reads from it."""

from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, EventStreamError

from tests.rig.bedrock import BedrockEmulator, Fault, Script, ToolUse, bedrock_in_thread
from tests.rig.bedrock_rules import ALTERNATES, ENDS, NO_TOOL_CONFIG, STARTS, refusal
from tests.rig.event_stream import encode_message

USER = {"role": "user", "content": [{"text": "Hi"}]}
BOT = {"role": "assistant", "content": [{"text": "Hello"}]}
TOOLS = {"tools": [{"toolSpec": {"name": "look_up", "inputSchema": {"json": {}}}}]}


def use(*ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"toolUse": {"toolUseId": i, "name": "x", "input": {}}} for i in ids]}


def result(*ids: str, text: str = "done") -> dict[str, Any]:
    return {"role": "user", "content": [{"toolResult": {"toolUseId": i, "content": [{"text": text}]}} for i in ids]}


def test_a_message_is_framed_as_the_test_vector_says() -> None:
    headers = {":event-type": "contentBlockDelta", ":content-type": "application/json", ":message-type": "event"}
    frame = encode_message(headers, b'{"contentBlockIndex":0,"delta":{"text":"Hi"}}')
    assert len(frame) == 148
    assert frame[:12].hex() == "0000009400000057b4ab9aee"
    assert frame[-4:].hex() == "1f944657"


@pytest.mark.parametrize(
    "messages", [[USER], [USER, BOT, USER], [USER, use("a", "b"), result("a", "b")]], ids=["one", "three", "tools"]
)
def test_a_conversation_that_obeys_is_accepted(messages: list[dict[str, Any]]) -> None:
    assert refusal({"messages": messages, "toolConfig": TOOLS}) is None


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], STARTS),
        ([BOT, USER], STARTS),
        ([USER, USER], ALTERNATES),
        ([USER, BOT], ENDS),
        ([{"role": "user", "content": []}], "messages.0 is empty"),
        ([{"role": "user", "content": [{"text": "\n"}]}], "messages.0.content.0 is blank"),
        ([USER, use("a"), result("a", text="")], "toolResult.content.0 is blank"),
        ([USER, use("a"), result("a", "b")], "exceeds the number of toolUse blocks"),
        ([USER, use("a", "b"), result("a")], "following Ids: b"),
        ([USER, use("a", "b"), result("b", "a")], "out of order"),
        ([USER, use("a", "a"), result("a", "a")], "must be unique"),
    ],
)
def test_a_conversation_that_breaks_a_rule_is_refused_in_the_services_words(
    messages: list[dict[str, Any]], words: str
) -> None:
    assert words in (refusal({"messages": messages, "toolConfig": TOOLS}) or "")


def test_tools_without_a_configuration_and_a_blank_system_prompt_are_refused() -> None:
    assert refusal({"messages": [USER, use("a"), result("a")]}) == NO_TOOL_CONFIG
    assert refusal({"messages": [USER], "system": [{"text": ""}]})


def client(emulator: BedrockEmulator) -> Any:
    session = boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name="us-east-1")
    return session.client("bedrock-runtime", endpoint_url=emulator.url)


@pytest.fixture(autouse=True)
def _no_bearer_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)


def test_the_sdk_reads_a_whole_reply() -> None:
    script = Script(("Hi ", "there"), (ToolUse("a", "look_up", {"n": 1}),), ("hmm",))
    with bedrock_in_thread([script]) as emulator:
        events = list(client(emulator).converse_stream(modelId="a.b:0/c", messages=[USER])["stream"])
    assert emulator.seen[0].model_id == "a.b:0/c"
    assert emulator.seen[0].finished
    assert [next(iter(e)) for e in events][-2:] == ["messageStop", "metadata"]
    assert all("p" not in e.get("contentBlockDelta", {}) for e in events)


def test_the_sdk_reads_errors_of_both_kinds() -> None:
    scripts = [
        Script(("x",), fault=Fault("exception", "throttlingException")),
        Script(fault=Fault("http", "AccessDeniedException", status=403)),
    ]
    with bedrock_in_thread(scripts) as emulator:
        bedrock = client(emulator)
        with pytest.raises(EventStreamError, match="throttlingException"):
            list(bedrock.converse_stream(modelId="m", messages=[USER])["stream"])
        with pytest.raises(ClientError, match="AccessDeniedException"):
            bedrock.converse_stream(modelId="m", messages=[USER])


def test_a_refused_request_uses_up_no_script() -> None:
    with bedrock_in_thread([Script(("first",)), Script(("second",))]) as emulator:
        bedrock = client(emulator)
        with pytest.raises(ClientError, match="must start with a user message"):
            bedrock.converse_stream(modelId="m", messages=[BOT])
        events = list(bedrock.converse_stream(modelId="m", messages=[USER])["stream"])
    assert {"text": "first"} in [e["contentBlockDelta"]["delta"] for e in events if "contentBlockDelta" in e]
