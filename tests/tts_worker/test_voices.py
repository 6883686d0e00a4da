from pathlib import Path

import numpy as np
import pytest

from config.errors import ConfigError
from config.models import ModelStore
from media.tts_wire import ErrorCode
from tests.tts_worker.kokoro_rig import write_voices
from tts_worker.engine import EngineError
from tts_worker.voices import STYLE_SIZE, VoiceBook


def test_each_length_of_speech_has_its_style(tmp_path: Path) -> None:
    book = VoiceBook(write_voices(tmp_path, "af_heart", "am_michael"))

    style = book.style("am_michael", 510)

    assert book.names == {"af_heart", "am_michael"}
    assert style.shape == (1, STYLE_SIZE)
    assert style.dtype == np.float32
    assert (style[0, 0], style[0, 1]) == (1, 509)
    assert book.style("am_michael", 1)[0, 1] == 0


def test_an_unknown_voice_is_refused_with_the_nearest_and_their_number(tmp_path: Path) -> None:
    book = VoiceBook(write_voices(tmp_path, "af_heart", "bm_george"))

    with pytest.raises(EngineError, match="the nearest of 2 is af_heart") as refused:
        book.check("af_hart")
    assert refused.value.code is ErrorCode.UNKNOWN_VOICE
    with pytest.raises(EngineError):
        book.style("", 1)


def test_a_folder_without_voices_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="run `voicebot models kokoro-voices`"):
        VoiceBook(tmp_path)


def test_a_voice_of_the_wrong_size_is_refused(tmp_path: Path) -> None:
    (write_voices(tmp_path, "af_heart") / "af_cut.bin").write_bytes(b"\0" * 1000)

    with pytest.raises(ConfigError, match=r"af_cut\.bin has 1000 bytes, expected 522240"):
        VoiceBook(tmp_path)


def test_a_voice_that_is_not_numbers_is_refused(tmp_path: Path) -> None:
    np.full(510 * STYLE_SIZE, np.nan, "<f4").tofile(tmp_path / "af_nan.bin")

    with pytest.raises(ConfigError, match="no numbers"):
        VoiceBook(tmp_path)


@pytest.mark.models
def test_the_real_voices_are_all_there() -> None:
    book = VoiceBook(ModelStore().locate("kokoro-voices"))

    assert len(book.names) == 54
    assert {name[0] for name in book.names} == set("abefhijpz")
