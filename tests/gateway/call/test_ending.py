"""Why a call ended: a reason, a code, or at least a name."""

import pytest

from gateway.call.ending import CallOver, reason_of
from gateway.errors import PeerFault


@pytest.mark.parametrize(
    ("error", "reason"),
    [(CallOver("goodbye"), "goodbye"), (PeerFault("peer_gone"), "peer_gone"), (ValueError("x"), "ValueError")],
)
@pytest.mark.parametrize("depth", [1, 3])
def test_the_first_error_tells(error: Exception, reason: str, depth: int) -> None:
    group: Exception = error
    for _ in range(depth):
        group = ExceptionGroup("tasks", [group, CallOver("later")])
    assert isinstance(group, ExceptionGroup)
    assert reason_of(group) == reason
