"""What the log is told of a worker that cannot be had: once for all sessions, again every minute, and its return."""

import asyncio

import structlog

from gateway.errors import TtsError

log = structlog.get_logger(__name__)

# Every session tries every two seconds; who reads the log needs to know that it goes on, not each try.
SAY_AGAIN_S = 60.0
# Their details name an address, a status or a remedy, and never what was said.
_PEER_AWAY = frozenset({"worker_unreachable", "worker_refused", "no_credentials"})


class Outage:
    """Shared by the sessions of one factory. Call on one loop."""

    def __init__(self) -> None:
        self._began_s: float | None = None
        self._told_s = 0.0

    def tell(self, error: TtsError) -> None:
        """Be told why a connection ended or could not be had."""
        if error.code not in _PEER_AWAY:  # a session's own matter; the detail might quote what was said
            log.warning("tts_connection_lost", code=error.code)
            return
        now_s = asyncio.get_running_loop().time()
        if self._began_s is None:
            self._began_s = now_s
        elif now_s < self._told_s + SAY_AGAIN_S:
            return
        self._told_s = now_s
        log.warning("tts_worker_away", code=error.code, error=error.detail, since_s=round(now_s - self._began_s))

    def over(self) -> None:
        """A session was accepted."""
        if self._began_s is not None:
            log.info("tts_worker_back", after_s=round(asyncio.get_running_loop().time() - self._began_s, 1))
            self._began_s = None
