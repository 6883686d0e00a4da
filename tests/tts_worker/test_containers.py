import base64
import io
import json
import sys
import wave
from typing import Any

import numpy as np
import pytest

from media.tts_wire import ErrorCode, WireError
from tests.rig.speech_pair import tone_of
from tts_worker.containers import FORMATS, MP3_KBPS, Container, EventStream, Wav, container

SPEECH = tone_of("A sentence of some length.")


def wrapped(around: Container, audio: bytes, step: int) -> bytes:
    parts = [around.feed(audio[at : at + step]) for at in range(0, len(audio), step)]
    return around.begin(None) + b"".join(parts) + around.flush()


def events(stream: bytes) -> list[dict[str, Any]]:
    assert stream.endswith(b"\n\n")
    lines = stream.decode().strip().split("\n\n")
    assert all(line.startswith("data: ") for line in lines)
    return [json.loads(line.removeprefix("data: ")) for line in lines]


@pytest.mark.parametrize("form", ["pcm", "ulaw", "alaw"])
def test_bare_formats_add_nothing(form: str) -> None:
    assert wrapped(container(form, 8_000), SPEECH, 1_000) == SPEECH


def test_a_wav_with_its_length_is_read_by_others() -> None:
    with wave.open(io.BytesIO(Wav(16_000).begin(len(SPEECH)) + SPEECH)) as recording:
        assert (recording.getframerate(), recording.getnframes()) == (16_000, len(SPEECH) // 2)


def test_a_wav_without_a_length_says_so() -> None:
    head = Wav(24_000).begin(None)

    assert len(head) == 44
    assert head[4:8] == head[40:44] == b"\xff" * 4


def test_every_format_has_a_media_type() -> None:
    pytest.importorskip("lameenc")
    assert len({container(form, 8_000).media_type for form in FORMATS}) == len(FORMATS)


def test_mp3_without_its_encoder_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lameenc", None)

    with pytest.raises(WireError, match=r"\.\[mp3\]") as refused:
        container("mp3", 24_000)
    assert refused.value.code is ErrorCode.BAD_FIELD


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 22_050, 24_000])
@pytest.mark.parametrize("step", [480, 7_200, 1_000_000])
def test_mp3_has_its_bit_rate_whatever_the_pieces_and_its_flush_carries_audio(rate_hz: int, step: int) -> None:
    pytest.importorskip("lameenc", reason='install the extra "mp3"')
    speech = np.random.default_rng(1).normal(0, 3_000, 4 * rate_hz).astype("<i2").tobytes()
    encoder = container("mp3", rate_hz)
    before = b"".join(encoder.feed(speech[at : at + step]) for at in range(0, len(speech), step))
    rest = encoder.flush()

    assert len(rest) > 0
    assert len(before + rest) * 8 / 4 == pytest.approx(MP3_KBPS * 1000, rel=0.1)
    assert before[0] == 0xFF  # a frame's sync word, no tag in front


def test_mp3_of_nothing_is_a_short_silence_that_players_take() -> None:
    pytest.importorskip("lameenc", reason='install the extra "mp3"')
    av = pytest.importorskip("av", reason="decodes")
    with av.open(io.BytesIO(wrapped(container("mp3", 24_000), b"", 1))) as played:
        frames = [frame.to_ndarray() for frame in played.decode(audio=0)]
        assert played.streams.audio[0].rate == 24_000
    assert 1 <= sum(frame.shape[-1] for frame in frames) <= 2_400
    assert max(abs(frame).max() for frame in frames) < 0.001


def test_an_event_stream_carries_the_same_bytes_in_base64() -> None:
    stream = EventStream(container("pcm", 8_000), format="pcm", voice="low", sample_rate=8_000)
    said = events(wrapped(stream, SPEECH, 1_001) + stream.end(1.25))

    assert said[0] == {"type": "audio_stream_start", "format": "pcm", "voice": "low", "sample_rate": 8_000}
    chunks = [event for event in said if event["type"] == "audio_chunk"]
    assert [chunk["seq"] for chunk in chunks] == list(range(1, len(chunks) + 1))
    assert b"".join(base64.b64decode(chunk["data"]) for chunk in chunks) == SPEECH
    assert said[-1] == {"type": "audio_stream_end", "total_chunks": len(chunks), "duration_s": 1.25}


def test_an_event_stream_tells_that_the_speech_broke_off() -> None:
    (said,) = events(EventStream(Wav(8_000)).fail(ErrorCode.ENGINE_FAILED, "send it again"))

    assert said == {"type": "error", "code": "engine_failed", "message": "send it again"}
