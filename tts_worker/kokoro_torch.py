"""Kokoro in PyTorch: the kokoro package's own model on a CUDA card, Apple's GPU, or the CPU."""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import structlog
import torch
from kokoro.model import KModel

from config.errors import ConfigError
from config.models import ModelStore
from tts_worker.batch import BatchedKokoro
from tts_worker.engine import MAX_PIECE_PHONEMES, BatchLimit
from tts_worker.g2p import Phonemizer
from tts_worker.kokoro import Asked, KokoroEngine, Network, Utterance
from tts_worker.onnx_parameters import Array, read_parameters
from tts_worker.symbols import Alphabet
from tts_worker.threads import choose_threads
from tts_worker.voices import STYLE_SIZE, VoiceBook
from tts_worker.weights import KokoroFiles, locate_kokoro

log = structlog.get_logger(__name__)

_REPOSITORY = "hexgrad/Kokoro-82M"  # the kokoro package wants a name, even when nothing is asked of the hub
# Parameters the ONNX file does not have: BERT's pooler is never used, the norms' scale and shift are 1 and 0.
_UNTRAINED = ("bert.pooler.", ".norm.")


# A batch on a GPU: beyond this, later pieces wait longer for it than they gain.
_MAX_BATCH_PIECES = 32
# Of the GPU's free memory after loading; the rest is for fragmentation and for what shares the card.
_MEMORY_SHARE = 0.6
# What the warm-up says to learn what a phoneme costs: long enough that fixed costs do not count.
_TEST_PHONEMES, _TEST_PIECES = 200, 4
# What the self-test of threads says: a short sentence.
_SELF_TEST_PHONEMES = 40


class TorchNetwork(Network):
    """The network on one device. Weights: a .pth of the model's own, or an ONNX file they are rebuilt from.

    On a GPU it speaks batches. On a CPU it takes one piece at a time: four at once gain 3 to 6 % and each would wait
    for all four. `max_batch_pieces` overrules both; `threads` 0 takes as many as a self-test finds worth it.
    """

    def __init__(self, weights: Path, config: Path, device: str, threads: int, max_batch_pieces: int = 0) -> None:
        self._weights = weights
        self._config = config
        self._device = torch.device(device)
        self._threads = threads
        self._pieces = max_batch_pieces or (_MAX_BATCH_PIECES if self._device.type == "cuda" else 1)
        self._limit = BatchLimit(self._pieces, self._pieces * MAX_PIECE_PHONEMES)
        self._kokoro: BatchedKokoro | None = None

    @property
    def batch_limit(self) -> BatchLimit:
        return self._limit

    def load(self) -> None:
        dtype = best_dtype(self._device)
        self._kokoro = BatchedKokoro(load_model(self._weights, self._config).to(self._device), dtype)
        log.info("torch_network_loaded", device=str(self._device), dtype=str(dtype))
        if self._device.type == "cpu":
            torch.set_num_threads(self._threads or choose_threads(self._test_of))
        if self._device.type == "cuda":
            self._limit = self._learn_limit()
            log.info("batch_limit_learnt", pieces=self._limit.pieces, phonemes=self._limit.phonemes)

    def speak(self, asked: Sequence[Asked], wanted: Callable[[int], bool]) -> list[Utterance | None]:
        assert self._kokoro is not None, "load comes first"
        styles = torch.from_numpy(np.concatenate([one.style for one in asked]))
        said = self._kokoro.speak([one.tokens for one in asked], styles, [one.speed for one in asked], wanted)
        return [None if one is None else Utterance(one.samples.numpy(), one.durations.numpy()) for one in said]

    def interrupt(self) -> None:
        if self._kokoro is not None:
            self._kokoro.interrupt()

    def close(self) -> None:
        self._kokoro = None
        if self._device.type == "cuda":
            torch.cuda.empty_cache()

    def _test_of(self, threads: int) -> Callable[[], object]:
        torch.set_num_threads(threads)
        return lambda: self.speak([_silent(_SELF_TEST_PHONEMES)], lambda item: True)

    def _learn_limit(self) -> BatchLimit:
        """Speak a batch and bound later ones by what it took of the memory that was free."""
        asked = [_silent(_TEST_PHONEMES)] * _TEST_PIECES
        self.speak(asked[:1], lambda item: True)
        free_bytes, _ = torch.cuda.mem_get_info(self._device)
        held_bytes = torch.cuda.memory_allocated(self._device)
        torch.cuda.reset_peak_memory_stats(self._device)
        self.speak(asked, lambda item: True)
        peak_bytes = torch.cuda.max_memory_allocated(self._device) - held_bytes
        phonemes = int(_MEMORY_SHARE * free_bytes * _TEST_PIECES * _TEST_PHONEMES / max(peak_bytes, 1))
        return BatchLimit(self._pieces, max(MAX_PIECE_PHONEMES, min(phonemes, self._limit.phonemes)))


