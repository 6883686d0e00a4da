"""Kokoro in PyTorch: the kokoro package's own model on a CUDA card, Apple's GPU, or the CPU."""

import io
import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import structlog
import torch
from kokoro.model import KModel

from config.errors import ConfigError
from config.models import ModelStore
from tts_worker.g2p import Phonemizer
from tts_worker.kokoro import KokoroEngine, Utterance
from tts_worker.onnx_parameters import Array, read_parameters
from tts_worker.symbols import Alphabet
from tts_worker.voices import Style, VoiceBook
from tts_worker.weights import KokoroFiles, locate_kokoro

log = structlog.get_logger(__name__)

_REPOSITORY = "hexgrad/Kokoro-82M"  # the kokoro package wants a name, even when nothing is asked of the hub
# Parameters the ONNX file does not have: BERT's pooler is never used, the norms' scale and shift are 1 and 0.
_UNTRAINED = ("bert.pooler.", ".norm.")


class TorchNetwork:
    """The network on one device. Weights: a .pth of the model's own, or an ONNX file they are rebuilt from."""

    def __init__(self, weights: Path, config: Path, device: str, threads: int) -> None:
        self._weights = weights
        self._config = config
        self._device = torch.device(device)
        self._threads = threads
        self._model: Any = None

    def load(self) -> None:
        if self._device.type == "cpu":
            torch.set_num_threads(self._threads)
        config = json.loads(self._config.read_text(encoding="utf-8"))
        if self._weights.suffix == ".onnx":
            self._model = _empty_model(config)
            with torch.no_grad():
                fill(self._model, read_parameters(self._weights))
        else:
            self._model = _trained_model(config, self._weights)
        self._model.to(self._device).eval()
        log.info("torch_network_loaded", device=str(self._device), dtype=str(_dtype(self._device)))

    def speak(self, tokens: list[int], style: Style, speed: float) -> Utterance:
        ids = torch.tensor([tokens], dtype=torch.long, device=self._device)
        reference = torch.from_numpy(style).to(self._device)
        with torch.inference_mode(), _precision(self._device):
            audio, durations = self._model.forward_with_tokens(ids, reference, speed)
        return Utterance(audio.reshape(-1).float().cpu().numpy(), durations.reshape(-1).cpu().numpy().astype(np.int64))

    def close(self) -> None:
        self._model = None
        if self._device.type == "cuda":
            torch.cuda.empty_cache()


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


def _dtype(device: torch.device) -> torch.dtype:
    """Return what the matrix products run in; everything that needs range or precision stays float32 under autocast."""
    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        return torch.bfloat16
    if device.type == "cpu" and torch.cpu._is_avx512_bf16_supported():
        return torch.bfloat16
    return torch.float32


def _precision(device: torch.device) -> AbstractContextManager[Any]:
    dtype = _dtype(device)
    return nullcontext() if dtype is torch.float32 else torch.autocast(device.type, dtype=dtype)


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
