"""The soak's verdict; many calls are in tests/integration."""

import glob
from pathlib import Path

import pytest

from gateway.bench.processes import Footprint
from gateway.bench.soak import RSS_TOLERANCE_BYTES, _is_flat, _table, soak

BEFORE = Footprint(50_000_000, 5, 10, 3)


@pytest.mark.parametrize(
    ("after", "flat"),
    [
        (BEFORE, True),
        (Footprint(BEFORE.rss_bytes + RSS_TOLERANCE_BYTES, 4, 9, 2), True),
        (Footprint(BEFORE.rss_bytes + RSS_TOLERANCE_BYTES + 1, 5, 10, 3), False),
        (Footprint(BEFORE.rss_bytes, 6, 10, 3), False),
        (Footprint(BEFORE.rss_bytes, 5, 11, 3), False),
        (Footprint(BEFORE.rss_bytes, 5, 10, 4), False),
    ],
)
def test_flat_is_nothing_more_than_before_and_little_memory(after: Footprint, flat: bool) -> None:
    assert _is_flat(BEFORE, after) is flat


def test_the_table_has_a_row_a_process() -> None:
    assert _table({"gateway": BEFORE, "worker": BEFORE}, {"gateway": BEFORE, "worker": BEFORE}).row_count == 2


async def test_a_recording_that_is_missing_stops_it_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises((OSError, ValueError)):
        await soak([tmp_path / "missing.wav"], 1, 1, tmp_path)
    assert not glob.glob(f"{tmp_path}/*")