def _silent(phonemes: int) -> Asked:
    """Return a text of so many phonemes, for measuring: any of the vocabulary lasts about as long as another."""
    return Asked([0, *([50] * phonemes), 0], np.zeros((1, STYLE_SIZE), np.float32), 1.0)


def build_engine(models_dir: str, weights: str, threads: int, device: str) -> KokoroEngine:
    """Return the engine on `device` ("auto" takes the best there is).

    `weights` may be the path of a .pth or .onnx file; otherwise the store's kokoro-torch is taken, or rebuilt from its
    int8 file when that is absent. Raises ConfigError when a file or the device is missing.
    """
    files = locate_kokoro(models_dir)
    chosen = Path(weights) if weights else _stored_weights(models_dir, files)
    if not chosen.is_file():
        raise ConfigError(f"worker.weights {chosen} does not exist; correct it or leave it empty.")
    network = TorchNetwork(chosen, files.config, _device(device), threads)
    return KokoroEngine("kokoro_torch", network, VoiceBook(files.voices), Phonemizer(Alphabet.load(files.config)))


def _stored_weights(models_dir: str, files: KokoroFiles) -> Path:
    try:
        return ModelStore(Path(models_dir) if models_dir else None).locate("kokoro-torch")
    except ConfigError:
        return files.onnx


def _device(wanted: str) -> str:
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == "auto":
        return next(name for name, there in available.items() if there)
    if not available.get(wanted, False):
        raise ConfigError(f"worker.device {wanted} is not available here; use auto or cpu.")
    return wanted


def best_dtype(device: torch.device) -> torch.dtype:
    """Return what the matrix products run in; everything that needs range or precision stays float32 under autocast."""
    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        return torch.bfloat16
    if device.type == "cpu" and torch.cpu._is_avx512_bf16_supported():
        return torch.bfloat16
    return torch.float32


def load_model(weights: Path, config: Path) -> Any:
    """Return the package's KModel with `weights` (.pth or .onnx) on the CPU; ConfigError when they are not Kokoro's."""
    settings = json.loads(config.read_text(encoding="utf-8"))
    if weights.suffix != ".onnx":
        return _trained_model(settings, weights)
    model = _empty_model(settings)
    with torch.no_grad():
        fill(model, read_parameters(weights))
    return model


def _empty_model(config: dict[str, Any]) -> Any:
    # The constructor insists on a file of weights; one with none in it leaves the modules as they were built.
    nothing = io.BytesIO()
    torch.save({}, nothing)
    nothing.seek(0)
    return KModel(repo_id=_REPOSITORY, config=config, model=nothing)


def _trained_model(config: dict[str, Any], weights: Path) -> Any:
    try:
        return KModel(repo_id=_REPOSITORY, config=config, model=str(weights))
    except Exception as error:  # pickle, zip and size errors, all of them about the file
        raise ConfigError(f"{weights} does not hold Kokoro's weights ({type(error).__name__}).") from error


def fill(model: torch.nn.Module, parameters: dict[str, Array]) -> None:
    """Copy `parameters` into the model, under no_grad; ConfigError when one that was trained is missing."""
    done = _fill_weight_norms(model, parameters)
    for name, parameter in model.named_parameters():
        if name not in done and name in parameters:
            parameter.copy_(torch.tensor(np.ascontiguousarray(parameters[name])).reshape(parameter.shape))
            done.add(name)
    left = [
        name
        for name, _ in model.named_parameters()
        if name not in done and not any(part in name for part in _UNTRAINED)
    ]
    if left:
        raise ConfigError(f"The ONNX file lacks {len(left)} parameters, {left[0]} among them; run `voicebot models`.")


def _fill_weight_norms(model: torch.nn.Module, parameters: dict[str, Array]) -> set[str]:
    """Split whole weights into length g and direction v for the modules that keep them apart."""
    done = set()
    for name, module in model.named_modules():
        if hasattr(module, "weight_v") and f"{name}.weight" in parameters:
            whole = torch.tensor(np.ascontiguousarray(parameters[f"{name}.weight"])).reshape(module.weight_v.shape)
            length = torch.norm_except_dim(whole, 2, 0)
            module.weight_g.copy_(length)
            # A row that was quantised to zeros has no direction: any will do with length 0, and 0/0 would make F0 NaN.
            module.weight_v.copy_(torch.where(length == 0, torch.ones_like(whole), whole))
            done |= {f"{name}.weight_g", f"{name}.weight_v"}
    return done
