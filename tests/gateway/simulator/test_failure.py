"""A failed call says why."""

from gateway.simulator.failure import CallFailed


def test_its_text_names_the_stage_and_holds_the_sentence() -> None:
    assert str(CallFailed("rejected", "the gateway is busy")) == "simulator: rejected: the gateway is busy"
