"""Sequence numbers and offers, on their own; their use is in test_genesys_stream."""

import json

import pytest

from gateway.platforms.genesys_wire import MAX_OFFERS, Media, Numbers, choose
from gateway.platforms.json_stream import Breach

EXTERNAL = {"type": "audio", "format": "PCMU", "channels": ["external"], "rate": 8000}


def test_each_side_counts_its_own_and_tells_what_it_has_had() -> None:
    numbers = Numbers()
    numbers.take({"seq": 1, "serverseq": 0})
    first, second = (json.loads(numbers.write("pong", "s", {"a": 1})) for _ in range(2))
    assert first == {"version": "2", "type": "pong", "id": "s", "seq": 1, "clientseq": 1, "parameters": {"a": 1}}
    assert second["seq"] == 2
    numbers.take({"seq": 2, "serverseq": 2})
    assert json.loads(numbers.write("pong", "s", {}))["clientseq"] == 2


@pytest.mark.parametrize(("seq", "serverseq"), [(1, 1), (0, 0), (2, 0), (None, 0), (1, -1)])
def test_a_number_out_of_order_ends_the_session(seq: int | None, serverseq: int) -> None:
    with pytest.raises(Breach) as breach:
        Numbers().take({"seq": seq, "serverseq": serverseq})
    assert (breach.value.code, breach.value.fatal) == ("bad_sequence", True)


def test_the_offer_taken_is_told_as_it_was_made() -> None:
    media = choose([EXTERNAL])
    assert media == Media("PCMU", ("external",))
    assert media.as_json() == EXTERNAL


@pytest.mark.parametrize("offers", [None, []])
def test_without_offers_there_is_no_audio(offers: object) -> None:
    assert choose(offers) is None


def test_offers_without_end_are_not_read_to_it() -> None:
    with pytest.raises(Breach):
        choose([{}] * MAX_OFFERS + [EXTERNAL])
