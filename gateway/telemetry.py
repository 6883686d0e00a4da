"""Metrics for Prometheus. Label values are our own codes and names, never what a peer sent."""

from collections.abc import Sized

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from gateway.call.record import CallRecord

# From what a gateway alone adds to what a caller hangs up on.
_LATENCY_BUCKETS_S = (0.005, 0.015, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)


class Telemetry:
    """One process's metrics, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)  # memory, processor time, open files: what leaks shows here
        self._live = Gauge("voicebot_calls_live", "Calls that are on", ["bot"], registry=self._registry)
        self._ringing = Gauge(
            "voicebot_calls_ringing", "Placed calls that nobody has answered yet", registry=self._registry
        )
        self._calls = Counter(
            "voicebot_calls", "Calls that ended", ["platform", "bot", "ended"], registry=self._registry
        )
        self._refused = Counter(
            "voicebot_refused", "Requests turned away", ["platform", "code"], registry=self._registry
        )
        self._failures = Counter(
            "voicebot_turn_failures", "Turns in which a stage failed", ["code"], registry=self._registry
        )
        self._peer_errors = Counter(
            "voicebot_peer_errors",
            "Breaches of protocol by the phone platform",
            ["platform", "code"],
            registry=self._registry,
        )
        self._answered = Counter(
            "voicebot_calls_answered", "Placed calls, by who answered", ["bot", "by"], registry=self._registry
        )
        self._interrupted = Counter(
            "voicebot_replies_interrupted", "Replies the caller cut short", registry=self._registry
        )
        self._underruns = Counter("voicebot_playout_underruns", "Gaps inside a sentence", registry=self._registry)
        self._stages = Histogram(
            "voicebot_turn_seconds",
            "Where the time of a turn went; stage=total is end of speech to first frame",
            ["stage"],
            buckets=_LATENCY_BUCKETS_S,
            registry=self._registry,
        )

        self._tools = Histogram(
            "voicebot_tool_seconds",
            "Tools that models called; outcome=ok, cancelled, or what went wrong",
            ["tool", "outcome"],
            buckets=_LATENCY_BUCKETS_S,
            registry=self._registry,
        )

    def watch_ringing(self, ringing: Sized) -> None:
        """Expose how many ring whenever it is asked for: some end by their deadline, with nobody to tell."""
        self._ringing.set_function(lambda: len(ringing))

    def refused(self, platform: str, code: str) -> None:
        self._refused.labels(platform, code).inc()

    def call_began(self, bot: str) -> None:
        self._live.labels(bot).inc()

    def call_ended(self, record: CallRecord) -> None:
        """Count a whole call: how it ended, its turns and their latencies."""
        self._live.labels(record.bot).dec()
        self._calls.labels(record.platform, record.bot, record.ended).inc()
        if record.answered_by:
            self._answered.labels(record.bot, record.answered_by).inc()
        self._underruns.inc(record.underruns)
        for code, count in record.peer_errors.items():
            self._peer_errors.labels(record.platform, code).inc(count)
        for turn in record.turns:
            if turn.failure:
                self._failures.labels(turn.failure).inc()
            if turn.interrupted:
                self._interrupted.inc()
            for stage, spent_ms in turn.stages_ms().items():
                self._stages.labels(stage).observe(spent_ms / 1000)

        for tool in record.tools:
            self._tools.labels(tool.name, tool.outcome).observe(tool.duration_s)

    def exposition(self) -> bytes:
        """The text format of Prometheus."""
        return generate_latest(self._registry)
