"""The way to Amazon Transcribe: signed addresses, and connections to them.

Source: Amazon Transcribe developer guide, "Setting up a WebSocket stream", pre-signed URL (SigV4 in the query).
"""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, WebSocketException

from gateway.aws_keys import AwsKeys, NoAwsKeys
from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ

# A signed address is used at once.
URL_EXPIRES_S = 60
CONNECT_S = 3.0
PATH = "/stream-transcription-websocket"
# Both ends answer pings (RFC 6455): a dead peer is noticed after their sum.
_PING_INTERVAL_S, _PING_TIMEOUT_S = 5.0, 5.0
# How long the peer's close frame is waited for; the call is over, nobody gains by more.
_CLOSE_S = 1.0
# The signature, the role's rights or a parameter is wrong: trying again does not help.
_HOPELESS_STATUS = frozenset({400, 401, 403, 404})


class TranscribeService:
    """One region's service. `languages` are Transcribe's codes by ours; `vocabulary` is a custom vocabulary's name."""

    def __init__(
        self,
        region: str,
        languages: Mapping[str, str],
        *,
        vocabulary: str = "",
        url: str = "",
        keys: AwsKeys | None = None,
    ) -> None:
        """`url`: ws:// or wss:// with host and port, in place of the region's own endpoint."""
        self._region = region
        self._languages = languages
        self._vocabulary = vocabulary
        self._base = url.rstrip("/") or f"wss://transcribestreaming.{region}.amazonaws.com:8443"
        self._keys = keys or AwsKeys()

    def parameters(self, language: str) -> dict[str, str]:
        """A stream's parameters; SttError for a language that is not listed."""
        code = self._languages.get(language, "")
        if not code:
            raise SttError("transcribe_no_language", f"stt.transcribe.languages has no code for {language!r}")
        chosen = {
            "language-code": code,
            "media-encoding": "pcm",
            "sample-rate": str(STT_RATE_HZ),
            "enable-partial-results-stabilization": "true",
            "partial-results-stability": "high",
        }
        return {**chosen, "vocabulary-name": self._vocabulary} if self._vocabulary else chosen

    async def ready(self) -> bool:
        """Whether there are keys to ask with; asks no service."""
        try:
            await self._keys.current()
        except NoAwsKeys:
            return False
        return True

    async def connect(self, language: str) -> ClientConnection:
        """A stream's connection. SttError, `retryable` where another try may do."""
        url = await self._signed(language)
        try:
            return await connect(
                url,
                compression=None,  # the service has none
                open_timeout=CONNECT_S,
                ping_interval=_PING_INTERVAL_S,
                ping_timeout=_PING_TIMEOUT_S,
                close_timeout=_CLOSE_S,
            )
        except InvalidStatus as error:
            status = error.response.status_code
            retryable = status not in _HOPELESS_STATUS
            raise SttError("transcribe_refused", f"HTTP {status} at the upgrade", retryable=retryable) from error
        except (OSError, TimeoutError, WebSocketException) as error:
            raise SttError("transcribe_unreachable", type(error).__name__, retryable=True) from error

    async def _signed(self, language: str) -> str:
        try:
            keys = await self._keys.current()
        except NoAwsKeys as error:
            raise SttError("no_credentials", str(error), retryable=error.retryable) from error
        query = urlencode(self.parameters(language), quote_via=quote)
        request = AWSRequest("GET", f"{self._base.replace('ws', 'http', 1)}{PATH}?{query}")
        SigV4QueryAuth(keys, "transcribe", self._region, expires=URL_EXPIRES_S).add_auth(request)
        return f"{self._base}{PATH}?{str(request.url).partition('?')[2]}"
