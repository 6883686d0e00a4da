"""Sentences of every language spoken by the real Kokoro, and what Whisper makes of them at a telephone's rate."""

import difflib
from dataclasses import dataclass, field
from pathlib import Path

import jiwer
import numpy as np

from gateway.text.speakable import speak
from media.formats import BYTES_PER_SAMPLE_PCM16
from media.pcm import pcm16_to_float
from media.tts_wire import Word
from tests.rig.whisper import PHONE_HZ, HeardWord, plain, through_telephone, transcribe, transcribe_words
from tts_worker.kokoro import KokoroEngine

SENTENCES = Path(__file__).parents[1] / "vectors" / "speech"
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
# Whisper base writes Hindi in Urdu's letters and Chinese in traditional ones unless it has seen others.
_SCRIPTS = {"hi": "नमस्ते, आप कैसे हैं?", "zh": "你们好，这是简体字。"}
# Whisper's usual search. A greedy one is quicker and loses a few words in languages it knows less.
_BEAMS = 5
# Sound is what lies within 35 dB of the loudest; a pause is 80 ms without any. Steps of 5 ms.
_STEP_S = 0.005
_SOUND_BELOW_PEAK = 10 ** (-35 / 20)
_PAUSE_STEPS = 16
# A word and an onset farther apart than this have nothing to do with each other.
_NEAR_S = 0.2


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


def sentences(language: str) -> list[str]:
    """The project's sentences of a language, as a model would write them: with digits, money, times, abbreviations."""
    return (SENTENCES / f"{language}.txt").read_text("utf-8").splitlines()


def say(engine: KokoroEngine, sentence: str, language: str, voice: str = "", speed: float = 0.0) -> Speech:
    """Speak a sentence as the gateway has it spoken; an empty voice and a speed of 0 are the language's."""
    speed = speed or SPEEDS.get(language, 1.0)
    text = speak(sentence, language).text
    pcm, words = b"", []
    for piece in engine.plan(text, voice or VOICES[language], language, speed):
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
    written = transcribe(speech.over_the_phone(), PHONE_HZ, speech.language, _BEAMS, _SCRIPTS.get(speech.language, ""))
    return speak(written, speech.language).text


def error_rate(said_and_heard: list[tuple[str, str]]) -> float:
    """Return the word error rate over all pairs; case and punctuation do not count."""
    said, understood = zip(*said_and_heard, strict=True)
    return float(jiwer.wer([plain(text) for text in said], [plain(text) or "-" for text in understood]))


def character_error_rate(said: str, understood: str) -> float:
    """Return the share of characters that are wrong, for languages that write no spaces."""
    return float(jiwer.cer(plain(said).replace(" ", ""), plain(understood).replace(" ", "") or "-"))


def onset_errors_s(speech: Speech) -> list[float]:
    """Return how much later than the sound each word's start is, for words that begin after an audible pause.

    This is the truth about them: silence ends where the word begins, but for the closure of a first p, t or k.
    """
    samples = pcm16_to_float(speech.pcm)
    step = round(_STEP_S * speech.rate_hz)
    level = np.sqrt(np.mean(samples[: len(samples) // step * step].reshape(-1, step) ** 2, axis=1))
    loud = level > level.max() * _SOUND_BELOW_PEAK
    onsets_s = [
        at * _STEP_S for at in range(_PAUSE_STEPS, len(loud)) if loud[at] and not loud[at - _PAUSE_STEPS : at].any()
    ]
    near = [[onset for onset in onsets_s if abs(onset - word.start_s) < _NEAR_S] for word in speech.words[1:]]
    return [word.start_s - found[0] for word, found in zip(speech.words[1:], near, strict=True) if len(found) == 1]


def time_errors_s(speech: Speech) -> list[float]:
    """Return how much later than Whisper each word's start is, for the words both have; negative is earlier.

    Whisper's attention looks ahead: it puts words early by an amount of its own.
    """
    listened = transcribe_words(speech.over_the_phone(), PHONE_HZ, speech.language)
    return [word.start_s - other.start_s for word, other in _same_words(speech.words, listened)]


def _same_words(spoken: tuple[Word, ...], listened: list[HeardWord]) -> list[tuple[Word, HeardWord]]:
    ours, theirs = [plain(word.text) for word in spoken], [plain(word.text) for word in listened]
    blocks = difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return [(spoken[a + i], listened[b + i]) for a, b, size in blocks for i in range(size)]
