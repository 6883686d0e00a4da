import threading
import time
from functools import cache
from pathlib import Path

import numpy as np
import psutil
import pytest
from structlog.testing import capture_logs

from config.errors import ConfigError
from tests.rig.whisper import through_telephone, transcribe, word_error_rate
from tests.tts_worker.onnx_rig import LEVEL, write_tiny_kokoro
from tts_worker.engine import Interrupted, PieceAudio
from tts_worker.kokoro import Asked, KokoroEngine
from tts_worker.kokoro_onnx import OnnxNetwork, build_engine
from tts_worker.threads import usable_cores
from tts_worker.voices import STYLE_SIZE

ASKED = Asked([0, 5, 0], np.zeros((1, STYLE_SIZE), np.float32), 1.0)


def test_the_network_gives_samples_and_the_frames_of_each_token(tmp_path: Path) -> None:
    network = OnnxNetwork(write_tiny_kokoro(tmp_path / "kokoro.onnx"), threads=1)
    network.load()

    (said,) = network.speak([ASKED], lambda item: True)

    assert said is not None
    assert said.durations.tolist() == [2, 2, 2]
    assert said.durations.dtype == np.int64
    assert said.samples.shape == (3 * 2 * 600,)
    assert float(np.max(said.samples)) == pytest.approx(LEVEL)
    network.close()


def test_a_piece_nobody_wants_any_more_is_not_spoken(tmp_path: Path) -> None:
    network = OnnxNetwork(write_tiny_kokoro(tmp_path / "kokoro.onnx"), threads=1)
    network.load()

    first, second = network.speak([ASKED, ASKED], lambda item: item == 1)

    assert first is None
    assert second is not None


def test_a_run_that_fails_is_not_taken_for_an_interrupted_one(tmp_path: Path) -> None:
    network = OnnxNetwork(write_tiny_kokoro(tmp_path / "kokoro.onnx"), threads=1)
    network.load()
    misshapen = Asked([0, 5, 0], np.zeros((2, 3), np.float32), 1.0)

    with pytest.raises(Exception, match="style"):
        network.speak([misshapen], lambda item: True)
    network.interrupt()  # nothing is in work
    assert network.speak([ASKED], lambda item: True)[0] is not None


def test_without_a_number_the_threads_are_chosen_by_a_self_test(tmp_path: Path) -> None:
    network = OnnxNetwork(write_tiny_kokoro(tmp_path / "kokoro.onnx"), threads=0)
    with capture_logs() as logs:
        network.load()

    (chosen,) = [entry for entry in logs if entry["event"] == "threads_chosen"]
    assert 1 <= chosen["threads"] <= usable_cores()
    assert network.speak([ASKED], lambda item: True)[0] is not None


def test_a_damaged_copy_is_refused_with_the_remedy(tmp_path: Path) -> None:
    network = OnnxNetwork(write_tiny_kokoro(tmp_path / "kokoro.onnx"), threads=1)
    network.load()
    (copy,) = tmp_path.glob("*durations*")
    copy.write_bytes(b"\xff" * 64)

    with pytest.raises(ConfigError, match="delete it and start again"):
        network.load()


def test_it_runs_on_the_cpu_only(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="runs on the CPU, not on cuda"):
        build_engine(str(tmp_path), "", 2, "cuda")


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="voicebot models"):
        build_engine(str(tmp_path), "", 2, "auto")
    with pytest.raises(ConfigError, match=r"gone\.onnx, does not exist"):
        build_engine(str(tmp_path), str(tmp_path / "gone.onnx"), 2, "cpu")


@cache
def real_engine() -> KokoroEngine:
    engine = build_engine("", "", 2, "auto")
    engine.warm_up()
    return engine


def say(text: str, voice: str, language: str = "") -> tuple[bytes, list[PieceAudio]]:
    pieces = [real_engine().synthesize(piece) for piece in real_engine().plan(text, voice, language, 1.0)]
    return b"".join(piece.pcm for piece in pieces), pieces


@pytest.mark.models
@pytest.mark.parametrize(
    ("voice", "language", "text"),
    [
        ("af_heart", "en", "Hello, thanks for calling. How can I help you today?"),
        ("bf_emma", "", "We are open in the morning and closed in the evening. Please call again tomorrow."),
        ("am_michael", "en-us", "Okay."),
        ("ef_dora", "es", "Buenos días, gracias por llamar. ¿En qué puedo ayudarle hoy?"),
        ("ff_siwis", "fr", "Bonjour, merci d'avoir appelé. Comment puis-je vous aider ?"),
        ("if_sara", "it", "Buongiorno, grazie per aver chiamato. Come posso aiutarla?"),
        ("pf_dora", "pt", "Bom dia, obrigado por ligar. Como posso ajudar você?"),
    ],
)
def test_speech_is_understood_after_the_telephone(voice: str, language: str, text: str) -> None:
    pcm, _ = say(text, voice, language)

    heard = transcribe(through_telephone(pcm, 24_000), 8_000, language[:2] or "en")
    assert word_error_rate(text, heard) <= 0.1, heard


