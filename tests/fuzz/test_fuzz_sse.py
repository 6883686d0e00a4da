"""Random input to the readers of model streams is accepted or refused with an LlmError, nothing else."""

import contextlib
import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import LlmError
from gateway.llm.chat import ChatParser
from gateway.llm.sse import SseDecoder

pytestmark = pytest.mark.fuzz

EXAMPLES = int(os.environ.get("VOICEBOT_FUZZ_EXAMPLES", "500"))

_CHUNK = ["choices", "delta", "message", "content", "tool_calls", "finish_reason", "usage", "error", "code", "type"]
_INSIDE = ["function", "name", "arguments", "index", "id", "prompt_tokens", "completion_tokens", "text"]
KEYS = st.sampled_from(_CHUNK + _INSIDE)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["stop", "{}"])
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))


def read(parser: ChatParser, data: str) -> None:
    with contextlib.suppress(LlmError):
        parser.feed(data)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(JSON, max_size=4))
def test_chunks_of_any_shape(chunks: list[Any]) -> None:
    parser = ChatParser()
    for chunk in chunks:
        read(parser, json.dumps(chunk))


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.dictionaries(KEYS, JSON, min_size=1), min_size=1, max_size=2))
def test_chunks_with_choices_of_any_shape(choices: list[Any]) -> None:
    read(ChatParser(), json.dumps({"choices": choices}))


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.binary(max_size=40), max_size=10))
def test_bytes_of_any_kind(pieces: list[bytes]) -> None:
    decoder, parser = SseDecoder(), ChatParser()
    events = [event for piece in pieces for event in decoder.feed(piece)] + decoder.flush()
    for event in events:
        read(parser, event)
