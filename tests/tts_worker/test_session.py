"""A client's session, message by message, over the inline speakers and the leaping clock."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from media.pronunciation import Pronunciation
from media.tts_wire import MAX_AUDIO_FRAME_BYTES, MAX_CONTROL_BYTES, ErrorCode, untag_audio
from tests.rig.clock import run_leaping
from tests.rig.speech_pair import InlineSpeakers, tone_of, worker_session
from tts_worker.engine import EngineError, Piece
from tts_worker.outbox import HIGH_MARK_S, Close, Frame
from tts_worker.session import CLOSE_DRAINING, CLOSE_IDLE, MAX_SESSION_REQUESTS, Session
from tts_worker.tone import ToneEngine

TAGGED = {"type": "session", "protocol": 1, "framing": "tagged"}


class Client:
    """Feeds a session and gathers what it says."""

    def __init__(self) -> None:
        self.speakers = InlineSpeakers()
        self.session: Session = worker_session(self.speakers)

    def send(self, **fields: Any) -> None:
        self.session.receive(json.dumps(fields))

    def read(self) -> list[dict[str, Any] | bytes | Close]:
        said: list[dict[str, Any] | bytes | Close] = []
        while True:
            frame = self.session.take()
            if frame is None or isinstance(frame, Close):
                return said if frame is None else [*said, frame]
            said.append(json.loads(frame.data) if isinstance(frame.data, str) else frame.data)

    async def hear(self, wait_s: float = 60.0) -> list[dict[str, Any] | bytes | Close]:
        await asyncio.sleep(wait_s)
        return self.read()

    def controls(self) -> list[dict[str, Any]]:
        return [said for said in self.read() if isinstance(said, dict)]


def conversation(test: Callable[[Client], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test with a client under the leaping clock."""

    def run() -> None:
        async def with_client() -> None:
            await test(Client())

        run_leaping(with_client())

    run.__name__ = test.__name__
    return run


def pcm_of(said: list[dict[str, Any] | bytes | Close]) -> bytes:
    return b"".join(frame for frame in said if isinstance(frame, bytes))


def types_of(said: list[dict[str, Any] | bytes | Close]) -> list[str]:
    """Return the order of what was said, runs of audio as one."""
    kinds = ["audio" if isinstance(s, bytes) else "close" if isinstance(s, Close) else s["type"] for s in said]
    return [kind for n, kind in enumerate(kinds) if kind != "audio" or n == 0 or kinds[n - 1] != "audio"]


@conversation
async def test_raw_audio_comes_bare_between_start_and_complete(client: Client) -> None:
    client.send(text="Hello there.", request_id="a")
    said = await client.hear()
    assert types_of(said) == ["synthesis_start", "words", "audio", "synthesis_complete"]
    assert pcm_of(said) == tone_of("Hello there.")
    assert said[0] == {"type": "synthesis_start", "request_id": "a", "number": 1, "sample_rate": 24_000}
    assert said[-1] == {
        "type": "synthesis_complete",
        "request_id": "a",
        "number": 1,
        "samples": 17_280,
        "duration_s": 0.72,
        "total_duration_s": 0.72,
        "elapsed_s": 0.1,
    }


@conversation
async def test_tagged_audio_names_its_request(client: Client) -> None:
    client.send(**TAGGED)
    client.send(text="One.")
    client.send(text="Two.")
    said = await client.hear()
    assert said[0] == {
        "type": "session",
        "protocol": 1,
        "framing": "tagged",
        "sample_rate": 24_000,
        "voice": "af_heart",
        "encoding": "pcm",
    }
    frames = [untag_audio(frame) for frame in said if isinstance(frame, bytes)]
    for number, text in ((1, "One."), (2, "Two.")):
        assert b"".join(pcm for tag, pcm in frames if tag == number) == tone_of(text)


@conversation
async def test_binary_control_frames_are_as_good_as_text(client: Client) -> None:
    client.session.receive(json.dumps({"text": "Grüße.", "request_id": 7}).encode())
    said = await client.hear()
    assert pcm_of(said) == tone_of("Grüße.")
    assert isinstance(said[0], dict)
    assert said[0]["request_id"] == 7


