"""A whole call with recording on: what is on disk is what the line carried, in true time."""

import asyncio
import wave
from pathlib import Path

import numpy as np
import pytest

from gateway.call.recording import RATE_HZ, Recordings
from gateway.simulator.call import CallTrace
from tests.rig.call import Rig, sound
from tests.rig.clock import run_leaping

FRAME = RATE_HZ // 50


def levels(samples: np.ndarray) -> np.ndarray:
    """Whether each 20 ms is loud."""
    whole = samples[: len(samples) // FRAME * FRAME].astype(float).reshape(-1, FRAME)
    return np.sqrt((whole**2).mean(axis=1)) > 500


def alike(one: np.ndarray, other: np.ndarray) -> float:
    """The share of frames that are loud in both or in neither; the caller's clock may be a frame or two off."""
    length = min(len(one), len(other)) - 2
    return max(float((one[lag : lag + length - 4] == other[: length - 4]).mean()) for lag in (0, 1, 2))


def test_caller_and_bot_are_recorded_in_true_time(tmp_path: Path) -> None:
    async def main() -> CallTrace:
        rig = Rig()
        gateway = rig.gateway()
        gateway._recordings = Recordings(tmp_path, 30)
        trace, _ = await rig.call([sound(0.8), sound(0.5)], gateway=gateway)
        return trace

    trace = run_leaping(main())
    (path,) = tmp_path.glob("*")
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getframerate()) == (2, RATE_HZ)
        caller, bot = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2).T
    assert len(caller) / RATE_HZ == pytest.approx(trace.duration_s, abs=0.3)
    assert alike(levels(caller), levels(np.frombuffer(trace.caller_pcm, "<i2"))) > 0.98
    assert alike(levels(bot), levels(np.frombuffer(trace.heard_pcm, "<i2"))) > 0.98
    assert levels(bot).any()


async def test_without_a_folder_nothing_is_recorded(tmp_path: Path) -> None:
    await asyncio.sleep(0)
    assert Rig().gateway()._recordings is None
