import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.stt.whisper_wire import (
    MAX_AUDIO_BYTES,
    AudioJob,
    Transcript,
    WireFault,
    decode_line,
    encode_job,
    encode_line,
    read_job,
)

LANGUAGES = st.sampled_from(["", "en", "yue", "auto", "en,id,es,fr,it,pt,hi,ja,zh"])


@given(number=st.integers(0, 2**32 - 1), language=LANGUAGES, pcm=st.binary(max_size=99))
def test_a_job_comes_out_as_it_went_in(number: int, language: str, pcm: bytes) -> None:
    job = AudioJob(number, language, pcm)
    pipe = io.BytesIO(encode_job(job) * 2)
    assert [read_job(pipe), read_job(pipe), read_job(pipe)] == [job, job, None]


def test_a_pipe_that_ends_within_a_job_is_at_its_end() -> None:
    whole = encode_job(AudioJob(1, "en", b"abcd"))
    for size in range(len(whole)):
        assert read_job(io.BytesIO(whole[:size])) is None


def test_audio_beyond_the_bound_is_refused_at_both_ends() -> None:
    with pytest.raises(WireFault):
        encode_job(AudioJob(1, "en", bytes(MAX_AUDIO_BYTES + 1)))
    with pytest.raises(WireFault, match="announces"):
        read_job(io.BytesIO(encode_job(AudioJob(1, "en", b""))[:-4] + b"\xff\xff\xff\xff"))


def test_a_language_code_that_does_not_fit_is_refused() -> None:
    with pytest.raises(WireFault):
        encode_job(AudioJob(1, ",".join(["en"] * 12), b""))


def test_a_line_comes_out_as_it_went_in_whatever_the_script() -> None:
    assert decode_line(encode_line(number=3, text="¿Qué\nhora? 何時")) == {"number": 3, "text": "¿Qué\nhora? 何時"}
    assert encode_line(text="a\nb").count(b"\n") == 1


@pytest.mark.parametrize("line", [b"", b'{"number":1', b'{"number":1}', b"nonsense\n", b"[1]\n", b"\xff\n"])
def test_a_broken_line_is_one_kind_of_fault(line: bytes) -> None:
    with pytest.raises(WireFault):
        decode_line(line)


def test_words_do_not_show_in_reprs() -> None:
    assert "secret" not in repr(Transcript("secret words")) + repr(AudioJob(1, "en", b"secret"))
