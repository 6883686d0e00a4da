"""The plan's fleet beside smaller ones and the published formula's, on the same simulated days."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from config.errors import ConfigError
from gateway.plan.day import day_of
from gateway.plan.fleet import Plan, published_formula
from gateway.plan.inputs import Inputs
from gateway.plan.ladder import Ladder
from gateway.plan.scaler import Policy
from gateway.plan.simulation import Outcome, Simulation

# Days a fleet lives through: on one, calls are a few percent more than was forecast, on another fewer.
DAYS = 4
# About a minute a day of one fleet. A fleet of a few thousand calls fits, a slip of the pen does not.
_MOST_EVENTS = 5_000_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a fleet did: late replies of the worst phase, a mean over its days with its standard error; refused callers.

    `holds` when the promises were kept, a late share within its error of the promise included.
    """

    fleet: str
    most: int
    late_share: float
    late_error: float
    refused_share: float
    holds: bool
    days: Sequence[Outcome]


def policy_of(plan: Plan, most: int) -> Policy:
    """The plan's policy with `most` instances instead of its own."""
    return Policy(min(plan.least, most), most, plan.target, plan.scale_out_cooldown_s)


def published_instances(ladder: Ladder, inputs: Inputs) -> int:
    """What the published formula would give for the same calls, a sentence a request."""
    calls = inputs.calls
    sentences_per_s = calls.at_once * calls.sentences_per_turn / calls.turn_s
    return published_formula(ladder, sentences_per_s, inputs.promises.first_audio_ms)


def compare(ladder: Ladder, inputs: Inputs, plan: Plan, days: int = DAYS) -> list[Verdict]:
    """Simulate the plan's fleet, one instance fewer, and the published formula's.

    Raises ConfigError where that would take too long.
    """
    day = day_of(plan, inputs)
    replies_per_s = inputs.calls.at_once / inputs.calls.turn_s
    events = day.end_s * (2 * replies_per_s + day.most_arrivals_per_s + 1 / inputs.scale_out.metric_period_s)
    if events > _MOST_EVENTS:
        raise ConfigError(
            f"a simulated day would have {events / 1e6:.0f} million events, too many to wait for; "
            "simulate a tenth of the calls"
        )
    fleets = {"this plan": plan.most}
    if plan.most > 1:
        fleets["one instance fewer"] = plan.most - 1
    fleets["published formula"] = published_instances(ladder, inputs)
    return [judged(name, ladder, inputs, plan, most, days) for name, most in fleets.items()]


def judged(name: str, ladder: Ladder, inputs: Inputs, plan: Plan, most: int, days: int) -> Verdict:
    """Simulate a fleet of up to `most` instances, each day from a seed of its own."""
    day, policy = day_of(plan, inputs), policy_of(plan, most)
    outcomes = [Simulation(ladder, inputs, policy, day, seed).run() for seed in range(1, days + 1)]
    late, error = max(_mean_and_error([day.late_share(phase) for day in outcomes]) for phase in outcomes[0].replies)
    refused = sum(outcome.refused for outcome in outcomes) / max(1, sum(outcome.calls for outcome in outcomes))
    promises = inputs.promises
    holds = late - error <= promises.late_share and refused <= promises.refused_share
    return Verdict(name, most, late, error, refused, holds, outcomes)


def _mean_and_error(shares: Sequence[float]) -> tuple[float, float]:
    spread = statistics.stdev(shares) if len(shares) > 1 else 0.0
    return statistics.fmean(shares), spread / math.sqrt(len(shares))
