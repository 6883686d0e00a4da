"""Calls against a fleet, event by event: the plan's arithmetic is checked by something that does not share it.

Calls come at random (Poisson), last at random, and take turns: the bot answers in sentences of random number and
length, the answer is played in real time, then the caller talks. From the ladder comes only what an instance does with
n replies owed: how fast it speaks, and how soon one that joins is heard.
"""

import heapq
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from gateway.plan.capacity import stretch
from gateway.plan.day import Day
from gateway.plan.inputs import Inputs
from gateway.plan.ladder import Ladder
from gateway.plan.scaler import Policy, Scaler
from gateway.plan.served import Served

# Spread of a sentence's length: gamma with this shape, a standard deviation of half the mean.
_SENTENCE_SHAPE = 4.0
# First audio is drawn from this many equally likely values.
_QUANTILES = 400


@dataclass(slots=True)
class Outcome:
    """A simulated day. Replies by the phase in which they were asked for.

    `course` holds seconds, calls at once and instances in service, a sample each metric period.
    """

    replies: Counter[str] = field(default_factory=Counter)
    late: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    refused: int = 0
    course: list[tuple[float, int, int]] = field(default_factory=list)

    def late_share(self, phase: str) -> float:
        return self.late[phase] / self.replies[phase] if self.replies[phase] else 0.0

    @property
    def refused_share(self) -> float:
        return self.refused / self.calls if self.calls else 0.0


@dataclass(slots=True, eq=False)
class _Call:
    ends_s: float
    at: "_Instance"


@dataclass(slots=True, eq=False)
class _Reply:
    call: _Call
    phase: str
    heard_s: float
    played_s: float
    late: bool


@dataclass(slots=True, eq=False)
class _Instance:
    served: Served[_Reply]
    calls: set[_Call] = field(default_factory=set)


