"""Kokoro on ONNX Runtime: the embedded default, int8, on CPU threads."""

from pathlib import Path

import numpy as np
import onnxruntime as ort

from config.errors import ConfigError
from tts_worker.g2p import Phonemizer
from tts_worker.kokoro import KokoroEngine, Utterance
from tts_worker.symbols import Alphabet
from tts_worker.voices import Style, VoiceBook
from tts_worker.weights import DURATIONS, locate_kokoro, with_durations

_AUDIO = "audio"


class OnnxNetwork:
    """The network on `threads` CPU threads."""

    def __init__(self, source: Path, threads: int) -> None:
        self._source = source
        self._threads = threads
        self._session: ort.InferenceSession | None = None

    def load(self) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1  # the graph is a chain; a second pool would only wait
        # Threads that spin while they wait gain nothing here and take the gateway's cores between sentences.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        path = with_durations(self._source)
        try:
            self._session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime's error classes are not public
            raise ConfigError(
                f"{path} cannot be loaded ({type(error).__name__}); delete it and start again."
            ) from error

    def speak(self, tokens: list[int], style: Style, speed: float) -> Utterance:
        assert self._session is not None, "load comes first"
        feed = {"tokens": np.array([tokens], np.int64), "style": style, "speed": np.array([speed], np.float32)}
        audio, durations = self._session.run([_AUDIO, DURATIONS], feed)
        return Utterance(audio.reshape(-1), durations.reshape(-1).astype(np.int64))

    def close(self) -> None:
        self._session = None


def build_engine(models_dir: str, weights: str, threads: int, device: str) -> KokoroEngine:
    """Return the engine; `weights` may be the path of an ONNX file. Raises ConfigError when a file is missing.

    This runtime is used on the CPU only, whatever `device` says: "auto" and "cpu" are accepted.
    """
    if device not in ("auto", "cpu"):
        raise ConfigError(f"worker.engine kokoro_onnx runs on the CPU, not on {device}; use kokoro_torch for that.")
    files = locate_kokoro(models_dir, weights)
    phonemizer = Phonemizer(Alphabet.load(files.config))
    return KokoroEngine("kokoro_onnx", OnnxNetwork(files.onnx, threads), VoiceBook(files.voices), phonemizer)
