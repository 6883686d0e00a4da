"""Kokoro without its weights: the alphabet, voices of noise, and a network that hums."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from tts_worker.g2p import Phonemizer
from tts_worker.kokoro import Asked, Network, Utterance
from tts_worker.symbols import Alphabet
from tts_worker.trim import FRAME_SAMPLES
from tts_worker.voices import STYLE_SIZE, Style

# The symbols of Kokoro's config.json; test_symbols compares them with the real file.
SYMBOLS = (
    ';:,.!?—…"()“” \u0303ʣʥʦʨᵝ\uab67AIOQSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔ'
    "ˈˌːʰʲ↓→↗↘ᵻ"
)


def make_alphabet() -> Alphabet:
    return Alphabet({symbol: token for token, symbol in enumerate(SYMBOLS, start=1)})


@cache
def shared_phonemizer() -> Phonemizer:
    """One for all tests: English takes a second to load."""
    return Phonemizer(make_alphabet())


def write_voices(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for number, name in enumerate(names):
        styles = np.full((510, 1, STYLE_SIZE), number, dtype="<f4")
        styles[:, 0, 1] = np.arange(510)
        (folder / f"{name}.bin").write_bytes(styles.tobytes())
    return folder


class HummingNetwork(Network):
    """Says every token for two frames, as a hum between two silences; keeps what it was asked."""

    def __init__(self) -> None:
        self.loaded = False
        self.closed = False
        self.asked: list[tuple[list[int], Style, float]] = []
        self.interrupted = 0
        self.fails_with: Exception | None = None
        self.amplitude = 0.5

    def load(self) -> None:
        self.loaded = True

    def speak(self, asked: Sequence[Asked], wanted: Callable[[int], bool]) -> list[Utterance | None]:
        return [self._hum(one.tokens, one.style, one.speed) if wanted(item) else None for item, one in enumerate(asked)]

    def interrupt(self) -> None:
        self.interrupted += 1

    def _hum(self, tokens: list[int], style: Style, speed: float) -> Utterance:
        self.asked.append((tokens, style, speed))
        if self.fails_with is not None:
            raise self.fails_with
        durations = np.full(len(tokens), 2)
        durations[0], durations[-1] = 10, 10
        samples = np.zeros(int(durations.sum()) * FRAME_SAMPLES, np.float32)
        samples[10 * FRAME_SAMPLES : -10 * FRAME_SAMPLES] = self.amplitude
        return Utterance(samples, durations)

    def close(self) -> None:
        self.closed = True
