"""Recognition by Deepgram over a real socket: words, commits, and a service that misbehaves in every way."""

import asyncio
import json

import pytest

from gateway.errors import SttError
from gateway.stt.base import Final, Partial
from gateway.stt.cloud import stream
from gateway.stt.deepgram_service import DeepgramService
from tests.gateway.stt.cloud.hearing import Said, answered, finals, listening
from tests.rig.deepgram import KEY, Deepgram, Fate, deepgram_server
from tests.rig.tones import silence, spoken, tone
from tests.rig.waiting import until


def service(server: Deepgram, key: str = KEY) -> DeepgramService:
    return DeepgramService(key, {"en": "en"}, url=server.url)


def faults(said: Said) -> list[SttError]:
    return [event for event in said if isinstance(event, SttError)]


async def test_words_come_while_the_caller_speaks_and_for_good_at_the_pause() -> None:
    async with deepgram_server() as server:
        async with listening(service(server)) as (ears, said):
            ears.feed(spoken("what time do you open?"))
            await until(lambda: any(isinstance(event, Partial) for event in said))
            ears.feed(silence(140))
            await until(lambda: "Finalize" in server.streams[0].controls)
            await until(lambda: any(isinstance(e, Partial) and e.text == "what time do you open?" for e in said))
            ears.commit()
            await answered(said)
        await until(lambda: server.streams[0].close_code == 1000)
    (final,) = (event for event in said if isinstance(event, Final))
    assert (final.text, final.language) == ("what time do you open?", "en")
    assert server.refused == []


async def test_what_the_service_made_final_piece_by_piece_is_one_utterance() -> None:
    async with deepgram_server() as server, listening(service(server)) as (ears, said):
        for piece in ("what time", "do you", "open?"):
            ears.feed(spoken(piece) + silence(400))  # longer than its own endpointing
        ears.commit()
        await answered(said)
    assert finals(said) == ["what time do you open?"]


async def test_each_turn_has_its_own_words() -> None:
    async with deepgram_server() as server, listening(service(server)) as (ears, said):
        for count, words in enumerate(("what time", "do you open?", "yes"), start=1):
            ears.feed(spoken(words) + silence(160))
            ears.commit()
            await answered(said, count)
    assert finals(said) == ["what time", "do you open?", "yes"]


async def test_what_was_discarded_is_in_no_turn() -> None:
    async with deepgram_server() as server, listening(service(server)) as (ears, said):
        ears.feed(spoken("yes") + silence(200))
        await until(lambda: any(isinstance(event, Partial) for event in said))
        ears.discard()
        ears.feed(spoken("what time") + silence(200))
        ears.commit()
        await answered(said)
    assert finals(said) == ["what time"]


async def test_a_finalize_that_is_never_answered_costs_no_words() -> None:
    async with deepgram_server() as server:
        server.fates = [Fate("deaf")]
        async with listening(service(server)) as (ears, said):
            ears.feed(spoken("what time") + silence(200))
            ears.commit()
            await answered(said)
    assert finals(said) == ["what time"]
    assert len(server.streams) == 1


async def test_f76_a_muted_caller_is_kept_connected_and_their_last_words_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "KEEP_ALIVE_S", 0.05)  # shortened from 4 s
    async with deepgram_server() as server, listening(service(server)) as (ears, said):
        ears.feed(spoken("yes"))  # muted in the middle: no pause is heard here
        await until(lambda: server.streams and server.streams[0].controls.count("KeepAlive") >= 3)
        await until(lambda: any(isinstance(event, Partial) and event.text == "yes" for event in said))
        ears.feed(spoken("what time") + silence(200))
        ears.commit()
        await answered(said)
    assert finals(said) == ["yes what time"]
    assert server.streams[0].controls[0] == "Finalize"
    assert len(server.streams) == 1


RESULT = {"type": "Results", "start": 0.0, "duration": 1.0, "is_final": True, "channel": {"alternatives": []}}