class Simulation:
    """One day of one fleet, from one seed."""

    def __init__(self, ladder: Ladder, inputs: Inputs, policy: Policy, day: Day, seed: int) -> None:
        self._inputs = inputs
        self._day = day
        self._random = np.random.default_rng(seed)
        self._scaler = Scaler(policy, inputs.scale_out)
        pending = np.arange(1.0, inputs.promises.sessions + 1)
        self._audio_rate = ladder.audio_rate(pending).tolist()
        shares = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        longer = stretch(ladder, inputs.calls) / 1000
        self._first_s = [(longer * ladder.first_audio_ms(np.full(_QUANTILES, n), shares)).tolist() for n in pending]
        self._now_s = 0.0
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._ordered = policy.instances_for(day.calls_at(0.0))
        self._fleet = [self._instance() for _ in range(self._ordered)]
        self._outcome = Outcome()

    def run(self) -> Outcome:
        for _ in range(round(self._day.calls_at(0.0))):
            self._admit()
        self._after(self._random.exponential(1 / self._day.most_arrivals_per_s), self._arrive)
        self._after(self._inputs.scale_out.metric_period_s, self._measure)
        self._after(self._day.loss_s, self._lose)
        while self._agenda[0][0] < self._day.end_s:
            self._now_s, _, act = heapq.heappop(self._agenda)
            act()
        return self._outcome

    def _after(self, wait_s: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._agenda, (self._now_s + wait_s, next(self._order), act))

    def _instance(self) -> _Instance:
        return _Instance(Served(self._audio_rate))

    # Calls

    def _arrive(self) -> None:
        self._after(self._random.exponential(1 / self._day.most_arrivals_per_s), self._arrive)
        if self._random.uniform(0, self._day.most_arrivals_per_s) < self._day.arrivals_per_s(self._now_s):
            self._admit()

    def _admit(self) -> None:
        self._outcome.calls += 1
        instance = self._freest()
        if instance is None:
            self._outcome.refused += 1
            return
        lasts_s = self._random.exponential(self._inputs.calls.duration_s)
        call = _Call(self._now_s + lasts_s, instance)
        instance.calls.add(call)
        self._after(lasts_s, partial(self._hang_up, call))
        # As if come upon in the middle, so that all speech together is the profile's share of the call.
        speaking = self._random.random() < self._inputs.calls.talk_share
        played_s = self._random.uniform(0, self._inputs.calls.turn_audio_s) if speaking else 0.0
        self._after(played_s + self._caller_s(), partial(self._ask, call))

    def _freest(self) -> _Instance | None:
        """As a router does that counts outstanding requests; None when every session is taken."""
        freest = min(self._fleet, key=lambda instance: len(instance.calls), default=None)
        return freest if freest and len(freest.calls) < self._inputs.promises.sessions else None

    def _hang_up(self, call: _Call) -> None:
        call.at.calls.discard(call)

    # Turns

    def _ask(self, call: _Call) -> None:
        if self._now_s >= call.ends_s:
            return
        profile, instance = self._inputs.calls, call.at
        sentences = 1 + self._random.poisson(profile.sentences_per_turn - 1)
        audio_s = self._random.gamma(_SENTENCE_SHAPE * sentences, profile.sentence_s / _SENTENCE_SHAPE)
        found = min(instance.served.pending, len(self._first_s) - 1)
        first_s = self._first_s[found][self._random.integers(_QUANTILES)]
        heard_s = self._now_s + first_s
        late = 1000 * first_s > self._inputs.promises.first_audio_ms
        reply = _Reply(call, self._day.phase(self._now_s), heard_s, heard_s + audio_s, late)
        instance.served.ask(self._now_s, audio_s, reply)
        self._watch(instance)

    def _watch(self, instance: _Instance) -> None:
        done_s = instance.served.next_done_s()
        if done_s is not None:
            self._after(done_s - self._now_s, partial(self._complete, instance, instance.served.version))

    def _complete(self, instance: _Instance, version: int) -> None:
        if version != instance.served.version:
            return  # something came between; another event is on its way
        reply = instance.served.complete(self._now_s)
        self._finish(reply, late=self._now_s > reply.played_s)
        self._watch(instance)

    def _finish(self, reply: _Reply, *, late: bool) -> None:
        self._outcome.replies[reply.phase] += 1
        self._outcome.late[reply.phase] += reply.late or late
        played_s = max(reply.played_s, self._now_s) - self._now_s
        self._after(played_s + self._caller_s(), partial(self._ask, reply.call))

    def _caller_s(self) -> float:
        """How long the caller talks and thinks."""
        return float(self._random.exponential(self._inputs.calls.turn_s - self._inputs.calls.turn_audio_s))

    # Instances

    def _measure(self) -> None:
        calls, in_service = sum(len(instance.calls) for instance in self._fleet), len(self._fleet)
        self._outcome.course.append((self._now_s, calls, in_service))
        added = self._scaler.sample(self._now_s, calls, in_service, self._ordered) if in_service else 0
        self._ordered += added
        scale_out = self._inputs.scale_out
        if added:
            self._after(scale_out.decision_s + scale_out.fulfil_s, partial(self._serve, added))
        self._after(scale_out.metric_period_s, self._measure)

    def _serve(self, instances: int) -> None:
        self._fleet += [self._instance() for _ in range(instances)]

    def _lose(self) -> None:
        """Instances are gone with their sessions; the gateways open those again on the others."""
        spare = self._inputs.promises.spare_instances
        lost, self._fleet = self._fleet[:spare], self._fleet[spare:]
        for instance in lost:
            for call in instance.calls:
                self._move(call)
            for reply in instance.served.abandon():
                self._finish(reply, late=True)

    def _move(self, call: _Call) -> None:
        instance = self._freest()
        if instance is None:
            self._outcome.refused += 1
            call.ends_s = self._now_s
            return
        call.at = instance
        instance.calls.add(call)
