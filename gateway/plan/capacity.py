"""How many calls instances hold. The unit is the call: a session stays open from greeting to hang-up, mostly silent.

One instance and its calls are a closed queueing network. Every call is either served (it waits for speech) or idle (it
listens to speech already sent, or its caller talks). The ladder measured exactly the server of that network: how fast
it is with 1, 5, 10 ... clients waiting (a flow-equivalent server; Chandy, Herzog and Woo, IBM J. R&D 19-1, 1975). With
C calls and exponential times the number waiting is a birth-death chain, and a call that begins to wait finds the state
of a network of C - 1 calls (the arrival theorem; Lavenberg and Reiser, 1980). `Q_max`, the clients of a closed loop who
still get first audio in time, is therefore not the number of calls: a caller asks for speech a fraction of the time.

Many instances share Poisson many calls, levelled by the router (least outstanding requests). Callers are turned away
when all sessions are taken, as Erlang's B formula has it.
"""

from dataclasses import dataclass

import numpy as np

from config.errors import ConfigError
from gateway.plan.inputs import Calls, Promises
from gateway.plan.ladder import Floats, Ladder

# Poisson weights are summed this many standard deviations to either side; beyond them lies less than 1e-14.
_SIGMAS = 8.0
# Calls are found to this precision; finer than any forecast.
_CALLS_STEP = 0.05


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance under a call profile. `late[c]` is the share of late replies with c calls, c from 0 to its sessions.

    `by_speech` calls would keep the engine busy all the time; `at_once` are held within the promise.
    """

    late: Floats
    late_share: float
    refused_share: float
    by_speech: float
    at_once: int

    @property
    def sessions(self) -> int:
        return len(self.late) - 1

    @property
    def limit(self) -> str:
        """What an additional call would break."""
        return "sessions" if self.at_once == self.sessions else "first audio"

    def late_in_fleet(self, calls: float, instances: int) -> float:
        """The share of late replies while a mean of `calls` is held by `instances`."""
        # A reply belongs to one more call than its caller finds there.
        found, weights = poisson(calls)
        return float(weights @ np.interp((found + 1) / instances, np.arange(len(self.late)), self.late))

    def refused_in_fleet(self, calls: float, instances: int) -> float:
        """The share of callers who find every session of `instances` taken: Erlang B."""
        slots = self.sessions * instances
        found, weights = poisson(calls)
        if found[0] > slots:
            return 1 - slots / calls  # far beyond: what comes and does not fit
        return float(weights[found == slots].sum() / weights[found <= slots].sum())

    def holds(self, calls: float, instances: int) -> bool:
        """Whether `instances` keep the promises while a mean of `calls` comes."""
        return (
            self.late_in_fleet(calls, instances) <= self.late_share
            and self.refused_in_fleet(calls, instances) <= self.refused_share
        )

    def held_by(self, instances: int) -> float:
        """The most calls (a mean) that `instances` hold, to _CALLS_STEP; 0 when there are none."""
        low, high = 0.0, float(self.sessions * instances)
        while high - low > _CALLS_STEP:
            middle = (low + high) / 2
            low, high = (middle, high) if self.holds(middle, instances) else (low, middle)
        return low


def one_instance(ladder: Ladder, calls: Calls, promises: Promises) -> Instance:
    """Return what one instance holds. Raises ConfigError where not even one call can be served as promised."""
    pending = np.arange(1, promises.sessions + 1, dtype=np.float64)
    rate = ladder.audio_rate(pending)
    if rate[0] <= 1:
        raise ConfigError(
            f"the ladder speaks {rate[0]:.2f} s a second to one client, slower than speech is played: "
            "measure a faster engine or instance"
        )
    late = ladder.late_share(pending, promises.first_audio_ms / stretch(ladder, calls))
    # Where speech comes slower than it is played, replies have holes, however early they began.
    late = np.maximum.accumulate(np.where(rate < pending, 1.0, late))
    if late[0] > promises.late_share:
        alone_ms = float(ladder.first_audio_ms(pending[:1], np.array([1 - promises.late_share]))[0])
        raise ConfigError(
            f"alone on an instance, {1 - promises.late_share:.0%} of the replies begin within "
            f"{alone_ms * stretch(ladder, calls):.0f} ms, over the limit of {promises.first_audio_ms:.0f} ms: "
            "measure a faster instance or raise --limit-ms"
        )
    idle_s = calls.turn_s - calls.turn_audio_s / rate[0]
    by_calls = np.array(
        [0.0] + [_late_with(count, late, rate / calls.turn_audio_s, idle_s) for count in range(1, len(late) + 1)]
    )
    at_once = int(np.flatnonzero(by_calls <= promises.late_share)[-1])
    most_speech = float(np.max(rate)) / calls.talk_share
    return Instance(by_calls, promises.late_share, promises.refused_share, most_speech, at_once)


def stretch(ladder: Ladder, calls: Calls) -> float:
    """How much later than in the ladder first audio comes for being a longer text.

    A worker that opens with a short piece is not slower for what follows; one that speaks the whole text first is.
    """
    return max(1.0, calls.sentence_s / ladder.request_audio_s) if ladder.whole_text_first else 1.0


def _late_with(calls: int, late: Floats, turns_per_s: Floats, idle_s: float) -> float:
    """The share of late replies with `calls` calls: the states that an arriving one finds, each with its lateness."""
    others = np.arange(calls)  # how many of the other calls may be found waiting, 0 to calls - 1
    asking = (calls - others[1:]) / idle_s
    odds = np.concatenate([[0.0], np.cumsum(np.log(asking / turns_per_s[others[1:] - 1]))])
    weights = np.exp(odds - odds.max())
    return float(weights @ late[others] / weights.sum())


def poisson(mean: float) -> tuple[Floats, Floats]:
    """The counts around `mean` that matter, and their probabilities."""
    reach = _SIGMAS * np.sqrt(mean) + _SIGMAS
    counts = np.arange(max(0, int(mean - reach)), int(mean + reach) + 1, dtype=np.float64)
    if mean == 0:
        return counts, (counts == 0).astype(np.float64)
    odds = np.concatenate([[0.0], np.cumsum(np.log(mean) - np.log(counts[1:]))])
    weights = np.exp(odds - odds.max())
    return counts, weights / weights.sum()
