import subprocess
import sys
from pathlib import Path

import pytest

from config.store_lock import hold_store

HOLDER = """
import sys
from pathlib import Path
from config.store_lock import hold_store
with hold_store(Path(sys.argv[1]), 0.0, lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path):  # type: ignore[no-untyped-def]  # pytest's own generator type says nothing more
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_free_store_is_held_without_waiting(tmp_path: Path) -> None:
    waits: list[str] = []
    with hold_store(tmp_path, 0.0, lambda: waits.append("waited")):
        pass
    assert waits == []


def test_a_store_in_use_is_given_up_after_the_wait(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    waits: list[str] = []
    with pytest.raises(TimeoutError), hold_store(tmp_path, 0.0, lambda: waits.append("waited")):
        pytest.fail("two processes hold the store")
    assert waits == ["waited"]


def test_a_store_is_free_when_its_holder_dies(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    with hold_store(tmp_path, 10.0, holder.kill):
        assert holder.wait(timeout=10) != 0
