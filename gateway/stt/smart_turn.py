"""Smart Turn v3: a small network that hears whether a turn is over, by intonation and rhythm, in 23 languages.

Daily's model (BSD 2-Clause), an encoder of the Whisper family with a classifier behind it: input the log-mel spectrum
of the last 8 s, silence in front of what is shorter; output the probability that the speaker is done. It was trained
on pauses of about 200 ms. 8.7 MB, int8; a look takes about half as long as reading a sentence with Whisper base.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime
import structlog

from gateway.stt.base import STT_RATE_HZ
from gateway.stt.log_mel import log_mel

log = structlog.get_logger(__name__)

WINDOW_S = 8
_WINDOW_SAMPLES = WINDOW_S * STT_RATE_HZ
_FULL_SCALE = 32_768
# The words decide after 350 ms or more of silence; what waits behind more looks than this comes too late for it.
MOST_WAITING = 4


class SmartTurnNetwork:
    """The network. One thread; no state."""

    def __init__(self, model: Path) -> None:
        """Raise what onnxruntime does when the file is no such model."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name

    def finality(self, pcm: bytes) -> float:
        """Return how likely it is that who spoke is done, 0 to 1, from 16 kHz s16le up to now; WINDOW_S of it count."""
        samples = np.frombuffer(pcm, np.int16)[-_WINDOW_SAMPLES:].astype(np.float32) / _FULL_SCALE
        window = np.zeros(_WINDOW_SAMPLES, np.float32)
        window[_WINDOW_SAMPLES - len(samples) :] = samples
        (found,) = self._session.run(None, {self._input: log_mel(window)[None]})
        return float(found.ravel()[0])


class SmartTurn:
    """A Prosody with a thread of its own. Loads the network at the first question."""

    def __init__(self, model: Path) -> None:
        self._model = model
        self._network: SmartTurnNetwork | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="smart-turn")
        self._asked: set[asyncio.Future[float]] = set()
        self._failed = False

    def ask(self, pcm: bytes, tell: Callable[[float], None]) -> None:
        if self._failed or len(self._asked) >= MOST_WAITING:
            return
        asked = asyncio.get_running_loop().run_in_executor(self._thread, self._look, pcm)
        self._asked.add(asked)
        asked.add_done_callback(lambda done: self._told(done, tell))

    async def close(self) -> None:
        """Wait for the looks that are asked for: at most MOST_WAITING."""
        while self._asked:
            await asyncio.wait(self._asked)
        self._thread.shutdown()

    def _look(self, pcm: bytes) -> float:
        if self._network is None:
            self._network = SmartTurnNetwork(self._model)
        return self._network.finality(pcm)

    def _told(self, done: "asyncio.Future[float]", tell: Callable[[float], None]) -> None:
        self._asked.discard(done)
        error = done.exception()
        if error is None:
            tell(done.result())
        elif not self._failed:
            self._failed = True
            log.warning("prosody_failed", error=repr(error), meaning="pauses are judged by the words alone")