@conversation
async def test_requests_are_answered_one_at_a_time_in_order(client: Client) -> None:
    for n in range(5):
        client.send(text=f"Sentence {n}.", request_id=n)
    said = await client.hear()
    ends = [(s["type"], s["request_id"]) for s in said if isinstance(s, dict) and s["type"].startswith("synthesis")]
    assert ends == [(kind, n) for n in range(5) for kind in ("synthesis_start", "synthesis_complete")]


@conversation
async def test_a_session_message_sets_defaults_that_a_request_may_change(client: Client) -> None:
    client.send(type="session", voice="low", sample_rate=8_000, speed=2.0)
    client.send(text="Hello there.")
    client.send(text="Hello there.", sample_rate=24_000, speed=1.0)
    completes = [s for s in await client.hear() if isinstance(s, dict) and s["type"] == "synthesis_complete"]
    assert [complete["samples"] for complete in completes] == [2_880, 17_280]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "bad_json"),
        ("[]", "bad_json"),
        (b"\xff\xfe", "bad_json"),
        (b"\x01\x00\x00\x00\x00\x00\x00\x01", "bad_json"),
        ("x" * (MAX_CONTROL_BYTES + 1), "text_too_long"),
        ("{}", "missing_text"),
        ('{"text":"a","speed":-1}', "bad_field"),
        ('{"text":"a","speed":NaN}', "bad_json"),
        ('{"text":"a","voice":"nobody"}', "unknown_voice"),
        ('{"text":"a","language":"tlh"}', "unknown_language"),
        ('{"text":"a","request_id":[]}', "bad_field"),
        ('{"text":"' + "x" * 100_000 + '"}', "text_too_long"),
        ('{"type":"sing","text":"a"}', "unknown_type"),
        ('{"type":["synthesize"],"text":"a"}', "unknown_type"),
        ('{"type":"session","protocol":2}', "unsupported_protocol"),
        ('{"type":"session","protocol":true}', "unsupported_protocol"),
        ('{"type":"session","framing":"base64"}', "bad_field"),
        ('{"type":"session","framing":{}}', "bad_field"),
        ('{"type":"session","voice":"nobody"}', "unknown_voice"),
    ],
)
def test_a_bad_message_is_answered_with_an_error_and_the_session_goes_on(message: str | bytes, code: str) -> None:
    async def call() -> None:
        client = Client()
        client.session.receive(message)
        (error,) = client.controls()
        assert (error["type"], error["code"]) == ("error", code)
        assert len(error["message"]) > 10
        client.send(text="Still here.")
        assert pcm_of(await client.hear()) == tone_of("Still here.")

    run_leaping(call())


@conversation
async def test_an_error_names_its_request(client: Client) -> None:
    client.send(text="a", voice="nobody", request_id="r9")
    assert client.controls()[0]["request_id"] == "r9"


@conversation
async def test_a_session_message_amid_requests_is_refused(client: Client) -> None:
    client.send(text="Hello.")
    client.send(**TAGGED)
    said = await client.hear()
    assert [s["code"] for s in said if isinstance(s, dict) and s["type"] == "error"] == ["bad_field"]
    assert pcm_of(said) == tone_of("Hello.")
    client.send(**TAGGED)
    assert client.controls()[0]["type"] == "session"


