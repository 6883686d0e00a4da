"""From what an instance holds to a fleet: how many at least and at most, and when to order more.

Two facts shape it. New instances take minutes, and while an endpoint is being updated it takes no further order: an
order that has just missed growth is corrected only after a second whole scale-out. So calls may grow for one detection
and two fulfilments before the fleet follows, and the fleet must hold them meanwhile, with its spare instances missing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from config.errors import ConfigError
from gateway.plan.capacity import Instance, one_instance
from gateway.plan.inputs import Inputs
from gateway.plan.ladder import Ladder

# The smallest fleet is chosen so that its target is at least this share of what an instance holds. More would keep more
# machines through the night; less would run all day's instances emptier.
_WORTHWHILE = 0.5
# AWS takes capacity limits as a whole number; a plan beyond this is a slip of the pen.
_MOST_INSTANCES = 10_000
# Scale-in waits at least this long between two instances; a minute's lull is no evening.
_LEAST_SCALE_IN_S = 300
# The threshold of giving one up lies this far below the level at which the rest would be ordered back at once.
_HYSTERESIS = 0.9


@dataclass(frozen=True, slots=True)
class Plan:
    """A fleet. `target` is calls an instance; times in s; `growth` calls are what may come before new instances do."""

    instance: Instance
    least: int
    most: int
    target: float
    scale_in_below: float
    growth: float
    window_s: float
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int

    @property
    def fixed(self) -> bool:
        """Whether growth outruns scaling, so that the peak's instances stay on all day."""
        return self.least == self.most


def plan(ladder: Ladder, inputs: Inputs) -> Plan:
    """Return the fleet. Raises ConfigError where no fleet keeps the promises."""
    calls, spare, scale_out = inputs.calls, inputs.promises.spare_instances, inputs.scale_out
    instance = one_instance(ladder, calls, inputs.promises)
    window_s = scale_out.detect_s + 2 * scale_out.fulfil_s
    growth = min(calls.growth_per_minute * window_s / 60, calls.at_once)
    if not instance.holds(calls.at_once, _MOST_INSTANCES):
        raise ConfigError(f"{calls.at_once:.0f} calls at once need more than {_MOST_INSTANCES} instances; check them")
    most = spare + _first(lambda n: instance.holds(calls.at_once, n), 1, _MOST_INSTANCES)

    # Rises with the instances: growth and what is missing are shared by more.
    def target(instances: int) -> float:
        return (instance.held_by(instances - spare) - growth) / instances

    worthwhile = _WORTHWHILE * instance.at_once
    least = _first(lambda n: target(n) >= worthwhile and target(n) * n >= calls.quiet, 1 + spare, most)
    # A fleet that never changes has no use for a target; this one leaves it alone.
    chosen = target(least) if least < most else instance.held_by(most - spare) / most
    return Plan(
        instance,
        least,
        most,
        _hundredths(chosen),
        _hundredths(_HYSTERESIS * chosen * least / (least + 1)),
        growth,
        window_s,
        _tens(scale_out.fulfil_s),
        _tens(max(_LEAST_SCALE_IN_S, 3 * scale_out.total_s, calls.duration_s)),
    )


def _first(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The least number from `low` that is enough; `high` when none below it is. More is enough where less is."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def _hundredths(calls: float) -> float:
    return max(1, math.floor(100 * calls)) / 100


def _tens(seconds: float) -> int:
    return 10 * math.ceil(seconds / 10)


def published_formula(ladder: Ladder, requests_per_s: float, limit_ms: float) -> int:
    """What the widely copied formula would give: ceil(requests/s x S / C), wrong by a factor of about 31.

    S is the time of one request alone and C three quarters of Q_max, as if Q_max requests ran side by side, each as
    fast as alone. They do not: the ladder's requests a second stand still while its clients rise, for Q_max is what may
    queue within the limit.
    """
    alone_s = 1 / float(ladder.requests_per_s[0] / ladder.clients[0])
    return max(1, math.ceil(requests_per_s * alone_s / (0.75 * max(1, ladder.q_max(limit_ms)))))
