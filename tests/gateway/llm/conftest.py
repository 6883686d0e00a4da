"""What every test of a real client holds true."""

import threading
import time
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _own_credentials_only(monkeypatch: pytest.MonkeyPatch) -> None:
    # A bearer token would win over the session's keys, and the SDK refuses to send it over plain http.
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(autouse=True)
def _no_thread_stays() -> Iterator[None]:
    yield
    deadline_s = time.monotonic() + 1.0
    while (left := turn_threads()) and time.monotonic() < deadline_s:
        time.sleep(0.005)
    assert left == 0, "a turn's thread is still alive"


def turn_threads() -> int:
    return sum(t.name.startswith("bedrock-turn") for t in threading.enumerate())
