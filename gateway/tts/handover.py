"""Leaving a connection that its carrier will soon end, so that the caller does not notice."""

import asyncio
from contextlib import suppress

import structlog

from gateway.errors import TtsError
from gateway.tts.base import Connector, Socket
from gateway.tts.ledger import Ledger

log = structlog.get_logger(__name__)

# Between tries for a successor: the old connection still serves for minutes, nobody waits.
_RETRY_S = 5.0


class Handover:
    """Connects a successor while the old connection speaks, then lets that one fall silent."""

    def __init__(self, ledger: Ledger, connector: Connector, lasts_s: float) -> None:
        """`lasts_s`: how long a connection serves before its successor is called for."""
        self._ledger = ledger
        self._connector = connector
        self._lasts_s = lasts_s
        self._successor: Socket | None = None
        self._news = asyncio.Event()

    async def due(self) -> None:
        """Return when the connection can be left: its successor waits and no sentence is at the worker.

        From the moment there is a successor the ledger holds further sentences back, for as long as the worker needs
        for those it has; their audio is far ahead of the caller's ear.
        """
        await asyncio.sleep(self._lasts_s)
        while self._successor is None:
            try:
                self._successor = await self._connector()
            except TtsError as error:
                log.warning("tts_handover_delayed", code=error.code)
                await asyncio.sleep(_RETRY_S)
        self._ledger.hold()
        while not self._ledger.is_idle:
            self._news.clear()
            await self._news.wait()
        log.info("tts_handover")

    def notice(self) -> None:
        """To be called when the worker has ended a request or the caller has cancelled them."""
        self._news.set()

    def take(self) -> Socket | None:
        """The successor, if there is one; it belongs to the taker."""
        successor, self._successor = self._successor, None
        return successor

    async def close(self) -> None:
        """Close a successor that nobody took. Idempotent."""
        successor = self.take()
        if successor is not None:
            with suppress(Exception):  # given up whatever its end looks like
                await successor.close()
