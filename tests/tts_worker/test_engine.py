"""What the worker and its engines say to each other."""

from media.tts_wire import ErrorCode
from tts_worker.engine import MAX_PIECE_PHONEMES, Engine, EngineError, Piece, PieceAudio, PlannedWord
from tts_worker.tone import MAX_PIECE_CHARS, ToneEngine


def test_an_engines_error_tells_its_code_and_remedy() -> None:
    error = EngineError(ErrorCode.UNKNOWN_VOICE, "use af_heart")
    assert (error.code, error.message) == (ErrorCode.UNKNOWN_VOICE, "use af_heart")
    assert str(error) == "unknown_voice: use af_heart"


def test_what_is_said_shows_in_no_repr() -> None:
    word = PlannedWord("secret", 0, 6, 0, 6)
    piece = Piece("secret", "af_heart", "en", 1.0, (word,))
    assert "secret" not in repr(word) + repr(piece) + repr(PieceAudio(b"secret"))


def test_the_tone_engine_is_an_engine_within_the_models_bound() -> None:
    engine: Engine = ToneEngine()
    assert engine.sample_rate_hz == 24_000
    assert MAX_PIECE_CHARS <= MAX_PIECE_PHONEMES
