"""What the platforms' ringing shares."""

import uuid

import pytest

from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Door, Reply, Webhook, numbered_uuid, pair_of, websocket


def test_equal_seeds_give_equal_ids_and_numbers_tell_them_apart() -> None:
    assert numbered_uuid("a") == numbered_uuid("a", 0)
    assert len({numbered_uuid("a"), numbered_uuid("b"), numbered_uuid("a", 1)}) == 3
    assert str(uuid.UUID(numbered_uuid("a"))) == numbered_uuid("a")


@pytest.mark.parametrize(
    ("web", "socket"), [("http://h:1", "ws://h:1"), ("https://h/p", "wss://h/p"), ("wss://h", "wss://h"), ("", "")]
)
def test_a_web_address_becomes_a_sockets(web: str, socket: str) -> None:
    assert websocket(web) == socket


def test_a_secret_of_two_parts_is_split_at_its_first_colon() -> None:
    assert pair_of("user:pass:word") == ("user", "pass:word")
    assert pair_of("") == ("", "")
    with pytest.raises(CallFailed, match="first:second"):
        pair_of("only-one")


def test_secrets_and_callers_are_not_in_a_repr() -> None:
    shown = [
        Webhook("POST", "u", {"Authorization": "never-shown"}, b"never-shown"),
        Reply("t", "never-shown"),
        Door("u", {"a": "never-shown"}),
    ]
    assert "never-shown" not in repr(shown)
