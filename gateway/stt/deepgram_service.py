"""The way to Deepgram: the address with what is asked of a stream, and the key.

Sources: developers.deepgram.com, "Live Audio" (reference), "Models & Languages Overview", "Keyterm Prompting" (nova-3),
"Keywords" (models before), "Endpointing", "Smart Formatting" (unless flushed it may wait 3 s for the rest of a number),
"Errors", and "How to Easily Debug Live Stream Requests" (`dg-error`). Its Flux models speak another protocol.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import quote, urlencode

from websockets.asyncio.client import ClientConnection

from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ
from gateway.stt.cloud.dialling import code_of, dial
from gateway.stt.deepgram_wire import FINALIZE, KEEP_ALIVE, DeepgramWire

PATH = "/v1/listen"
# Pauses are ours to judge, and flushed at once; this is for one that we did not hear. 300 to 500 ms is what is
# recommended where people think in the middle of a sentence.
_ENDPOINTING_MS = 300
# Between two looks whether a service that refused us lets us in again.
_ASK_EVERY_S = 10.0


class DeepgramService:
    """One account. `languages` are Deepgram's codes by ours; `keyterms` are words that callers will say."""

    name = "deepgram"
    flush = FINALIZE
    keep_alive = KEEP_ALIVE

    def __init__(
        self,
        key: str,
        languages: Mapping[str, str],
        *,
        model: str = "nova-3",
        keyterms: Sequence[str] = (),
        url: str = "wss://api.deepgram.com",
        extra: Mapping[str, str] | None = None,
    ) -> None:
        """`url`: ws:// or wss:// with host and port; `key` "" sends none. `extra` are more parameters of a stream."""
        self._headers = {"Authorization": f"Token {key}"} if key else {}
        self._languages = languages
        self._model = model
        self._keyterms = keyterms
        self._url = url.rstrip("/")
        self._extra = extra or {}
        self._let_in = False
        self._ask_at_s = 0.0

    def code(self, language: str) -> str:
        """Deepgram's code; SttError for a language that is not listed."""
        return code_of(self.name, language, self._languages)

    def wire(self) -> DeepgramWire:
        return DeepgramWire()

    async def ready(self) -> bool:
        """Whether the last stream was let in; where it was not, a stream without audio tries, now and then."""
        now_s = asyncio.get_running_loop().time()
        if not self._let_in and now_s >= self._ask_at_s:
            self._ask_at_s = now_s + _ASK_EVERY_S
            with suppress(SttError):
                await (await self.connect(next(iter(self._languages)))).close()
        return self._let_in

    async def connect(self, language: str) -> ClientConnection:
        """A stream's connection. SttError, `retryable` where another try may do."""
        url = f"{self._url}{PATH}?{self._query(language)}"
        try:
            connection = await dial(self.name, url, self._headers, "dg-error")
        except SttError:
            self._let_in = False
            raise
        self._let_in = True
        return connection

    def _query(self, language: str) -> str:
        ours = {
            "model": self._model,
            "language": self.code(language),
            "encoding": "linear16",
            "sample_rate": str(STT_RATE_HZ),
            "channels": "1",
            "interim_results": "true",
        }
        chosen = {"smart_format": "true", "endpointing": str(_ENDPOINTING_MS), **self._extra, **ours}
        terms = "keyterm" if self._model.startswith("nova-3") else "keywords"
        return urlencode([*chosen.items(), *((terms, term) for term in self._keyterms)], quote_via=quote)