@pytest.mark.parametrize(
    "fate",
    [
        Fate("drop", 0.5),
        Fate("close", 0.5, "NET-0000", 1011),
        Fate("close", 0.3, "DATA-0000", 1008),
        Fate("close", 0.0, "", 1000),
        Fate("tell", 0.3, '{"type": "Error", "variant": "MEMORY", "description": "went wrong"}'),
        Fate("tell", 0.3, "{"),
        Fate("tell", 0.3, "[" * 100_000),
        Fate("tell", 0.3, json.dumps({**RESULT, "request_id": "x" * (1 << 20)})),
        Fate("tell", 0.3, json.dumps({**RESULT, "start": float("nan")})),
    ],
    ids=("drop", "net", "data", "closed", "error", "no-json", "deep", "huge", "nan"),
)
async def test_f77_a_lost_or_mad_stream_is_replaced_and_hears_again_what_had_no_final_words(fate: Fate) -> None:
    async with deepgram_server() as server:
        server.fates = [fate]
        async with listening(service(server)) as (ears, said):
            ears.feed(spoken("what time do you open?") + silence(200))
            ears.commit()
            await answered(said)
    assert finals(said) == ["what time do you open?"]
    assert len(server.streams) == 2


async def test_f77_a_stream_that_says_nothing_of_speech_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "SILENT_AFTER_S", 1.0)  # shortened from 4 s of audio
    async with deepgram_server() as server:
        server.fates = [Fate("hang")]
        async with listening(service(server)) as (ears, said):
            ears.feed(silence(200))
            await until(lambda: server.streams and server.streams[0].audio)  # it is open on both sides
            for word in ("what", "time", "do", "you", "open", "yes", "what", "time"):
                ears.feed(tone(word, 200))
            ears.feed(silence(200))
            await until(lambda: len(server.streams) == 2)
            ears.commit()
            await answered(said)
    assert finals(said) == ["what time do you open yes what time"]


async def test_too_many_streams_at_once_are_tried_again() -> None:
    async with deepgram_server() as server:
        server.refusals = [(429, "Too many requests."), (503, "Busy.")]
        async with listening(service(server)) as (ears, said):
            ears.feed(spoken("yes") + silence(200))
            ears.commit()
            await answered(said)
    assert (finals(said), len(server.refused)) == (["yes"], 2)


@pytest.mark.parametrize("status", [400, 401, 402, 403])
async def test_a_refusal_that_the_operator_has_to_mend_is_told_with_its_reason_and_not_tried_again(status: int) -> None:
    async with deepgram_server() as server:
        server.refusals = [(status, "Because.")] * 2
        async with listening(service(server)) as (ears, said):
            ears.feed(spoken("yes"))
            await until(lambda: faults(said))
            await asyncio.sleep(0.3)  # longer than the first pause between two streams
    (fault,) = faults(said)
    assert (fault.code, fault.detail, fault.retryable) == (
        "deepgram_refused",
        f"HTTP {status} at the upgrade: Because.",
        False,
    )
    assert len(server.refused) == 1


async def test_a_wrong_key_is_in_no_error() -> None:
    async with deepgram_server() as server, listening(service(server, "a secret that is wrong")) as (_, said):
        await until(lambda: said)
    assert faults(said)[0].code == "deepgram_refused"
    assert "secret" not in repr(said)


async def test_a_service_that_always_fails_is_given_up_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "LONGEST_PAUSE_S", 0.05)
    async with deepgram_server() as server:
        server.fates = [Fate("close", 0.0, "NET-0000")] * 20
        async with listening(service(server)) as (ears, said):
            ears.feed(silence(200))
            await until(lambda: faults(said))
    assert not faults(said)[0].retryable
    assert len(server.streams) == stream.MAX_FAILURES


async def test_words_are_wholly_heard_however_the_sound_arrives() -> None:
    pcm = spoken("what time do you open?") + silence(200)
    for size_bytes in (2, 321, 640, 9_999, len(pcm)):
        async with deepgram_server() as server, listening(service(server)) as (ears, said):
            for at in range(0, len(pcm), size_bytes):
                ears.feed(pcm[at : at + size_bytes])
            ears.commit()
            await answered(said)
        assert finals(said) == ["what time do you open?"]
        assert bytes(server.streams[0].audio) == pcm


async def test_closing_leaves_nothing_running() -> None:
    before = len(asyncio.all_tasks())
    async with deepgram_server() as server:
        async with listening(service(server)) as (ears, _):
            ears.feed(spoken("yes"))
            ears.commit()
            await until(lambda: server.streams)
        await asyncio.sleep(0.05)
    assert len(asyncio.all_tasks()) == before
