"""Kokoro on ONNX Runtime: the embedded default, int8, on CPU threads."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort

from config.errors import ConfigError
from tts_worker.engine import Interrupted
from tts_worker.g2p import Phonemizer
from tts_worker.kokoro import Asked, KokoroEngine, Network, Utterance
from tts_worker.symbols import Alphabet
from tts_worker.threads import choose_threads
from tts_worker.voices import STYLE_SIZE, VoiceBook
from tts_worker.weights import DURATIONS, locate_kokoro, with_durations

_AUDIO = "audio"
# What the self-test of threads says: as many tokens as a short sentence has, any of the alphabet.
_TEST_TOKENS = [0, *range(43, 83), 0]


class OnnxNetwork(Network):
    """The network on `threads` CPU threads; 0 takes as many as a self-test at `load` finds worth it.

    A batch would be slower here than its pieces one after another: int8 convolutions gain nothing from it on a CPU.
    """

    def __init__(self, source: Path, threads: int) -> None:
        self._source = source
        self._threads = threads
        self._session: ort.InferenceSession | None = None
        self._run: ort.RunOptions | None = None

    def load(self) -> None:
        path = with_durations(self._source)
        self._session = _open(path, self._threads or choose_threads(_test_of(path)))

    def speak(self, asked: Sequence[Asked], wanted: Callable[[int], bool]) -> list[Utterance | None]:
        return [self._say(one) if wanted(item) else None for item, one in enumerate(asked)]

    def _say(self, asked: Asked) -> Utterance:
        assert self._session is not None, "load comes first"
        self._run = run = _run_options()
        try:
            audio, durations = self._session.run([_AUDIO, DURATIONS], _feed(asked), run)
        except Exception as error:  # the runtime has no error class of its own for a run that was told to end
            if run.terminate:
                raise Interrupted from error
            raise
        finally:
            self._run = None
        return Utterance(audio.reshape(-1), durations.reshape(-1).astype(np.int64))

    def interrupt(self) -> None:
        """End the run in work at its next operator."""
        run = self._run
        if run is not None:
            run.terminate = True

    def close(self) -> None:
        self._session = None


def _run_options() -> ort.RunOptions:
    options = ort.RunOptions()
    # The arena grows with the longest piece, to 400 MB; kept, they would be the process's until its end. Giving them
    # back costs no time that could be measured.
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def _feed(asked: Asked) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    return {
        "tokens": np.array([asked.tokens], np.int64),
        "style": asked.style,
        "speed": np.array([asked.speed], np.float32),
    }


def _open(path: Path, threads: int) -> ort.InferenceSession:
    """Load the graph; ConfigError when it is none."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1  # the graph is a chain; a second pool would only wait
    # Threads that spin while they wait gain nothing here and take the gateway's cores between sentences.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's error classes are not public
        raise ConfigError(f"{path} cannot be loaded ({type(error).__name__}); delete it and start again.") from error


def _test_of(path: Path) -> Callable[[int], Callable[[], object]]:
    """Return what opens a session of so many threads and says a test sentence with it.

    One session at a time: two would leave the process a copy of the weights larger for good.
    """
    feed = _feed(Asked(_TEST_TOKENS, np.zeros((1, STYLE_SIZE), np.float32), 1.0))

    def opened(threads: int) -> Callable[[], object]:
        session = _open(path, threads)
        return lambda: session.run([_AUDIO], feed, _run_options())

    return opened


def build_engine(models_dir: str, weights: str, threads: int, device: str) -> KokoroEngine:
    """Return the engine; `weights` may be the path of an ONNX file. Raises ConfigError when a file is missing.

    This runtime is used on the CPU only, whatever `device` says: "auto" and "cpu" are accepted.
    """
    if device not in ("auto", "cpu"):
        raise ConfigError(f"worker.engine kokoro_onnx runs on the CPU, not on {device}; use kokoro_torch for that.")
    files = locate_kokoro(models_dir, weights)
    phonemizer = Phonemizer(Alphabet.load(files.config))
    return KokoroEngine("kokoro_onnx", OnnxNetwork(files.onnx, threads), VoiceBook(files.voices), phonemizer)
