from gateway.plan.inputs import ScaleOut
from gateway.plan.scaler import Policy, Scaler

POLICY = Policy(least=2, most=6, target=10.0, cooldown_s=100.0)


def test_an_order_wants_every_datapoint_above_the_target() -> None:
    scaler = Scaler(POLICY, ScaleOut(datapoints=3))
    orders = [scaler.sample(10.0 * n, calls, 2, 2) for n, calls in enumerate((30, 30, 20, 30, 30, 31))]
    assert orders == [0, 0, 0, 0, 0, 2]


def test_an_endpoint_that_is_being_updated_takes_no_order() -> None:
    scaler = Scaler(POLICY, ScaleOut(datapoints=1))
    assert scaler.sample(0.0, 30, in_service=2, ordered=3) == 0


def test_the_cooldown_passes_before_the_next_order() -> None:
    scaler = Scaler(POLICY, ScaleOut(datapoints=1))
    assert scaler.sample(0.0, 30, 2, 2) == 1
    assert scaler.sample(99.0, 45, 3, 3) == 0
    assert scaler.sample(100.0, 45, 3, 3) == 2


def test_never_more_than_the_most_nor_fewer_than_the_least() -> None:
    assert Scaler(POLICY, ScaleOut(datapoints=1)).sample(0.0, 1000, 5, 5) == 1
    assert (POLICY.instances_for(0), POLICY.instances_for(31), POLICY.instances_for(1e6)) == (2, 4, 6)
