import struct

import pytest

from media.level import FLOOR_DBFS, rms_dbfs
from tests.media.signals import tone


@pytest.mark.parametrize(("amplitude", "dbfs"), [(1.0, -3.01), (0.5, -9.03), (0.01, -43.01)])
def test_a_sine_is_three_db_below_its_peak(amplitude: float, dbfs: float) -> None:
    assert rms_dbfs(tone(1000, 8000, 1.0, amplitude)) == pytest.approx(dbfs, abs=0.05)


def test_a_full_scale_square_wave_is_the_reference() -> None:
    assert rms_dbfs(struct.pack("<2h", -32768, -32768)) == 0.0


@pytest.mark.parametrize("pcm", [b"", b"\0" * 320, b"\x7f"])
def test_silence_and_nothing_are_at_the_floor(pcm: bytes) -> None:
    assert rms_dbfs(pcm) == FLOOR_DBFS


def test_the_smallest_step_is_above_the_floor() -> None:
    assert rms_dbfs(b"\x01\x00") > FLOOR_DBFS


def test_a_lone_last_byte_does_not_count() -> None:
    assert rms_dbfs(tone(440, 8000, 0.1) + b"\x7f") == rms_dbfs(tone(440, 8000, 0.1))
