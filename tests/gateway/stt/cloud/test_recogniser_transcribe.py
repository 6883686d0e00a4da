"""Recognition by Transcribe over a real socket: words, commits, and streams that are lost in every way."""

import asyncio

import pytest

pytest.importorskip("boto3", reason="Transcribe needs boto3")

from gateway.errors import SttError
from gateway.stt.base import Partial, SpeechPaused, SpeechStarted
from gateway.stt.cloud import stream
from gateway.stt.cloud.recogniser import CloudRecognisers
from gateway.stt.transcribe_service import TranscribeService
from tests.gateway.stt.cloud.hearing import finals, listening
from tests.rig.tones import silence, spoken, tone
from tests.rig.transcribe import SECRET, Fate, Transcribe, transcribe_server
from tests.rig.waiting import until

LANGUAGES = {"en": "en-US", "id": "id-ID"}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)


def service(server: Transcribe) -> TranscribeService:
    return TranscribeService("eu-west-1", LANGUAGES, url=server.url)


async def test_words_come_while_the_caller_speaks_and_whole_at_the_commit() -> None:
    async with transcribe_server() as server, listening(service(server)) as (ears, said):
        ears.feed(spoken("what time do you open?") + silence(200))
        await until(lambda: any(isinstance(e, Partial) and e.text == "what time do you open?" for e in said))
        ears.commit()
        await until(lambda: finals(said))
        assert finals(said) == ["what time do you open?"]
        assert [type(event) for event in said if isinstance(event, SpeechStarted | SpeechPaused)] == [
            SpeechStarted,
            SpeechPaused,
        ]
    assert server.refused == []
    assert server.streams[0].parameters["language-code"] == "en-US"
    assert server.streams[0].parameters["sample-rate"] == "16000"


async def test_each_turn_has_its_own_words_though_the_service_sees_one_result() -> None:
    async with transcribe_server() as server, listening(service(server)) as (ears, said):
        ears.feed(spoken("what time") + silence(160))
        ears.commit()
        await until(lambda: len(finals(said)) == 1)
        ears.feed(spoken("do you open?") + silence(160))
        ears.commit()
        await until(lambda: len(finals(said)) == 2)
    assert finals(said) == ["what time", "do you open?"]


async def test_what_was_discarded_is_in_no_turn() -> None:
    async with transcribe_server() as server, listening(service(server)) as (ears, said):
        ears.feed(spoken("yes") + silence(200))
        await until(lambda: any(isinstance(event, Partial) for event in said))
        ears.discard()
        ears.feed(spoken("what time") + silence(200))
        ears.commit()
        await until(lambda: finals(said))
    assert finals(said) == ["what time"]


async def test_a_sound_without_words_is_answered_blank_and_soon() -> None:
    async with transcribe_server() as server, listening(service(server)) as (ears, said):
        await until(lambda: server.streams)
        ears.feed(b"\x00\x20\x00\xe0" * 1600 + silence(400))  # loud, and no tone that it knows as a word
        server_words = len(said)
        ears.commit()
        await until(lambda: finals(said), within_s=3.0)
        assert len(said) > server_words


async def test_f76_twenty_seconds_of_a_muted_caller_do_not_end_the_stream() -> None:
    async with transcribe_server() as server:
        server.idle_s = 0.5  # shortened from 15 s
        async with listening(service(server)) as (ears, said):
            ears.feed(spoken("yes") + silence(100))
            await asyncio.sleep(1.5)  # nothing comes from the phone
            ears.feed(spoken("what time") + silence(200))
            await until(lambda: any(isinstance(e, Partial) and e.text.endswith("what time") for e in said))
            ears.commit()
            await until(lambda: finals(said))
    assert finals(said) == ["yes what time"]
    assert len(server.streams) == 1


@pytest.mark.parametrize(
    "fate",
    [
        Fate("drop", 0.5),
        Fate("BadRequestException", 0.5, "Your request timed out because no new audio was received for 15 seconds."),
        Fate("InternalFailureException", 0.3),
        Fate("LimitExceededException", 0.0),
    ],
    ids=lambda fate: fate.kind,
)
async def test_f76_f77_a_lost_stream_is_replaced_and_hears_again_what_had_no_final_words(fate: Fate) -> None:
    async with transcribe_server() as server:
        server.fates = [fate]
        async with listening(service(server)) as (ears, said):
            ears.feed(spoken("what time do you open?") + silence(200))
            ears.commit()
            await until(lambda: finals(said))
    assert finals(said) == ["what time do you open?"]
    assert len(server.streams) == 2


async def test_f77_a_stream_that_says_nothing_of_speech_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "SILENT_AFTER_S", 1.0)  # shortened from 4 s of audio
    async with transcribe_server() as server:
        server.fates = [Fate("hang")]
        async with listening(service(server)) as (ears, said):
            ears.feed(silence(200))
            await until(lambda: server.streams and server.streams[0].audio)  # it is open on both sides
            for word in ("what", "time", "do", "you", "open", "yes", "what", "time"):
                ears.feed(tone(word, 200))
            ears.feed(silence(200))
            await until(lambda: len(server.streams) == 2)
            ears.commit()
            await until(lambda: finals(said))
    assert finals(said) == ["what time do you open yes what time"]


async def test_a_service_that_always_fails_is_given_up_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "LONGEST_PAUSE_S", 0.05)
    async with transcribe_server() as server:
        server.fates = [Fate("drop")] * 20
        async with listening(service(server)) as (ears, said):
            ears.feed(silence(200))
            await until(lambda: any(isinstance(event, SttError) for event in said))
            fault = next(event for event in said if isinstance(event, SttError))
    assert not fault.retryable
    assert len(server.streams) == stream.MAX_FAILURES


async def test_a_wrong_signature_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    async with transcribe_server() as server, listening(service(server)) as (_, said):
        await until(lambda: said)
        assert isinstance(said[0], SttError)
        assert (said[0].code, said[0].retryable) == ("transcribe_refused", False)
    assert server.refused == ["wrong signature"]


async def test_a_language_that_is_not_configured_is_said_at_once() -> None:
    ears = CloudRecognisers(TranscribeService("eu-west-1", LANGUAGES)).recogniser("fr")
    with pytest.raises(SttError, match="fr"):
        await ears.open()
    await ears.close()


async def test_it_is_ready_when_there_are_keys() -> None:
    factory = CloudRecognisers(TranscribeService("eu-west-1", LANGUAGES))
    assert await factory.ready()
    await factory.close()


async def test_closing_leaves_nothing_running() -> None:
    before = len(asyncio.all_tasks())
    async with transcribe_server() as server:
        async with listening(service(server)) as (ears, _):
            ears.feed(spoken("yes"))
            ears.commit()
            await until(lambda: server.streams)
        await asyncio.sleep(0.05)
    assert len(asyncio.all_tasks()) == before
