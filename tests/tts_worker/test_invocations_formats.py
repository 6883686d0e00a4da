"""The forms an answer of /invocations may have."""

import base64
import contextlib
import json
from typing import Any

import aiohttp
import pytest

from media.g711 import pcm_to_alaw, pcm_to_ulaw
from tests.rig.speech_pair import tone_of
from tests.rig.worker import serving
from tests.tts_worker.gated import GatedEngine
from tests.tts_worker.test_invocations import post
from tts_worker.app import build_app
from tts_worker.tone import ToneEngine


def events(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line.removeprefix("data: ")) for line in body.decode().strip().split("\n\n")]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("form", "media_type", "compand"),
    [("ulaw", "audio/basic", pcm_to_ulaw), ("alaw", "audio/x-alaw-basic", pcm_to_alaw)],
)
async def test_telephone_audio_is_what_pcm_at_8_khz_would_be_companded(
    stream: bool, form: str, media_type: str, compand: Any
) -> None:
    async with serving(build_app(ToneEngine())) as port:
        body = {"text": "Hello there.", "stream": stream}
        _, _, pcm = await post(port, {**body, "format": "pcm", "sample_rate": 8_000})
        status, headers, said = await post(port, {**body, "format": form})
    assert (status, headers["Content-Type"], headers["X-Sample-Rate"]) == (200, media_type, "8000")
    assert said == compand(pcm)


@pytest.mark.parametrize("stream", [True, False])
async def test_mp3_has_48_kbit_a_second(stream: bool) -> None:
    pytest.importorskip("lameenc", reason='install the extra "mp3"')
    text = "A sentence that lasts a while, so that frames count little. " * 3
    async with serving(build_app(ToneEngine())) as port:
        status, headers, said = await post(port, {"text": text, "format": "mp3", "stream": stream})
    assert (status, headers["Content-Type"]) == (200, "audio/mpeg")
    assert len(said) * 8 / 48_000 == pytest.approx(len(tone_of(text)) / 48_000, rel=0.1)


async def test_the_event_stream_carries_the_audio_in_base64() -> None:
    async with serving(build_app(ToneEngine())) as port:
        body = {"text": "Hello there.", "format": "pcm", "transport": "sse", "stream": False}
        status, headers, said = await post(port, body)
    assert status == 200
    assert headers["Content-Type"].startswith("text/event-stream")
    start, *chunks, end = events(said)
    assert start == {"type": "audio_stream_start", "format": "pcm", "voice": "af_heart", "sample_rate": 24_000}
    assert b"".join(base64.b64decode(chunk["data"]) for chunk in chunks) == tone_of("Hello there.")
    assert end == {"type": "audio_stream_end", "total_chunks": len(chunks), "duration_s": 0.72}


async def test_an_event_stream_of_nothing_begins_and_ends() -> None:
    async with serving(build_app(ToneEngine())) as port:
        _, _, said = await post(port, {"text": "👍", "format": "pcm", "transport": "sse"})
    assert [event["type"] for event in events(said)] == ["audio_stream_start", "audio_stream_end"]


async def test_an_event_stream_that_breaks_says_why() -> None:
    engine = GatedEngine()
    engine.open()
    async with serving(build_app(engine)) as port:
        url, parts = f"http://127.0.0.1:{port}/invocations", b""
        body = {"text": "word " * 24 + "broken", "transport": "sse"}
        async with aiohttp.ClientSession() as http, http.post(url, json=body) as answer:
            with contextlib.suppress(aiohttp.ClientPayloadError):
                async for part in answer.content.iter_any():
                    parts += part
    assert events(parts)[-1]["type"] == "error"
    assert events(parts)[-1]["code"] == "engine_failed"


async def test_22050_hz_is_one_of_the_public_samples_rates() -> None:
    async with serving(build_app(ToneEngine())) as port:
        _, headers, said = await post(port, {"text": "Hello there.", "format": "pcm", "sample_rate": 22_050})
    assert headers["X-Sample-Rate"] == "22050"
    assert len(said) == round(0.72 * 22_050) * 2
