"""Speech from a TTS worker over WebSocket (docs/tts-session.md): one socket a call, opened while the phone rings."""

from urllib.parse import urlsplit, urlunsplit

import aiohttp
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from gateway.errors import TtsError
from gateway.tts.base import Socket
from gateway.tts.ledger import Ledger
from gateway.tts.outage import Outage
from gateway.tts.session import PersistentSession, SpeechTiming
from media.tts_wire import MAX_CONTROL_BYTES, STREAM_PATH

DEFAULT_RATE_HZ = 24_000
# A dead peer is noticed after their sum at most; a call cannot wait for TCP to notice.
_PING_INTERVAL_S, _PING_TIMEOUT_S = 5.0, 5.0
# How long the peer's close frame is waited for; the call is over, nobody gains by more.
_CLOSE_S = 1.0
_READY_TIMEOUT_S = 2.0
# What helps against answers that stay the same however often one tries.
_WRONG_TOKEN, _WRONG_ADDRESS = "set tts.token to its worker.token", "that is no TTS worker: correct tts.url"
_REMEDIES = {400: _WRONG_ADDRESS, 401: _WRONG_TOKEN, 403: _WRONG_ADDRESS, 404: _WRONG_ADDRESS}


class WebSocketSpeech:
    """The SpeechFactory of one worker (or one load balancer in front of several)."""

    def __init__(
        self,
        url: str,
        token: str = "",
        rate_hz: int = DEFAULT_RATE_HZ,
        outstanding: int = 3,
        timing: SpeechTiming | None = None,
    ) -> None:
        """`url` is ws:// or wss:// with host, port and perhaps a prefix; `outstanding` sentences are at the worker."""
        parts = urlsplit(url)
        # A user and password in it are nobody's business.
        self._where = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        prefix = parts.path.rstrip("/").removesuffix(STREAM_PATH)
        self.rate_hz = rate_hz
        self._stream_url = urlunsplit((parts.scheme, parts.netloc, prefix + STREAM_PATH, "", ""))
        self._ping_url = urlunsplit((parts.scheme.replace("ws", "http", 1), parts.netloc, f"{prefix}/ping", "", ""))
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._outstanding = outstanding
        self._timing = timing or SpeechTiming()
        self._http: aiohttp.ClientSession | None = None
        self._outage = Outage()

    def session(self, voice: str, language: str, speed: float) -> "PersistentSession":
        """Return a session that is not connected yet."""
        ledger = Ledger(voice, language, speed, self.rate_hz, self._outstanding)
        return PersistentSession(ledger, self._connect, self._timing, outage=self._outage)

    async def ready(self) -> bool:
        """Whether the worker would take a session now."""
        if self._http is None:
            self._http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_READY_TIMEOUT_S))
        try:
            async with self._http.get(self._ping_url, headers=self._headers) as answer:
                return answer.status == 200
        except (aiohttp.ClientError, TimeoutError):
            return False

    async def close(self) -> None:
        """Close what `ready` uses; sessions are closed by their calls. Idempotent."""
        http, self._http = self._http, None
        if http is not None:
            await http.close()

    async def _connect(self) -> Socket:
        try:
            connection = await connect(
                self._stream_url,
                additional_headers=self._headers,
                compression=None,  # speech does not compress, trying costs CPU at both ends
                open_timeout=self._timing.connect_s,
                ping_interval=_PING_INTERVAL_S,
                ping_timeout=_PING_TIMEOUT_S,
                close_timeout=_CLOSE_S,
                max_size=MAX_CONTROL_BYTES,
                proxy=None,  # the worker is a neighbour
            )
        except InvalidStatus as error:
            status = error.response.status_code
            remedy = _REMEDIES.get(status, "it is full, loading or stopping")
            detail = f"{self._where} answers HTTP {status}; {remedy}"
            raise TtsError("worker_refused", detail, retryable=status not in _REMEDIES) from error
        except (OSError, TimeoutError, WebSocketException) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
            detail = f"no worker at {self._where} ({reason}); start one there (voicebot worker) or correct tts.url"
            raise TtsError("worker_unreachable", detail, retryable=True) from error
        return _Connection(connection)


class _Connection:
    """A websockets connection whose end is a TtsError."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, message: str) -> None:
        try:
            await self._connection.send(message)
        except ConnectionClosed as error:
            raise _lost(error) from error

    async def recv(self) -> str | bytes:
        try:
            return await self._connection.recv()
        except ConnectionClosed as error:
            raise _lost(error) from error

    async def close(self) -> None:
        await self._connection.close()


def _lost(error: ConnectionClosed) -> TtsError:
    received = error.rcvd
    detail = f"closed with {received.code} {received.reason}" if received else "the socket closed without a word"
    return TtsError("worker_lost", detail, retryable=True)
