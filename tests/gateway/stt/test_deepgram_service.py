"""What is asked of Deepgram, with which key, and what is known of whether it lets us in."""

import asyncio

import pytest

from gateway.errors import SttError
from gateway.stt.deepgram_service import DeepgramService
from tests.rig.clock import run_leaping
from tests.rig.deepgram import KEY, deepgram_server


async def test_a_stream_is_asked_for_in_the_bots_language_with_its_words() -> None:
    async with deepgram_server() as server:
        service = DeepgramService(
            KEY,
            {"en": "en", "pt": "pt-BR"},
            keyterms=("Melati Clinic", "Nguyễn"),
            url=server.url + "/",
            extra={"mip_opt_out": "true", "smart_format": "false", "encoding": "opus"},
        )
        await (await service.connect("pt")).close()
        (stream,) = server.streams
    assert sorted(stream.asked) == [
        ("channels", "1"),
        ("encoding", "linear16"),
        ("endpointing", "300"),
        ("interim_results", "true"),
        ("keyterm", "Melati Clinic"),
        ("keyterm", "Nguyễn"),
        ("language", "pt-BR"),
        ("mip_opt_out", "true"),
        ("model", "nova-3"),
        ("sample_rate", "16000"),
        ("smart_format", "false"),
    ]


async def test_models_before_nova_3_are_told_words_as_keywords() -> None:
    async with deepgram_server() as server:
        service = DeepgramService(KEY, {"id": "id"}, model="nova-2", keyterms=("Melati",), url=server.url)
        await (await service.connect("id")).close()
        assert ("keywords", "Melati") in server.streams[0].asked


async def test_a_language_without_a_code_is_an_error_that_names_the_setting() -> None:
    with pytest.raises(SttError, match=r"stt\.deepgram\.languages.*'fr'"):
        DeepgramService(KEY, {"en": "en"}).code("fr")


async def test_nobody_there_is_worth_another_try() -> None:
    with pytest.raises(SttError) as caught:
        await DeepgramService(KEY, {"en": "en"}, url="ws://127.0.0.1:9").connect("en")
    assert (caught.value.code, caught.value.retryable) == ("deepgram_unreachable", True)


def test_it_is_ready_when_it_lets_us_in_and_is_not_asked_again_while_it_does() -> None:
    async def asked() -> None:
        async with deepgram_server() as server:
            service = DeepgramService(KEY, {"en": "en"}, url=server.url)
            assert await service.ready()
            assert await service.ready()
            assert len(server.streams) == 1
            assert not server.streams[0].audio

    run_leaping(asked())


def test_after_a_refusal_it_is_asked_again_now_and_then() -> None:
    async def asked() -> None:
        async with deepgram_server() as server:
            server.refusals = [(402, "No credit.")] * 2
            service = DeepgramService(KEY, {"en": "en"}, url=server.url)
            assert [await service.ready() for _ in range(3)] == [False] * 3
            assert len(server.refused) == 1
            await asyncio.sleep(10.0)
            assert not await service.ready()
            await asyncio.sleep(10.0)
            assert await service.ready()
            assert len(server.refused) == 2

    run_leaping(asked())


async def test_a_call_that_is_refused_makes_it_unready() -> None:
    async with deepgram_server() as server:
        service = DeepgramService(KEY, {"en": "en"}, url=server.url)
        assert await service.ready()
        server.refusals = [(401, "Invalid credentials.")] * 2
        with pytest.raises(SttError):
            await service.connect("en")
        assert not await service.ready()
