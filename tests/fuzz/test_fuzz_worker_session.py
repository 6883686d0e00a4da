"""Random input to a worker's session is accepted or answered with a documented error, and nothing else."""

import asyncio
import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from media.tts_wire import ErrorCode, Type
from tests.rig.clock import run_leaping
from tests.rig.speech_pair import InlineSpeakers, worker_session
from tts_worker.outbox import Close, Frame

# `make fuzz` asks for more; the default keeps the unmarked suite quick.
FEW = int(os.environ.get("FUZZ_EXAMPLES", "150"))
CODES = {code.value for code in ErrorCode}

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.just("af_heart"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)
KINDS = st.sampled_from([*Type, "sing", None])
FIELDS = st.sampled_from(["text", "voice", "language", "speed", "sample_rate", "request_id", "protocol", "framing"])
PLAUSIBLE = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["synthesize", "session", "cancel"]),
        "text": st.text(max_size=60),
        "request_id": st.sampled_from(["a", "b", 1, None]),
        "framing": st.sampled_from(["raw", "tagged"]),
        "sample_rate": st.sampled_from([8_000, 16_000, 24_000]),
        "voice": st.sampled_from(["low", "high"]),
    },
)
WILD = st.builds(lambda kind, rest: {"type": kind, **rest}, KINDS, st.dictionaries(FIELDS, VALUES, max_size=4))
CONTROLS = (PLAUSIBLE | WILD).map(json.dumps)
FRAMES = CONTROLS | CONTROLS.map(str.encode) | st.text(max_size=40) | st.binary(max_size=40)
SCRIPT = st.lists(st.tuples(FRAMES, st.sampled_from([0.0, 0.05, 0.5])), max_size=15)


def check(frame: Frame, open_requests: dict[int, str]) -> None:
    """Fail unless the frame is allowed by the protocol at this moment."""
    if isinstance(frame.data, bytes):
        assert frame.number in open_requests
        assert frame.audio_s > 0
        return
    said: dict[str, Any] = json.loads(frame.data)
    number: int = said.get("number", 0)
    if said["type"] == "error":
        assert said["code"] in CODES
        assert said["message"]
        open_requests.pop(number, None)
    elif said["type"] == "synthesis_start":
        assert open_requests == {}, "one request at a time"
        open_requests[number] = said["request_id"]
    elif said["type"] == "words":
        assert number in open_requests
    elif said["type"] == "synthesis_complete":
        assert open_requests.pop(number) == said["request_id"]
    elif said["type"] == "cancelled":
        open_requests.pop(number, None)
    else:
        assert said["type"] == "session"


@pytest.mark.fuzz
@settings(max_examples=FEW, deadline=None)
@given(SCRIPT)
def test_any_frames_are_taken_or_refused_by_the_protocol(script: list[tuple[str | bytes, float]]) -> None:
    async def call() -> None:
        session = worker_session(InlineSpeakers(piece_s=0.1))
        open_requests: dict[int, str] = {}
        for frame, wait_s in script:
            session.receive(frame)
            await asyncio.sleep(wait_s)
            if wait_s:
                while isinstance(said := session.take(), Frame):
                    check(said, open_requests)
        await asyncio.sleep(600.0)
        for _ in range(20):
            while isinstance(said := session.take(), Frame):
                check(said, open_requests)
            await asyncio.sleep(60.0)
        assert open_requests == {}
        assert said is None or isinstance(said, Close)
        session.end()

    run_leaping(call())