@conversation
async def test_after_cancelled_no_audio_of_the_request_follows(client: Client) -> None:
    client.send(text="word " * 100, request_id="long")
    said = await client.hear(0.15)
    assert pcm_of(said)
    await asyncio.sleep(0.1)  # a second piece waits unread
    client.send(type="cancel", request_id="long")
    rest = await client.hear()
    assert [s for s in rest if not isinstance(s, Close)] == [
        {"type": "cancelled", "request_id": "long", "number": 1, "samples": len(pcm_of(said)) // 2}
    ]


@conversation
async def test_a_cancel_without_an_id_ends_everything_and_each_request_is_told(client: Client) -> None:
    for n in range(4):
        client.send(text=f"Sentence {n}.", request_id=n)
    await asyncio.sleep(0.05)
    client.send(type="cancel")
    said = await client.hear()
    assert [(s["type"], s["request_id"]) for s in said if isinstance(s, dict)] == [("cancelled", n) for n in range(4)]
    assert pcm_of(said) == b""
    assert client.speakers.spoken == []


@conversation
async def test_a_cancel_by_id_leaves_the_others_in_order(client: Client) -> None:
    for n in range(3):
        client.send(text=f"Sentence {n}.", request_id=n)
    client.send(type="cancel", request_id=0)
    client.send(type="cancel", request_id=1)
    said = await client.hear()
    assert types_of(said) == ["cancelled", "cancelled", "synthesis_start", "words", "audio", "synthesis_complete"]
    assert pcm_of(said) == tone_of("Sentence 2.")


@conversation
async def test_a_cancel_reaches_a_request_that_is_synthesised_but_not_sent(client: Client) -> None:
    client.send(text="Hello.", request_id="a")
    await asyncio.sleep(1.0)
    client.send(type="cancel")
    said = client.read()
    assert types_of(said) == ["cancelled"]
    assert client.session.idle_s == 0.0


@conversation
async def test_a_cancel_of_what_is_over_says_nothing(client: Client) -> None:
    client.send(text="Hello.", request_id="a")
    await client.hear()
    client.send(type="cancel", request_id="a")
    client.send(type="cancel")
    assert client.read() == []


@conversation
async def test_close_is_said_after_what_was_asked(client: Client) -> None:
    client.send(text="Hello.")
    client.send(type="close")
    client.send(text="Too late.", request_id="late")
    said = await client.hear()
    assert types_of(said) == ["synthesis_start", "error", "words", "audio", "synthesis_complete", "close"]
    assert isinstance(said[1], dict)
    assert (said[1]["code"], said[1]["request_id"]) == ("busy", "late")
    client.send(text="Much too late.")
    assert client.read() == [Close(1000, "closed by the client")]


@conversation
async def test_a_draining_worker_finishes_the_session_with_its_own_close(client: Client) -> None:
    client.send(text="Hello.")
    client.session.finish(CLOSE_DRAINING)
    client.session.finish(CLOSE_IDLE)
    said = await client.hear()
    assert pcm_of(said) == tone_of("Hello.")
    assert said[-1] == CLOSE_DRAINING


@conversation
async def test_a_session_that_is_cut_answers_each_request_and_sends_no_more_audio(client: Client) -> None:
    for text in ("word " * 100, "word " * 100, "👍"):
        client.send(text=text)
    await client.hear(0.01)
    client.session.finish(CLOSE_DRAINING)
    client.session.cut()
    said = await client.hear()
    ends = [(c.get("code"), c["request_id"]) for c in said if isinstance(c, dict) and c["type"] != "synthesis_start"]
    assert ends == [("busy", "1"), ("busy", "2"), (None, "3")]
    assert pcm_of(said) == b""
    assert said[-1] == CLOSE_DRAINING


@conversation
async def test_a_cancel_while_closing_brings_the_close_forward(client: Client) -> None:
    client.send(text="word " * 100)
    client.send(type="close")
    client.send(type="cancel")
    assert types_of(client.read())[-2:] == ["cancelled", "close"]


@conversation
async def test_text_without_speech_completes_at_once_with_no_samples(client: Client) -> None:
    """F-93."""
    client.send(text="👍", sample_rate=8_000)
    said = await client.hear(0.0)
    said += await client.hear(0.0)
    assert types_of(said) == ["synthesis_start", "synthesis_complete"]
    assert isinstance(said[-1], dict)
    assert said[-1]["samples"] == 0


@conversation
async def test_silence_queued_behind_speech_is_answered_in_its_turn(client: Client) -> None:
    client.send(text="Hello.", request_id=1)
    client.send(text="…", request_id=2)
    said = await client.hear()
    assert [s["request_id"] for s in said if isinstance(s, dict) and s["type"] == "synthesis_complete"] == [1, 2]


class Refusing(ToneEngine):
    """Cannot plan the text "no"."""

    def plan(
        self,
        text: str,
        voice: str,
        language: str,
        speed: float,
        *,
        early: bool = True,
        pronunciations: Sequence[Pronunciation] = (),
    ) -> list[Piece]:
        if text == "no":
            raise EngineError(ErrorCode.ENGINE_FAILED, "try again")
        return super().plan(text, voice, language, speed)


@conversation
async def test_what_the_engine_cannot_plan_is_an_error_in_its_turn(client: Client) -> None:
    client.session = worker_session(InlineSpeakers(engine=Refusing()))
    for n, text in enumerate(("Hello.", "no", "Fine.")):
        client.send(text=text, request_id=n)
    said = await client.hear()
    ends = [s for s in said if isinstance(s, dict) and s["type"] in ("synthesis_complete", "error")]
    assert [(s["type"], s["request_id"]) for s in ends] == [
        ("synthesis_complete", 0),
        ("error", 1),
        ("synthesis_complete", 2),
    ]


@conversation
async def test_too_many_waiting_requests_are_refused_as_busy(client: Client) -> None:
    for n in range(MAX_SESSION_REQUESTS + 1):
        client.send(text="Hi.", request_id=n)
    errors = [s for s in client.controls() if s["type"] == "error"]
    assert [(e["code"], e["request_id"]) for e in errors] == [("busy", MAX_SESSION_REQUESTS)]


@conversation
async def test_a_full_worker_refuses_as_busy_and_the_numbers_stay_in_step(client: Client) -> None:
    client.speakers.is_full = True
    client.send(text="Hi.", request_id="a")
    client.speakers.is_full = False
    client.send(text="Hi.", request_id="b")
    said = await client.hear()
    assert [(s["type"], s.get("number")) for s in said if isinstance(s, dict)][:2] == [
        ("error", None),
        ("synthesis_start", 1),
    ]


@conversation
async def test_a_client_that_does_not_read_holds_its_engine_and_reading_releases_it(client: Client) -> None:
    client.send(text="word " * 900)
    await asyncio.sleep(60.0)
    assert client.speakers.held
    queued = len(client.speakers.spoken)
    assert queued * 7 < 2 * HIGH_MARK_S
    said = client.read()
    assert not client.speakers.held
    for _ in range(100):
        said += await client.hear(1.0)
    assert pcm_of(said) == tone_of("word " * 900)


@conversation
async def test_a_session_that_ends_cancels_its_requests_and_is_not_held(client: Client) -> None:
    client.send(text="word " * 900)
    await asyncio.sleep(60.0)
    client.session.end()
    client.session.end()
    spoken = len(client.speakers.spoken)
    await asyncio.sleep(60.0)
    assert len(client.speakers.spoken) == spoken
    assert not client.speakers.held
    assert [type(s) for s in client.read()] == [Close]


@conversation
async def test_a_session_is_idle_only_while_nothing_is_owed(client: Client) -> None:
    await asyncio.sleep(5.0)
    assert client.session.idle_s == 5.0
    client.send(text="Hello.")
    await asyncio.sleep(5.0)
    assert client.session.idle_s == 0.0
    client.read()
    await asyncio.sleep(3.0)
    assert client.session.idle_s == 3.0


@conversation
async def test_no_frame_is_larger_than_the_wire_allows(client: Client) -> None:
    client.send(**TAGGED)
    client.send(text="a b c d e f " * 300)
    largest = 0
    for _ in range(200):
        await asyncio.sleep(1.0)
        while isinstance(frame := client.session.take(), Frame):
            largest = max(largest, len(frame.data))
    assert 30_000 < largest <= MAX_AUDIO_FRAME_BYTES


@conversation
async def test_bad_pronunciations_are_refused_and_good_ones_spoken(client: Client) -> None:
    client.send(text="Hi Ann", pronunciations=[{"start_char": 3, "end_char": 6, "ipa": "ǁ"}], request_id="1")
    client.send(text="Hi Ann", pronunciations=[{"start_char": 3, "end_char": 6, "ipa": "æn"}], request_id="2")
    said = await client.hear()
    refused = next(s for s in said if isinstance(s, dict) and s["type"] == "error")
    assert (refused["code"], refused["request_id"]) == ("bad_field", "1")
    assert "U+01C1" in refused["message"]
    assert [s["request_id"] for s in said if isinstance(s, dict) and s["type"] == "synthesis_complete"] == ["2"]
