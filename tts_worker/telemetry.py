"""Metrics for Prometheus: how many are served, how soon they hear something, and how it ended."""

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from tts_worker.job import Job

# From an idle GPU to what a caller takes for a dead line.
_FIRST_AUDIO_BUCKETS_S = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
_BATCH_BUCKETS = (1, 2, 4, 8, 16, 32)


class Telemetry:
    """One worker's metrics, in a registry of its own. Counting may be done on any thread."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "voicebot_worker_requests",
            "Requests that ended: complete, cancelled, or the code of their error",
            ["ended"],
            registry=self._registry,
        )
        self._first_audio = Histogram(
            "voicebot_worker_first_audio_seconds",
            "From a request to its first audio; opens: its caller was hearing silence",
            ["opens"],
            buckets=_FIRST_AUDIO_BUCKETS_S,
            registry=self._registry,
        )
        self._audio = Counter("voicebot_worker_audio_seconds", "Speech delivered", registry=self._registry)
        self._batches = Histogram(
            "voicebot_worker_batch_pieces", "Pieces spoken at once", buckets=_BATCH_BUCKETS, registry=self._registry
        )

    def ended(self, how: str) -> None:
        """A request is answered, or was never taken (`busy`)."""
        self._requests.labels(how).inc()

    def piece(self, job: Job, seconds: float) -> None:
        """So much speech is delivered to a request."""
        self._audio.inc(seconds)
        if not job.sounds:
            job.sounds = True
            self._first_audio.labels(str(job.opens_turn).lower()).observe(time.monotonic() - job.asked_s)

    def batch(self, pieces: int) -> None:
        self._batches.observe(pieces)

    def watch(self, sessions: Callable[[], int], queued: Callable[[], int]) -> None:
        """Show these numbers, asked whenever somebody looks. Once."""
        for name, text, number in (
            ("voicebot_worker_sessions", "Sessions and invocations being served", sessions),
            ("voicebot_worker_queued_requests", "Requests accepted and not yet answered", queued),
        ):
            Gauge(name, text, registry=self._registry).set_function(number)

    def exposition(self) -> bytes:
        """The text format of Prometheus."""
        return generate_latest(self._registry)
