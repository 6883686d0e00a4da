"""The day that is simulated: calls grow to the peak, the fleet settles, the peak, the peak with instances lost."""

from dataclasses import dataclass

from gateway.plan.fleet import Plan
from gateway.plan.inputs import Inputs

# A growth slower than this is begun on its way: nothing new would be seen before.
_LONGEST_GROWTH_S = 3600.0
# Where growth begins, as a share of what the smallest fleet takes before it orders more.
_BEGINNING = 0.8
# Long enough to read a share of a few percent, short enough to wait for.
_PEAK_S, _LEAST_LOST_S = 600.0, 300.0


@dataclass(frozen=True, slots=True)
class Day:
    """When what happens, in seconds from the beginning, and how many calls at once (a mean) are to be expected."""

    beginning: float
    peak: float
    growth_per_s: float
    duration_s: float
    settling_s: float
    lost_s: float

    @property
    def grown_s(self) -> float:
        return (self.peak - self.beginning) / self.growth_per_s if self.growth_per_s else 0.0

    @property
    def loss_s(self) -> float:
        """When instances are lost."""
        return self.grown_s + self.settling_s + _PEAK_S

    @property
    def end_s(self) -> float:
        """The end: what was lost would just be replaced."""
        return self.loss_s + self.lost_s

    def phase(self, at_s: float) -> str:
        if at_s < self.grown_s:
            return "growth"
        if at_s < self.grown_s + self.settling_s:
            return "settling"
        return "peak" if at_s < self.loss_s else "instances lost"

    def calls_at(self, at_s: float) -> float:
        return min(self.peak, self.beginning + self.growth_per_s * at_s)

    def arrivals_per_s(self, at_s: float) -> float:
        """The rate of new calls that keeps `calls_at`: those that end are followed, and growth comes on top."""
        growth = self.growth_per_s if at_s < self.grown_s else 0.0
        return self.calls_at(at_s) / self.duration_s + growth

    @property
    def most_arrivals_per_s(self) -> float:
        return self.peak / self.duration_s + self.growth_per_s


def day_of(plan: Plan, inputs: Inputs) -> Day:
    """The day that tries a plan hardest: growth as fast as promised, from the smallest fleet."""
    peak, growth_per_s = inputs.calls.at_once, inputs.calls.growth_per_minute / 60
    beginning = max(inputs.calls.quiet, _BEGINNING * plan.least * plan.target, peak - growth_per_s * _LONGEST_GROWTH_S)
    return Day(
        min(peak, beginning) if growth_per_s else peak,
        peak,
        growth_per_s,
        inputs.calls.duration_s,
        plan.window_s if growth_per_s else 0.0,
        max(_LEAST_LOST_S, inputs.scale_out.fulfil_s),
    )
