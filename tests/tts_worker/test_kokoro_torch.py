"""These run in the torch engine's own environment; elsewhere the whole file is skipped."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch", reason="the torch engine's environment has it (make test builds one)")
pytest.importorskip("kokoro", reason="the kokoro package supports Python below 3.13")

from config.errors import ConfigError  # noqa: E402  # torch has to be there first
from config.models import ModelStore  # noqa: E402
from tests.rig.whisper import through_telephone, transcribe, word_error_rate  # noqa: E402
from tests.tts_worker.onnx_rig import write_tiny_kokoro  # noqa: E402
from tts_worker.engine import Piece  # noqa: E402
from tts_worker.kokoro import Asked, KokoroEngine, Network, Utterance  # noqa: E402
from tts_worker.kokoro_onnx import OnnxNetwork  # noqa: E402
from tts_worker.kokoro_torch import TorchNetwork, build_engine, fill, load_model  # noqa: E402
from tts_worker.symbols import Alphabet  # noqa: E402
from tts_worker.voices import VoiceBook  # noqa: E402
from tts_worker.weights import locate_kokoro  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.models, pytest.mark.timeout(600)]

SENTENCES = [
    ("af_heart", "Hello, thanks for calling. How can I help you today?"),
    ("am_michael", "We are open in the morning and closed in the evening."),
    ("bf_emma", "Please call again tomorrow, and have your number ready."),
    ("af_bella", "Okay."),
]


@cache
def torch_engine() -> KokoroEngine:
    engine = build_engine("", str(ModelStore().locate("kokoro")), 2, "cpu")
    engine.warm_up()
    return engine


@cache
def torch_network() -> TorchNetwork:
    files = locate_kokoro("")
    network = TorchNetwork(files.onnx, files.config, "cpu", 2)
    network.load()
    return network


@cache
def onnx_network() -> OnnxNetwork:
    network = OnnxNetwork(locate_kokoro("").onnx, 2)
    network.load()
    return network


def speak(network: Network, piece: Piece) -> Utterance:
    files = locate_kokoro("")
    tokens = [0, *Alphabet.load(files.config).tokens(piece.phonemes), 0]
    style = VoiceBook(files.voices).style(piece.voice, len(piece.phonemes))
    (said,) = network.speak([Asked(tokens, style, 1.0)], lambda item: True)
    assert said is not None
    return said


def plan(voice: str, text: str) -> list[Piece]:
    return torch_engine().plan(text, voice, "en", 1.0)


@pytest.mark.parametrize(("voice", "text"), SENTENCES)
def test_each_phoneme_lasts_as_long_as_in_the_onnx_engine_within_a_frame(voice: str, text: str) -> None:
    for piece in plan(voice, text):
        ours, theirs = speak(torch_network(), piece), speak(onnx_network(), piece)

        assert np.abs(ours.durations - theirs.durations).max() <= 1
        assert len(ours.samples) == ours.durations.sum() * 600
        assert np.isfinite(ours.samples).all()
        # The same loudness, so no part of the model was lost on the way.
        assert 0.5 < np.std(ours.samples) / np.std(theirs.samples) < 2


@pytest.mark.parametrize(("voice", "text"), SENTENCES)
def test_the_same_words_are_heard_from_both_engines(voice: str, text: str) -> None:
    heard = []
    for network in (torch_network(), onnx_network()):
        engine = KokoroEngine("either", network, VoiceBook(locate_kokoro("").voices), torch_engine()._phonemizer)
        pcm = b"".join(engine.synthesize(piece).pcm for piece in plan(voice, text))
        heard.append(transcribe(through_telephone(pcm, 24_000), 8_000))

    assert word_error_rate(text, heard[0]) <= 0.1, heard
    assert word_error_rate(heard[1], heard[0]) == 0, heard


def test_weights_of_the_models_own_format_are_loaded(tmp_path: Path) -> None:
    model = load_model(locate_kokoro("").onnx, locate_kokoro("").config)
    parts = ("bert", "bert_encoder", "predictor", "text_encoder", "decoder")
    torch.save({part: getattr(model, part).state_dict() for part in parts}, tmp_path / "own.pth")
    network = TorchNetwork(tmp_path / "own.pth", locate_kokoro("").config, "cpu", 2)
    network.load()
    (piece,) = plan("af_bella", "Okay.")

    assert speak(network, piece).durations.tolist() == speak(torch_network(), piece).durations.tolist()
    network.close()


def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.pth").write_bytes(b"not weights")

    with pytest.raises(ConfigError, match="does not hold Kokoro's weights"):
        TorchNetwork(tmp_path / "bad.pth", locate_kokoro("").config, "cpu", 1).load()


def test_an_onnx_file_of_another_model_is_refused(tmp_path: Path) -> None:
    network = TorchNetwork(write_tiny_kokoro(tmp_path / "tiny.onnx"), locate_kokoro("").config, "cpu", 1)

    with pytest.raises(ConfigError, match="lacks .* parameters"):
        network.load()


def test_a_row_of_zeros_keeps_a_finite_direction() -> None:
    layer = torch.nn.utils.weight_norm(torch.nn.Linear(2, 2, bias=False))
    with torch.no_grad():
        fill(torch.nn.ModuleDict({"a": layer}), {"a.weight": np.array([[3, 4], [0, 0]], np.float32)})

    assert layer.weight_g.ravel().tolist() == [5, 0]
    assert layer(torch.ones(1, 2)).tolist() == [[7, 0]]


def test_a_missing_file_or_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"worker\.weights .* does not exist"):
        build_engine("", str(tmp_path / "gone.pth"), 1, "cpu")
    absent = "mps" if not torch.backends.mps.is_available() else "cuda"
    with pytest.raises(ConfigError, match=f"{absent} is not available here"):
        build_engine("", "", 1, absent)


def test_on_a_cpu_it_takes_one_piece_at_a_time_unless_told_otherwise() -> None:
    files = locate_kokoro("")

    assert TorchNetwork(files.onnx, files.config, "cpu", 1).batch_limit.pieces == 1
    assert TorchNetwork(files.onnx, files.config, "cpu", 1, max_batch_pieces=4).batch_limit.pieces == 4


def test_without_weights_of_its_own_the_int8_file_is_taken() -> None:
    assert build_engine("", "", 1, "auto").name == "kokoro_torch"


def test_the_configuration_is_the_one_the_vocabulary_comes_from() -> None:
    config = json.loads(locate_kokoro("").config.read_text(encoding="utf-8"))

    assert load_model(locate_kokoro("").onnx, locate_kokoro("").config).vocab == config["vocab"]
