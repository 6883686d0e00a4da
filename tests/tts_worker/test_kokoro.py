from pathlib import Path

import numpy as np
import pytest
from structlog.testing import capture_logs

from media.tts_wire import ErrorCode
from tests.tts_worker.kokoro_rig import HummingNetwork, make_alphabet, shared_phonemizer, write_voices
from tts_worker.engine import BatchLimit, EngineError, Interrupted, PieceAudio
from tts_worker.kokoro import KokoroEngine
from tts_worker.languages import LANGUAGES
from tts_worker.voices import VoiceBook


@pytest.fixture
def network() -> HummingNetwork:
    return HummingNetwork()


@pytest.fixture
def engine(tmp_path: Path, network: HummingNetwork) -> KokoroEngine:
    return KokoroEngine(
        "kokoro_hum", network, VoiceBook(write_voices(tmp_path, "af_heart", "bf_emma")), shared_phonemizer()
    )


def say(engine: KokoroEngine, text: str, speed: float = 1.0) -> PieceAudio:
    (piece,) = engine.plan(text, "af_heart", "id", speed)
    return engine.synthesize(piece)


def test_it_says_who_it_is_before_it_is_warm(engine: KokoroEngine, network: HummingNetwork) -> None:
    assert engine.name == "kokoro_hum"
    assert engine.sample_rate_hz == 24_000
    assert engine.voices == {"af_heart", "bf_emma"}
    assert engine.languages == LANGUAGES
    assert not network.loaded


def test_warming_up_loads_and_speaks_once(engine: KokoroEngine, network: HummingNetwork) -> None:
    engine.warm_up()

    assert network.loaded
    assert len(network.asked) == 1


def test_the_network_gets_edged_tokens_and_the_style_of_their_length(
    engine: KokoroEngine, network: HummingNetwork
) -> None:
    say(engine, "pagi", speed=1.5)

    ((tokens, style, speed),) = network.asked
    assert tokens == [0, *make_alphabet().tokens("pˈaɡi"), 0]
    assert style[0, 1] == 4  # five phonemes take the fifth style
    assert speed == 1.5


def test_the_audio_is_what_the_network_said_without_its_silences(engine: KokoroEngine) -> None:
    audio = say(engine, "pagi")

    samples = np.frombuffer(audio.pcm, "<i2")
    assert len(samples) == (2 + 5 * 2 + 2) * 600
    assert samples.max() == round(0.5 * 32_767)


def test_loud_speech_is_clipped_and_never_wraps(engine: KokoroEngine, network: HummingNetwork) -> None:
    network.amplitude = 1.05

    assert np.frombuffer(say(engine, "pagi").pcm, "<i2").min() >= 0


def test_words_are_timed_and_placed_in_the_text(engine: KokoroEngine) -> None:
    audio = say(engine, "Ya, pagi!")

    assert [(word.text, word.start_char, word.end_char) for word in audio.words] == [("Ya", 0, 2), ("pagi", 4, 8)]
    first, second = audio.words
    assert first.start_s == pytest.approx(0.05)  # the margin of two frames
    assert second.start_s - first.end_s == pytest.approx(2 * 0.05)  # comma and space, two frames each
    assert second.end_s - second.start_s == pytest.approx(5 * 0.05)
    assert second.end_s <= len(audio.pcm) / 48_000


def test_text_with_nothing_to_say_has_no_pieces(engine: KokoroEngine) -> None:
    assert engine.plan("… ?", "af_heart", "", 1.0) == []
    assert engine.plan("", "af_heart", "id", 1.0) == []


def test_a_long_text_without_a_stop_is_said_to_its_end(engine: KokoroEngine) -> None:
    text = "satu dua tiga empat lima " * 40
    pieces = engine.plan(text, "af_heart", "id", 1.0)

    assert sum(len(piece.words) for piece in pieces) == 200
    assert all(len(piece.phonemes) <= 510 for piece in pieces)


def test_japanese_without_ascii_stops_is_said_to_its_end(engine: KokoroEngine) -> None:
    text = "おでんわありがとうございます。しょうしょうおまちください。" * 20
    pieces = engine.plan(text, "af_heart", "ja", 1.0)

    assert pieces[-1].words[-1].end_char >= len(text) - 2
    assert all(len(piece.phonemes) <= 510 for piece in pieces)


def test_the_voice_decides_the_language_when_the_request_does_not(engine: KokoroEngine) -> None:
    (american,) = engine.plan("water", "af_heart", "", 1.0)
    (british,) = engine.plan("water", "bf_emma", "", 1.0)

    assert (american.language, british.language) == ("en-us", "en-gb")
    assert american.phonemes != british.phonemes


def test_an_unknown_voice_or_language_is_refused(engine: KokoroEngine) -> None:
    with pytest.raises(EngineError) as refused:
        engine.plan("hi", "nobody", "en", 1.0)
    assert refused.value.code is ErrorCode.UNKNOWN_VOICE
    with pytest.raises(EngineError, match="there are cmn, en, en-gb") as refused:
        engine.plan("hi", "af_heart", "xx", 1.0)
    assert refused.value.code is ErrorCode.UNKNOWN_LANGUAGE


def test_a_failing_network_fails_the_request_alone(engine: KokoroEngine, network: HummingNetwork) -> None:
    network.fails_with = RuntimeError("out of memory")
    with capture_logs() as logs, pytest.raises(EngineError) as failed:
        say(engine, "rahasia")
    network.fails_with = None

    assert failed.value.code is ErrorCode.ENGINE_FAILED
    assert [entry["event"] for entry in logs] == ["network_failed"]
    assert "rahasia" not in str(logs)
    assert say(engine, "pagi").pcm


def test_a_network_that_gives_no_numbers_fails_the_request(engine: KokoroEngine, network: HummingNetwork) -> None:
    network.amplitude = float("nan")

    with pytest.raises(EngineError, match="no audio"):
        say(engine, "pagi")


def test_closing_closes_the_network(engine: KokoroEngine, network: HummingNetwork) -> None:
    engine.close()
    engine.close()

    assert network.closed


def test_a_batch_is_spoken_in_order_without_those_nobody_wants(engine: KokoroEngine, network: HummingNetwork) -> None:
    pieces = [engine.plan(text, "af_heart", "id", 1.0)[0] for text in ("pagi", "siang hari", "ya")]
    alone = [engine.synthesize(piece) for piece in pieces]

    assert engine.synthesize_batch(pieces, lambda item: item != 1) == [alone[0], None, alone[2]]
    assert engine.batch_limit == network.batch_limit == BatchLimit()


def test_an_interruption_goes_to_the_network_and_comes_back_as_one(
    engine: KokoroEngine, network: HummingNetwork
) -> None:
    network.fails_with = Interrupted()

    engine.interrupt()
    with pytest.raises(Interrupted):
        say(engine, "pagi")
    assert network.interrupted == 1
