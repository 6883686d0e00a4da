"""Sentences of every language spoken by the real Kokoro, and what Whisper makes of them at a telephone's rate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import jiwer
from rapidfuzz.distance import Levenshtein

from gateway.text.speakable import speak
from media.formats import BYTES_PER_SAMPLE_PCM16
from media.tts_wire import Word
from tests.rig import indonesian
from tests.rig.hindustani import shared_letters
from tests.rig.whisper import PHONE_HZ, plain, through_telephone, transcribe
from tts_worker.kokoro import KokoroEngine

SENTENCES = Path(__file__).parents[1] / "vectors" / "speech"
# What voices, speeds and phonemes are compared on before SENTENCES reports the figures.
TUNING = SENTENCES / "tuning"
# The voice that reads each language of SENTENCES in the measurements; docs/languages.md recommends the same ones.
VOICES = {
    "en": "af_heart",
    "es": "ef_dora",
    "fr": "ff_siwis",
    "hi": "hf_alpha",
    "id": "em_alex",
    "it": "if_sara",
    "ja": "jf_alpha",
    "pt": "pf_dora",
    "zh": "zm_yunjian",
}
# Kokoro was not trained on Indonesian and runs its words together at full speed.
SPEEDS = {"id": 0.85}
# Whisper base writes Chinese in traditional letters unless it has seen others.
_SCRIPTS = {"zh": "你们好，这是简体字。"}
# Spellings that do not count. Whisper base writes Hindi in Urdu's letters, and poorly when it is made not to.
_SPELLINGS: dict[str, Callable[[str], str]] = {"hi": shared_letters}
# What a language writes in two ways, in one; error rates are given with and without it.
_VARIANTS: dict[str, Callable[[str], str]] = {"id": indonesian.one_spelling}
# Whisper's usual search. A greedy one is quicker and loses a few words in languages it knows less.
_BEAMS = 5


@dataclass(frozen=True, slots=True)
class Speech:
    """What a voice said: the text it was given after `speak`, PCM s16le at the engine's rate, and its word times."""

    text: str
    language: str
    pcm: bytes = field(repr=False)
    rate_hz: int
    words: tuple[Word, ...] = field(repr=False)

    @property
    def duration_s(self) -> float:
        return len(self.pcm) / BYTES_PER_SAMPLE_PCM16 / self.rate_hz

    def over_the_phone(self) -> bytes:
        """The speech as PCM at PHONE_HZ, after µ-law."""
        return through_telephone(self.pcm, self.rate_hz)


def sentences(language: str, folder: Path = SENTENCES) -> list[str]:
    """The project's sentences of a language, as a model would write them: with digits, money, times, abbreviations."""
    return (folder / f"{language}.txt").read_text("utf-8").splitlines()


def say(
    engine: KokoroEngine,
    sentence: str,
    language: str,
    voice: str = "",
    speed: float = 0.0,
    lexicon: Mapping[str, str] | None = None,
) -> Speech:
    """Speak a sentence as the gateway has it spoken; an empty voice and a speed of 0 are the language's."""
    speed = speed or SPEEDS.get(language, 1.0)
    spoken = speak(sentence, language, lexicon)
    text, sounds = spoken.text, spoken.pronunciations
    pcm, words = b"", []
    for piece in engine.plan(text, voice or VOICES[language], language, speed, pronunciations=sounds):
        begins_s = len(pcm) / BYTES_PER_SAMPLE_PCM16 / engine.sample_rate_hz
        audio = engine.synthesize(piece)
        words += [
            Word(word.text, begins_s + word.start_s, begins_s + word.end_s, word.start_char, word.end_char)
            for word in audio.words
        ]
        pcm += audio.pcm
    return Speech(text, language, pcm, engine.sample_rate_hz, tuple(words))


def heard(speech: Speech) -> str:
    """What Whisper hears over the phone, numbers in words, as `speech.text` has them."""
    return _understood(speech, speech.over_the_phone(), PHONE_HZ)


def heard_beside(speech: Speech) -> str:
    """What Whisper hears of the voice itself, no telephone between."""
    return _understood(speech, speech.pcm, speech.rate_hz)


def _understood(speech: Speech, pcm: bytes, rate_hz: int) -> str:
    written = transcribe(pcm, rate_hz, speech.language, _BEAMS, _SCRIPTS.get(speech.language, ""))
    return speak(written, speech.language).text


def comparable(speech: Speech, understood: str) -> tuple[str, str]:
    """Return what was said and what was understood in one spelling."""
    spelling = _SPELLINGS.get(speech.language, str)
    return plain(spelling(plain(speech.text))), plain(spelling(plain(understood)))


def one_spelling(language: str, said_and_heard: tuple[str, str]) -> tuple[str, str]:
    """Return a pair of `comparable` with what its language writes in two ways written in one."""
    said, understood = said_and_heard
    spelling = _VARIANTS.get(language, str)
    return spelling(said), spelling(understood)


def error_rate(said_and_heard: list[tuple[str, str]]) -> float:
    """Return the word error rate over all pairs; case and punctuation do not count."""
    said, understood = zip(*said_and_heard, strict=True)
    return float(jiwer.wer([plain(text) for text in said], [plain(text) or "-" for text in understood]))


def misheard_rate(said_and_heard: list[tuple[str, str]]) -> float:
    """Return the share of words with a wrong sound in them, wherever the listener puts the spaces.

    "kesurabaya" for "ke surabaya" is two wrong words of a word error rate, and none of these. What was heard between
    two words counts as one.
    """
    words = sum(len(said.split()) for said, _ in said_and_heard)
    return sum(_misheard(said.split(), "".join(understood.split())) for said, understood in said_and_heard) / words


def _misheard(said: list[str], understood: str) -> int:
    owners = [(index, place) for index, word in enumerate(said) for place in range(len(word))]
    wrong: set[tuple[int, bool]] = set()
    for edit in Levenshtein.editops("".join(said), understood):
        index, place = owners[edit.src_pos] if edit.src_pos < len(owners) else (len(said), 0)
        wrong.add((index, edit.tag == "insert" and place == 0))
    return len(wrong)


def character_error_rate(said: str, understood: str) -> float:
    """Return the share of characters that are wrong, for languages that write no spaces."""
    return float(jiwer.cer(plain(said).replace(" ", ""), plain(understood).replace(" ", "") or "-"))
