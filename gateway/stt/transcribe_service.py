"""The way to Amazon Transcribe: signed addresses, and connections to them.

Source: Amazon Transcribe developer guide, "Setting up a WebSocket stream", pre-signed URL (SigV4 in the query).
"""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from websockets.asyncio.client import ClientConnection

from gateway.aws_keys import AwsKeys, NoAwsKeys
from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ
from gateway.stt.cloud.dialling import code_of, dial
from gateway.stt.transcribe_wire import TranscribeWire

# A signed address is used at once.
URL_EXPIRES_S = 60
PATH = "/stream-transcription-websocket"


class TranscribeService:
    """One region's service. `languages` are Transcribe's codes by ours; `vocabulary` is a custom vocabulary's name."""

    name = "transcribe"
    # It finalises when it likes, but its stabilised words seldom change; only audio keeps a stream open.
    flush = ""
    keep_alive = ""

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

    def code(self, language: str) -> str:
        """Transcribe's code; SttError for a language that is not listed."""
        return code_of(self.name, language, self._languages)

    def wire(self) -> TranscribeWire:
        return TranscribeWire()

    async def ready(self) -> bool:
        """Whether there are keys to ask with; asks no service."""
        try:
            await self._keys.current()
        except NoAwsKeys:
            return False
        return True

    async def connect(self, language: str) -> ClientConnection:
        """A stream's connection. SttError, `retryable` where another try may do."""
        return await dial(self.name, await self._signed(language))

    async def _signed(self, language: str) -> str:
        try:
            keys = await self._keys.current()
        except NoAwsKeys as error:
            raise SttError("no_credentials", str(error), retryable=error.retryable) from error
        query = urlencode(self._parameters(language), quote_via=quote)
        request = AWSRequest("GET", f"{self._base.replace('ws', 'http', 1)}{PATH}?{query}")
        SigV4QueryAuth(keys, "transcribe", self._region, expires=URL_EXPIRES_S).add_auth(request)
        return f"{self._base}{PATH}?{str(request.url).partition('?')[2]}"

    def _parameters(self, language: str) -> dict[str, str]:
        chosen = {
            "language-code": self.code(language),
            "media-encoding": "pcm",
            "sample-rate": str(STT_RATE_HZ),
            "enable-partial-results-stabilization": "true",
            "partial-results-stability": "high",
        }
        return {**chosen, "vocabulary-name": self._vocabulary} if self._vocabulary else chosen
