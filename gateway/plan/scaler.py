"""The autoscaling service in the simulation: target tracking as Application Auto Scaling does it for an endpoint."""

import math
from collections import deque
from dataclasses import dataclass

from gateway.plan.inputs import ScaleOut


@dataclass(frozen=True, slots=True)
class Policy:
    """Between `least` and `most` instances, ordering so that calls an instance return to `target`."""

    least: int
    most: int
    target: float
    cooldown_s: float

    def instances_for(self, calls: float) -> int:
        return min(self.most, max(self.least, math.ceil(calls / self.target)))


class Scaler:
    """Watches calls an instance, a sample each metric period, and says how many instances to order.

    The wish follows the metric proportionally. An endpoint that is being updated takes no order, and none is made until
    the cooldown since the last one has passed. It never orders fewer: scaling in is a slow policy of its own.
    """

    def __init__(self, policy: Policy, scale_out: ScaleOut) -> None:
        self._policy = policy
        self._seen: deque[float] = deque(maxlen=scale_out.datapoints)
        self._free_s = 0.0

    def sample(self, now_s: float, calls: int, in_service: int, ordered: int) -> int:
        """Return how many instances to add, 0 for none; `ordered` counts those in service and those to come."""
        self._seen.append(calls / in_service)
        breached = len(self._seen) == self._seen.maxlen and min(self._seen) > self._policy.target
        missing = self._policy.instances_for(calls) - ordered
        if not breached or missing <= 0 or ordered > in_service or now_s < self._free_s:
            return 0
        self._free_s = now_s + self._policy.cooldown_s
        return missing
