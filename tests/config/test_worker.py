"""The worker's settings, alone and as replicas."""

import pytest

from config.errors import ConfigError
from config.sources import load_worker


def test_a_worker_off_loopback_wants_a_token() -> None:
    with pytest.raises(ConfigError, match=r"worker\.token is empty while worker\.host is 0\.0\.0\.0"):
        load_worker(overrides=["worker.host=0.0.0.0"], environ={})
    assert load_worker(overrides=["worker.host=0.0.0.0", "worker.token=x"], environ={}).worker.host == "0.0.0.0"


def test_a_worker_behind_a_guard_of_its_own_needs_no_token() -> None:
    # SageMaker hands no bearer token to a stream; who may call is IAM's business, and nobody else reaches the port.
    assert load_worker(overrides=["worker.host=0.0.0.0", "worker.guarded=true"], environ={}).worker.token == ""


def test_replicas_are_at_most_as_many_as_at_least() -> None:
    with pytest.raises(ConfigError, match="max_replicas 4 is below min_replicas 9"):
        load_worker(overrides=["worker.ray.min_replicas=9"], environ={})


def test_by_itself_a_replica_aims_at_fewer_calls_than_it_may_take() -> None:
    own = load_worker(environ={}).worker
    assert own.ray.target_sessions < own.max_sessions
