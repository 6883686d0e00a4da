from hypothesis import given
from hypothesis import strategies as st

from tts_worker.engine import MAX_PIECE_PHONEMES, Piece
from tts_worker.pieces import (
    FIRST_PIECE_PHONEMES,
    GOOD_PIECE_PHONEMES,
    LONG_PIECE_PHONEMES,
    MIN_PIECE_PHONEMES,
    Unit,
    cut,
)

MARKS = ".!?…,;:—"


def units_of(text: str) -> list[Unit]:
    """Letters stand for phonemes: words are parted by spaces, marks are units of their own."""
    units: list[Unit] = []
    position = 0
    while position < len(text):
        end = position + 1
        if text[position] not in MARKS + " ":
            while end < len(text) and text[end] not in MARKS + " ":
                end += 1
        if text[position] != " ":
            is_word = text[position] not in MARKS
            units.append(Unit(text[position:end], position, end, is_word, text[end : end + 1] == " "))
        position = end
    return units


def pieces_of(text: str) -> list[Piece]:
    return cut(text, units_of(text), "af_heart", "en-us", 1.0)


def spoken(pieces: list[Piece]) -> list[str]:
    return [piece.phonemes for piece in pieces]


def test_a_short_text_is_one_piece() -> None:
    assert spoken(pieces_of("Hello, how are you?")) == ["Hello, how are you?"]


def test_the_first_clause_is_a_piece_of_its_own_once_it_is_long_enough() -> None:
    text = "Thank you very much for calling, I will look up your order right away."

    assert spoken(pieces_of(text)) == ["Thank you very much for calling,", "I will look up your order right away."]


def test_a_first_clause_that_is_too_short_takes_the_next_one_along() -> None:
    text = "Sure, I can do that for you now, give me one moment please, will you."

    assert spoken(pieces_of(text))[0] == "Sure, I can do that for you now,"


def test_no_rest_is_left_that_is_too_short_to_be_spoken_well() -> None:
    text = "Thank you very much for calling, how are you?"

    assert spoken(pieces_of(text)) == [text]


def test_later_pieces_end_at_the_latest_sentence_that_fits() -> None:
    sentence = "this is a sentence of fifty letters, more or less. "
    pieces = spoken(pieces_of((sentence * 12).strip()))

    assert len(pieces) > 2
    for piece in pieces[1:-1]:
        assert piece.endswith(".")
        assert GOOD_PIECE_PHONEMES <= len(piece) <= LONG_PIECE_PHONEMES


def test_a_sentence_without_clauses_is_cut_between_words() -> None:
    text = "word " * 150
    pieces = spoken(pieces_of(text.strip()))

    assert " ".join(pieces) == text.strip()
    assert all(MIN_PIECE_PHONEMES <= len(piece) <= LONG_PIECE_PHONEMES for piece in pieces)


def test_a_long_first_clause_is_cut_early_in_front_of_a_linking_word() -> None:
    text = "The next free appointment is on Tuesday and it takes about forty minutes in all of our offices, they say."

    assert spoken(pieces_of(text))[0] == "The next free appointment is on Tuesday"


def test_what_need_not_sound_early_keeps_its_sentence_whole() -> None:
    text = "Thank you very much for calling, I will look up your order right away."

    (piece,) = cut(text, units_of(text), "af_heart", "en-us", 1.0, early=False)
    assert piece.phonemes == text


def test_linking_words_stay_together() -> None:
    text = "The technician will call you before he comes so that you can tell him where to leave the car."

    assert spoken(pieces_of(text))[0] == "The technician will call you before he comes"


def test_without_a_linking_word_the_first_piece_ends_at_the_last_word_that_is_early() -> None:
    (first, *_) = spoken(pieces_of("word " * 30 + "end."))

    assert first == ("word " * 12).strip()
    assert len(first) <= FIRST_PIECE_PHONEMES


def test_a_text_that_is_no_longer_than_a_first_piece_with_its_rest_stays_whole() -> None:
    text = "this one has no place to be cut well at all so it stays whole now"

    assert spoken(pieces_of(text)) == [text]


def test_a_mark_stays_with_the_word_that_fills_a_piece() -> None:
    assert spoken(pieces_of("x" * 249 + ". ")) == ["x" * 249 + "."]


def test_closing_quotes_and_brackets_stay_with_their_sentence() -> None:
    said = [Unit("a" * 40, 0, 40, True, False), Unit(".", 40, 41, False, False), Unit("”", 41, 42, False, True)]
    rest = [Unit("b" * 40, 43, 83, True, False), Unit(".", 83, 84, False, False)]
    text = "a" * 40 + ".” " + "b" * 40 + "."

    assert spoken(cut(text, said + rest, "v", "en-us", 1.0)) == ["a" * 40 + ".”", "b" * 40 + "."]


def test_a_word_no_piece_could_hold_is_shared_out() -> None:
    pieces = pieces_of("x" * 1300)

    assert "".join(spoken(pieces)) == "x" * 1300
    spans = [(word.start_char, word.end_char) for piece in pieces for word in piece.words]
    assert spans[0][0] == 0
    assert spans[-1][1] == 1300
    assert all(before[1] == after[0] for before, after in zip(spans, spans[1:], strict=False))


def test_text_without_words_has_no_pieces() -> None:
    assert pieces_of("") == []
    assert pieces_of("… , ?") == []


def test_a_words_place_is_given_in_the_text_and_in_its_piece() -> None:
    (piece,) = pieces_of("well, yes")

    assert [
        (w.text, w.start_char, w.end_char, piece.phonemes[w.start_phoneme : w.end_phoneme]) for w in piece.words
    ] == [
        ("well", 0, 4, "well"),
        ("yes", 6, 9, "yes"),
    ]


def test_a_piece_keeps_voice_language_and_speed() -> None:
    (piece,) = cut("yes", units_of("yes"), "bf_emma", "en-gb", 1.2)

    assert (piece.voice, piece.language, piece.speed) == ("bf_emma", "en-gb", 1.2)


@given(st.lists(st.tuples(st.integers(1, 600), st.sampled_from(["", " ", ". ", ", ", "? ", "… ", "—"])), max_size=60))
def test_every_phoneme_is_spoken_once_and_no_piece_is_too_long(shape: list[tuple[int, str]]) -> None:
    text = "".join("x" * length + end for length, end in shape)
    pieces = pieces_of(text)

    assert "".join(spoken(pieces)).replace(" ", "") == text.replace(" ", "")
    for piece in pieces:
        assert 0 < len(piece.phonemes) <= MAX_PIECE_PHONEMES
        assert piece.phonemes == piece.phonemes.strip()
        for word in piece.words:
            assert text[word.start_char : word.end_char] == word.text
            assert piece.phonemes[word.start_phoneme : word.end_phoneme] == word.text
