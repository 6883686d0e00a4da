from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import SttError
from gateway.stt.utterance import KEEP_S, CallerAudio, Piece, Utterance, to_s, to_samples
from gateway.stt.whisper_wire import Transcript

RATE = 16_000


def numbered(samples: int) -> bytes:
    """Audio in which every sample tells its position, as far as 16 bits go."""
    return np.arange(samples, dtype=np.uint16).tobytes()


def said(text: str, language: str = "en") -> Piece:
    return Piece(0, 1, outcome=Transcript(text, language))


class TestCallerAudio:
    def test_a_cut_is_the_samples_between_two_positions(self) -> None:
        audio = CallerAudio()
        audio.append(numbered(100))
        assert np.frombuffer(audio.cut(10, 13), np.uint16).tolist() == [10, 11, 12]

    def test_what_is_not_there_yet_is_left_out(self) -> None:
        audio = CallerAudio()
        audio.append(numbered(10))
        assert len(audio.cut(8, 1000)) == 4
        assert audio.cut(20, 30) == b""

    def test_a_lone_byte_waits_for_its_other_half(self) -> None:
        audio = CallerAudio()
        audio.append(numbered(10)[:13])
        assert audio.end == 6
        audio.append(numbered(10)[13:])
        assert audio.cut(0, 10) == numbered(10)

    def test_the_oldest_audio_is_forgotten_and_positions_stay_true(self) -> None:
        audio = CallerAudio()
        second = numbered(RATE)
        for _ in range(KEEP_S + 20):
            audio.append(second)
        assert audio.end == (KEEP_S + 20) * RATE
        assert len(audio.cut(0, audio.end)) <= (KEEP_S + 1) * RATE * 2
        assert np.frombuffer(audio.cut(30 * RATE + 5, 30 * RATE + 7), np.uint16).tolist() == [5, 6]

    @given(st.lists(st.integers(0, 20_001), max_size=30))
    def test_any_split_gives_the_same_cuts(self, sizes: list[int]) -> None:
        pieces, whole = CallerAudio(), CallerAudio()
        fed = np.random.default_rng(1).bytes(sum(sizes))
        whole.append(fed)
        for size in sizes:
            pieces.append(fed[:size])
            fed = fed[size:]
        assert pieces.end == whole.end
        assert pieces.cut(to_samples(1), to_samples(3)) == whole.cut(to_samples(1), to_samples(3))

    def test_the_quietest_moment_of_the_last_seconds_is_found(self) -> None:
        loud = np.full(10 * RATE, 8000, np.int16)
        loud[7 * RATE : 7 * RATE + 3200] = 100
        audio = CallerAudio()
        audio.append(loud.tobytes())
        assert to_s(audio.quietest(audio.end)) == pytest.approx(7.1, abs=0.11)


class TestUtterance:
    def test_speech_begins_with_what_came_just_before_it(self) -> None:
        utterance = Utterance()
        assert utterance.resume(at=to_samples(2), floor=0) is None
        assert utterance.begin == to_samples(1.7)

    def test_but_not_with_what_belongs_to_something_else(self) -> None:
        utterance = Utterance()
        utterance.resume(at=to_samples(2), floor=to_samples(1.9))
        assert utterance.begin == to_samples(1.9)

    def test_speech_that_goes_on_after_a_short_piece_is_read_again_from_its_beginning(self) -> None:
        utterance = Utterance(pause=Piece(to_samples(1), to_samples(4)))
        assert utterance.resume(at=to_samples(5), floor=0) is None
        assert (utterance.begin, utterance.pieces) == (to_samples(1), [])

    @pytest.mark.parametrize(("at_s", "begin_s"), [(12, 11.7), (9.1, 9)])
    def test_a_long_piece_is_closed_at_its_pause(self, at_s: float, begin_s: float) -> None:
        pause = Piece(to_samples(1), to_samples(9))
        utterance = Utterance(pause=pause)
        assert utterance.resume(at=to_samples(at_s), floor=0) is pause
        assert utterance.pieces == [pause]
        assert utterance.begin == to_samples(begin_s)

    def test_a_short_piece_is_closed_when_speech_goes_on_much_later(self) -> None:
        pause = Piece(to_samples(1), to_samples(2))
        utterance = Utterance(pause=pause)
        assert utterance.resume(at=to_samples(20), floor=0) is pause
        assert utterance.begin == to_samples(19.7)

    def test_open_speech_can_be_closed_while_it_goes_on(self) -> None:
        utterance = Utterance(begin=100)
        piece = utterance.close_open(900)
        assert (piece.begin, piece.end, utterance.begin) == (100, 900, 900)
        assert utterance.pieces == [piece]

    def test_the_text_is_that_of_all_pieces_without_the_blank_ones(self) -> None:
        utterance = Utterance(pause=said("tomorrow"))
        utterance.closed.extend([said("I would like"), said(""), Piece(0, 1)])
        assert utterance.text == "I would like tomorrow"
        assert not utterance.complete

    def test_without_pieces_it_is_complete_and_blank(self) -> None:
        nothing = Utterance()
        assert (nothing.complete, nothing.text, nothing.spoken.language, nothing.error) == (True, "", "", None)

    def test_the_language_is_that_of_the_last_words(self) -> None:
        utterance = Utterance(pause=said("", "cy"))
        utterance.closed.extend([said("hello", "en"), said("apa kabar", "id")])
        assert utterance.spoken.language == "id"
        assert Utterance(pause=said("", "cy")).spoken.language == "cy"

    def test_an_error_of_any_piece_is_the_utterances(self) -> None:
        error = SttError("stt_timeout")
        utterance = Utterance(pause=said("words"))
        utterance.closed.append(Piece(0, 1, outcome=error))
        assert utterance.error is error
        assert utterance.complete

    def test_endless_talk_costs_bounded_memory(self) -> None:
        utterance = Utterance(begin=0)
        for close in [partial(utterance.close_open, second) for second in range(1, 1000)]:
            close()
        assert len(utterance.pieces) < 100