@pytest.mark.models
def test_indonesian_is_understood_by_and_large() -> None:
    text = "Selamat pagi, terima kasih sudah menelepon. Kami buka pukul sembilan."
    pcm, _ = say(text, "ef_dora", "id")

    heard = transcribe(through_telephone(pcm, 24_000), 8_000, "id")
    assert word_error_rate(text, heard) <= 0.4, heard


@pytest.mark.models
@pytest.mark.parametrize("text", ["Okay.", "Yes.", "Chapter one.", "Hello"])
@pytest.mark.parametrize("voice", ["af_heart", "bf_emma", "am_michael"])
def test_short_texts_neither_trail_off_nor_repeat(text: str, voice: str) -> None:
    pcm, (piece,) = say(text, voice)
    samples = np.abs(np.frombuffer(pcm, "<i2").astype(np.int32))
    loud_s = np.flatnonzero(samples > 600) / 24_000  # -35 dB

    assert len(pcm) / 48_000 < 1.6
    assert loud_s[0] < 0.15
    assert len(pcm) / 48_000 - loud_s[-1] < 0.5
    assert loud_s[-1] <= piece.words[-1].end_s + 0.1


@pytest.mark.models
def test_words_are_where_their_sound_is() -> None:
    """A word cut out at its times and spoken alone is still that word."""
    pcm, (piece, *_) = say("Tomorrow we will see an elephant in the garden", "af_heart")
    times = {word.text: (word.start_s, word.end_s) for word in piece.words}

    for word in ("Tomorrow", "elephant", "garden"):
        start, end = (max(round(at * 24_000), 0) * 2 for at in (times[word][0] - 0.05, times[word][1] + 0.05))
        assert word.lower() in transcribe(pcm[start:end], 24_000).lower()


@pytest.mark.models
def test_word_times_rise_and_stay_inside_the_audio() -> None:
    for piece in say("On Saturday we open at ten, and Dr. Wiyantoro is here until noon. Anything else?", "bf_emma")[1]:
        times = [(word.start_s, word.end_s) for word in piece.words]
        assert times == sorted(times)
        assert all(start < end for start, end in times)
        assert times[-1][1] <= len(piece.pcm) / 48_000


@pytest.mark.models
def test_an_interrupted_run_ends_long_before_its_speech() -> None:
    engine = real_engine()
    (piece,) = engine.plan("we are open from nine to six " * 5, "af_heart", "en", 1.0)[-1:]
    began_s = time.perf_counter()
    engine.synthesize(piece)
    whole_s = time.perf_counter() - began_s

    threading.Timer(whole_s / 5, engine.interrupt).start()
    began_s = time.perf_counter()
    with pytest.raises(Interrupted):
        engine.synthesize(piece)

    assert time.perf_counter() - began_s < whole_s / 2


@pytest.mark.models
def test_a_long_piece_leaves_no_more_memory_behind_than_a_short_one() -> None:
    engine, own = real_engine(), psutil.Process()
    (short,) = engine.plan("Please hold the line.", "af_heart", "en", 1.0)
    long = max(engine.plan("we are open from nine to six " * 20, "af_heart", "en", 1.0), key=lambda p: len(p.phonemes))
    engine.synthesize(short)
    before_bytes = own.memory_info().rss
    engine.synthesize(long)
    assert own.memory_info().rss < before_bytes + 100_000_000  # 400 MB more while it speaks


@pytest.mark.models
def test_faster_speech_is_shorter() -> None:
    engine = real_engine()
    lengths = []
    for speed in (0.8, 1.0, 1.4):
        (piece,) = engine.plan("Please hold the line for a moment.", "af_heart", "en", speed)
        lengths.append(len(engine.synthesize(piece).pcm))

    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > 1.3 * lengths[2]


@pytest.mark.models
@pytest.mark.bench
def test_how_fast_it_speaks(capsys: pytest.CaptureFixture[str]) -> None:
    text = "We open at nine in the morning and close at six, and on Saturday we open at ten."
    began = time.perf_counter()
    pcm, _ = say(text, "af_heart")
    took_s = time.perf_counter() - began

    speech_s = len(pcm) / 48_000

    with capsys.disabled():
        print(f"\nkokoro_onnx: {speech_s:.2f} s of speech in {took_s:.2f} s, RTF {took_s / speech_s:.2f}")
