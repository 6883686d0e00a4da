"""Faults that others reported of Kokoro servers, by their number; what needs the real network is in test_kokoro_*."""

import asyncio
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tests.rig.speech_pair import tone_of
from tests.tts_worker.gated import GatedEngine
from tests.tts_worker.kokoro_rig import HummingNetwork, make_alphabet, shared_phonemizer, write_voices
from tests.tts_worker.test_scheduler import Ear, request, running
from tts_worker.engine import BatchLimit
from tts_worker.g2p import Phonemizer
from tts_worker.kokoro import KokoroEngine
from tts_worker.pieces import LONG_PIECE_PHONEMES
from tts_worker.tone import ToneEngine
from tts_worker.trim import trim
from tts_worker.voices import VoiceBook


@pytest.fixture
def engine(tmp_path: Path) -> KokoroEngine:
    return KokoroEngine("hum", HummingNetwork(), VoiceBook(write_voices(tmp_path, "af_heart")), shared_phonemizer())


@pytest.mark.parametrize("text", ["👍", "…", "", "   ", "?!", "\u200b", "👩\u200d👩\u200d👧", "❤️"])
async def test_f93_text_without_phonemes_is_done_with_nothing(engine: KokoroEngine, text: str) -> None:
    ear = Ear()
    async with running(ToneEngine()) as scheduler:
        scheduler.submit("A", request(text), ear)
        await ear.end()
    assert (ear.pieces, ear.failure) == ([], None)
    assert engine.plan(text, "af_heart", "en", 1.0) == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("we will look for the papers you sent us in the spring of last year " * 9, "en"),
        ("おでんわありがとうございます。しょうしょうおまちください。" * 12, "ja"),
        ("a" * 600, "en"),
    ],
)
def test_f94_every_phoneme_of_a_long_text_is_spoken(engine: KokoroEngine, text: str, language: str) -> None:
    pieces = engine.plan(text, "af_heart", language, 1.0)
    asked = "".join(unit.phonemes for unit in shared_phonemizer().units(text, pieces[0].language))

    assert "".join(piece.phonemes for piece in pieces).replace(" ", "") == asked.replace(" ", "")
    assert all(len(piece.phonemes) <= 510 for piece in pieces)


def test_f96_threads_that_phonemise_at_once_all_get_the_same() -> None:
    text, phonemizer = "Wiyantoro besok pagi datang ke kantor", shared_phonemizer()
    expected = phonemizer.units(text, "id")
    heard: list[bool] = []

    def read() -> None:
        heard.extend(phonemizer.units(text, "id") == expected for _ in range(20))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == [True] * 80


def test_f97_a_name_outside_the_dictionary_is_not_left_out(engine: KokoroEngine) -> None:
    (piece,) = engine.plan("Please ask for Wiyantoro today.", "af_heart", "en", 1.0)

    assert [word.text for word in piece.words] == ["Please", "ask", "for", "Wiyantoro", "today"]


def test_f98_the_ten_thousandth_sentence_is_phonemised_as_quickly_as_the_first() -> None:
    phonemizer = Phonemizer(make_alphabet())

    def thousand_s() -> float:
        began_s = time.process_time()
        for number in range(1_000):
            phonemizer.units(f"selamat pagi nomor {number % 10}", "id")
        return time.process_time() - began_s

    first_s, *_, last_s = (thousand_s() for _ in range(4))
    assert last_s < 2 * first_s


def test_f100_noise_behind_a_short_text_is_cut() -> None:
    durations = np.array([14, 3, 3, 3, 3, 20])
    samples = np.zeros(int(durations.sum()) * 600, np.float32)
    samples[14 * 600 : 26 * 600] = 0.5
    samples[36 * 600 : 44 * 600] = 0.3  # half a second later, something that is no word

    trimmed = trim(samples, durations, "okA.", 1.0)
    assert len(trimmed.samples) < 26 * 600
    assert np.flatnonzero(np.abs(trimmed.samples) > 0.1)[-1] < 15 * 600


def test_f101_no_piece_is_so_long_that_its_end_fades(engine: KokoroEngine) -> None:
    pieces = engine.plan("we are open from nine to six, and on Saturday until noon, " * 20, "af_heart", "en", 1.0)

    assert len(pieces) > 3
    assert all(len(piece.phonemes) <= LONG_PIECE_PHONEMES for piece in pieces)


async def test_f103_two_hundred_interruptions_leave_the_worker_as_it_was() -> None:
    engine, last = GatedEngine(batch_limit=BatchLimit(4, 2_000)), Ear()
    engine.open()
    async with running(engine) as scheduler:
        before = threading.active_count()
        for cycle in range(200):
            job = scheduler.submit(cycle % 3, request("word " * 200), Ear())
            await asyncio.sleep(0)
            job.cancel()
        scheduler.submit("last", request("Still here."), last)
        await last.end()
        assert (scheduler.queued_requests, threading.active_count()) == (0, before)
    assert b"".join(audio.pcm for audio in last.pieces) == tone_of("Still here.")


async def test_f104_twenty_callers_at_once_are_spoken_in_few_batches_and_none_waits_for_one_to_fill() -> None:
    engine, ears = GatedEngine(batch_limit=BatchLimit(16, 4_000)), [Ear() for _ in range(20)]
    async with running(engine) as scheduler:
        for n, ear in enumerate(ears):
            scheduler.submit(n, request("Thank you for calling us."), ear)
        await engine.begins()  # the first went ahead alone
        await asyncio.sleep(0.05)
        engine.open()
        await asyncio.gather(*(ear.end() for ear in ears))
    assert len(engine.batches[0]) < 20
    assert len(engine.batches) <= 4
