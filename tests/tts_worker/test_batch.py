"""A batch against the kokoro package's own solo runs, in float32: what differs is a fault of the batch."""

from functools import cache
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch", reason="the torch engine's environment has it (make test builds one)")
pytest.importorskip("kokoro", reason="the kokoro package supports Python below 3.13")

from media.pcm import float_to_pcm16  # noqa: E402  # torch has to be there first
from tests.rig.whisper import transcribe  # noqa: E402
from tests.tts_worker.spectrum import log_mel_distance_db  # noqa: E402
from tts_worker.batch import BatchedKokoro, Said  # noqa: E402
from tts_worker.engine import Interrupted  # noqa: E402
from tts_worker.g2p import Phonemizer  # noqa: E402
from tts_worker.kokoro_torch import load_model  # noqa: E402
from tts_worker.symbols import Alphabet  # noqa: E402
from tts_worker.voices import VoiceBook  # noqa: E402
from tts_worker.weights import locate_kokoro  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.models, pytest.mark.timeout(600)]

# Lengths, voices, accents and speeds that share nothing.
ASKED = [
    ("Okay.", "af_bella", 1.0),
    ("Hello, thanks for calling. How can I help you today?", "am_michael", 1.1),
    ("We are open in the morning and closed in the evening.", "bf_emma", 0.9),
    ("Please hold the line.", "af_heart", 1.0),
]
# Two solo runs of one text differ by the noise a voice is made with; a batch may differ by a quarter more.
OVER_THE_NOISE_FLOOR = 1.25
# The same noise on both sides: what is left is the order in which float32 numbers are added. A leak at one edge of
# one layer was seen as a correlation of 0.96.
SAME_NOISE_CORRELATION = 0.999


@cache
def model() -> Any:
    files = locate_kokoro("")
    return load_model(files.onnx, files.config).eval()


@cache
def batched() -> BatchedKokoro:
    files = locate_kokoro("")
    torch.set_num_threads(2)
    return BatchedKokoro(load_model(files.onnx, files.config), torch.float32)


@cache
def asked() -> tuple[list[list[int]], Any, list[float]]:
    files = locate_kokoro("")
    phonemizer, voices = Phonemizer(Alphabet.load(files.config)), VoiceBook(files.voices)
    tokens, styles = [], []
    for text, voice, _ in ASKED:
        spoken = "".join(u.phonemes + " " * u.space for u in phonemizer.units(text, "en-us")).strip()
        tokens.append([0, *phonemizer.alphabet.tokens(spoken), 0])
        styles.append(voices.style(voice, len(spoken)))
    return tokens, torch.from_numpy(np.concatenate(styles)), [speed for _, _, speed in ASKED]


def solo(item: int) -> Said:
    tokens, styles, speeds = asked()
    with torch.inference_mode():
        samples, durations = model().forward_with_tokens(
            torch.tensor([tokens[item]]), styles[item : item + 1], speeds[item]
        )
    return Said(samples.reshape(-1), durations.reshape(-1))


@cache
def batch() -> list[Said]:
    return [said for said in batched().speak(*asked()) if said is not None]


@pytest.fixture
def same_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's noise is the same for every item and run, however long."""
    noise = torch.randn(1, 400_000, 9, generator=torch.Generator().manual_seed(5))
    monkeypatch.setattr(torch, "randn_like", lambda x: noise[:, : x.shape[1], : x.shape[2]].expand_as(x).clone())
    return


def test_every_item_lasts_as_long_as_alone() -> None:
    for item, said in enumerate(batch()):
        assert said.durations.tolist() == solo(item).durations.tolist()
        assert len(said.samples) == int(said.durations.sum()) * 600


def test_with_the_same_noise_a_batch_gives_the_samples_of_its_solo_runs(same_noise: None) -> None:
    for item, said in enumerate(batched().speak(*asked())):
        assert said is not None
        alone = solo(item).samples
        assert np.corrcoef(alone.numpy(), said.samples.numpy())[0, 1] > SAME_NOISE_CORRELATION
        assert (alone - said.samples)[-200:].abs().max() < 1e-4  # the edge, where padding begins


def test_f107_a_batch_differs_from_solo_runs_no_more_than_they_do_from_each_other() -> None:
    for item, said in enumerate(batch()):
        first, second = solo(item).samples.numpy(), solo(item).samples.numpy()
        floor_db = log_mel_distance_db(first, second)
        assert floor_db > 0
        assert log_mel_distance_db(first, said.samples.numpy()) < OVER_THE_NOISE_FLOOR * floor_db


def test_every_item_is_heard_as_alone() -> None:
    for item, said in enumerate(batch()):
        heard = [transcribe(float_to_pcm16(s.samples.numpy()).pcm, 24_000) for s in (said, solo(item))]
        assert heard[0] == heard[1]


def test_who_is_not_wanted_after_the_durations_is_left_out_and_changes_nobody_else() -> None:
    asked_when: list[int] = []

    def wanted(item: int) -> bool:
        asked_when.append(item)
        return item != 1

    said = batched().speak(*asked(), wanted)

    assert asked_when == [0, 1, 2, 3]
    assert [one is None for one in said] == [False, True, False, False]
    for item in (0, 2, 3):
        kept = said[item]
        assert kept is not None
        assert kept.durations.tolist() == batch()[item].durations.tolist()


def test_when_nobody_is_wanted_nothing_is_spoken() -> None:
    assert batched().speak(*asked(), lambda item: False) == [None] * len(ASKED)


def test_an_interrupted_batch_ends_and_the_next_one_is_whole() -> None:
    tokens, styles, speeds = asked()

    def interrupt(item: int) -> bool:
        batched().interrupt()
        return True

    with pytest.raises(Interrupted):
        batched().speak(tokens[:1], styles[:1], speeds[:1], interrupt)
    (said,) = batched().speak(tokens[:1], styles[:1], speeds[:1])
    assert said is not None
    assert said.durations.tolist() == batch()[0].durations.tolist()
