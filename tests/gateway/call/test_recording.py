"""Recordings: both voices in true time in one stereo WAV, little memory, and nothing lost by a cancelled write."""

import asyncio
import os
import time
import wave
from pathlib import Path

import numpy as np
import pytest

from gateway.call.record import CallRecord
from gateway.call.recording import FLUSH_EVERY_S, RATE_HZ, Recording, Recordings, expire
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw
from tests.rig.waiting import until

FRAME_S = 0.02
LOUD = pcm_to_ulaw((np.ones(160) * 8000).astype("<i2").tobytes())


def recording(folder: Path, call_id: str = "CA1") -> Recording:
    return Recordings(folder, 30).of(CallRecord(call_id, "twilio", "2026-01-02T03:04:05.678+00:00"), ULAW_8K, ULAW_8K)


def channels(path: Path) -> np.ndarray:
    """The samples of both sides, one row a side."""
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, RATE_HZ)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2).T


def loud_s(side: np.ndarray) -> tuple[float, float]:
    """When a side begins and ends to sound."""
    at = np.flatnonzero(np.abs(side.astype(int)) > 1000)
    return float(at[0]) / RATE_HZ, float(at[-1] + 1) / RATE_HZ


def sizes(folder: Path, pattern: str = "*") -> dict[str, int]:
    return {file.name: file.stat().st_size for file in folder.glob(pattern)}


async def test_caller_is_left_and_bot_right_each_at_its_own_time(tmp_path: Path) -> None:
    made = recording(tmp_path)
    for number in range(50):
        made.caller(LOUD, number * FRAME_S)
    for number in range(100):
        made.bot(LOUD, 3.0 + number * FRAME_S)
    await made.finish()
    caller, bot = channels(made.path)
    assert loud_s(caller) == pytest.approx((0.0, 1.0), abs=0.02)
    assert loud_s(bot) == pytest.approx((3.0, 5.0), abs=0.02)
    assert list(sizes(tmp_path)) == [made.path.name]


async def test_jitter_is_no_hole_and_a_hole_is_a_silence_of_its_length(tmp_path: Path) -> None:
    made = recording(tmp_path)
    for number in range(50):
        made.caller(LOUD, number * FRAME_S + (0.05 if number % 2 else 0.0))
    made.caller(LOUD, 2.0)
    await made.finish()
    caller, _ = channels(made.path)
    assert len(caller) == round(2.02 * RATE_HZ)
    assert np.abs(caller[:8000].astype(int)).min() > 1000
    assert np.abs(caller[8000:16000]).max() == 0


async def test_what_has_come_is_on_disk_a_second_later_and_a_cancelled_write_loses_and_swaps_nothing(
    tmp_path: Path,
) -> None:
    made = recording(tmp_path)
    running = asyncio.create_task(made.run())
    tones = [pcm_to_ulaw((np.ones(160) * level).astype("<i2").tobytes()) for level in (2000, 4000, 8000)]
    made.caller(tones[0], 0.0)
    await asyncio.sleep(FLUSH_EVERY_S + 0.2)
    assert list(sizes(tmp_path, "*.caller.raw").values()) == [320]
    made.caller(tones[1], 0.02)
    writing = asyncio.create_task(made._flush())
    await asyncio.sleep(0)
    writing.cancel()
    running.cancel()
    made.caller(tones[2], 0.04)
    await made.finish()
    caller, _ = channels(made.path)
    assert [round(int(level), -3) for level in caller[80::160]] == [2000, 4000, 8000]


async def test_a_call_without_any_audio_still_makes_a_file(tmp_path: Path) -> None:
    made = recording(tmp_path / "new" / "folder")
    await made.finish()
    assert channels(made.path).shape == (2, 0)


async def test_a_disk_that_cannot_be_written_costs_the_recording_only(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a folder is due")
    made = recording(tmp_path / "taken")
    made.caller(LOUD, 0.0)
    await made.finish()
    assert not made.path.exists()


@pytest.mark.parametrize("call_id", ["../../etc/passwd", "CA 1/2", "x" * 500, "ä:*?"])
def test_a_strange_call_id_stays_a_name_in_the_folder(tmp_path: Path, call_id: str) -> None:
    path = recording(tmp_path, call_id).path
    assert path.parent == tmp_path
    assert len(path.name) < 256
    assert path.name.isascii()


def _aged(path: Path, days: float) -> None:
    path.write_bytes(b"RIFF")
    at = time.time() - days * 86_400
    os.utime(path, (at, at))


def test_only_old_recordings_are_deleted(tmp_path: Path) -> None:
    for name, days in (("old.wav", 31), ("crashed.caller.raw", 40), ("new.wav", 29), ("notes.txt", 99)):
        _aged(tmp_path / name, days)
    assert expire(tmp_path, time.time() - 30 * 86_400) == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.wav", "notes.txt"]
    assert expire(tmp_path / "missing", time.time()) == 0


async def test_the_gateway_deletes_old_ones_as_soon_as_it_starts(tmp_path: Path) -> None:
    _aged(tmp_path / "old.wav", 31)
    expiring = asyncio.create_task(Recordings(tmp_path, 30).expire_for_ever())
    await until(lambda: not sizes(tmp_path))
    expiring.cancel()
