"""Speech from a TTS worker behind a SageMaker endpoint (docs/tts-session.md): InvokeEndpointWithBidirectionalStream.

One stream a call on a connection of its own: streams that share one are lost together.
"""

import asyncio
import copy
from dataclasses import dataclass, replace

from aws_sdk_sagemaker_runtime_http2.client import AsyncSageMakerRuntimeHTTP2Client
from aws_sdk_sagemaker_runtime_http2.config import AsyncSageMakerRuntimeHTTP2Config
from aws_sdk_sagemaker_runtime_http2.models import InvokeEndpointWithBidirectionalStreamInput
from smithy_http.aio.crt import AWSCRTHTTPClient, AWSCRTHTTPClientConfig

from gateway.errors import TtsError
from gateway.tts.ledger import Ledger
from gateway.tts.outage import Outage
from gateway.tts.sagemaker_credentials import BotoCredentials
from gateway.tts.sagemaker_faults import translate
from gateway.tts.sagemaker_stream import SageMakerStream
from gateway.tts.sagemaker_transport import StreamTransport
from gateway.tts.session import PersistentSession, SpeechTiming
from gateway.tts.websocket import DEFAULT_RATE_HZ
from media.tts_wire import PROTOCOL, Framing, Type, encode_control

# SageMaker ends every stream after 30 minutes. Two minutes suffice to find a successor and to end a sentence.
LASTS_S = 28 * 60.0
# How long an answer of `ready` stands. Asking opens a stream, which costs the endpoint a session for a moment.
_READY_KEPT_S, _NOT_READY_KEPT_S = 30.0, 5.0


@dataclass(frozen=True, slots=True)
class SageMakerEndpoint:
    """Where the worker is. An empty `variant` lets SageMaker choose, an empty `url` is the region's own."""

    name: str
    region: str
    variant: str = ""
    url: str = ""

    @property
    def uri(self) -> str:
        """Bidirectional streams have a port of their own, which the SDK does not know."""
        return self.url.rstrip("/") or f"https://runtime.sagemaker.{self.region}.amazonaws.com:8443"


class SageMakerSpeech:
    """The SpeechFactory of one endpoint."""

    def __init__(
        self,
        endpoint: SageMakerEndpoint,
        rate_hz: int = DEFAULT_RATE_HZ,
        outstanding: int = 3,
        timing: SpeechTiming | None = None,
        lasts_s: float = LASTS_S,
        credentials: BotoCredentials | None = None,
    ) -> None:
        """`outstanding` sentences are at the worker; a stream serves for `lasts_s`, then it is exchanged."""
        self.rate_hz = rate_hz
        self._endpoint = endpoint
        self._outstanding = outstanding
        self._timing = replace(timing or SpeechTiming(), lasts_s=lasts_s)
        self._credentials = credentials or BotoCredentials()
        # Its copies have connections of their own and share one thread.
        self._transport = AWSCRTHTTPClient(client_config=AWSCRTHTTPClientConfig(force_http_2=True))
        self._asking = asyncio.Lock()
        self._ready = False
        self._outage = Outage()
        self._ready_until_s = float("-inf")

    def session(self, voice: str, language: str, speed: float) -> PersistentSession:
        """Return a session that is not connected yet."""
        ledger = Ledger(voice, language, speed, self.rate_hz, self._outstanding)
        return PersistentSession(ledger, self._connect, self._timing, outage=self._outage)

    async def ready(self) -> bool:
        """Whether the endpoint's worker answered a session's first message, at most 30 s ago."""
        now_s = asyncio.get_running_loop().time
        async with self._asking:
            if now_s() >= self._ready_until_s:
                self._ready = await self._answers()
                self._ready_until_s = now_s() + (_READY_KEPT_S if self._ready else _NOT_READY_KEPT_S)
            return self._ready

    async def close(self) -> None:
        """Nothing is shared that has to be closed; sessions are closed by their calls."""

    async def _answers(self) -> bool:
        try:
            stream = await self._connect()
        except TtsError:
            return False
        try:
            async with asyncio.timeout(self._timing.connect_s):
                await stream.send(encode_control(Type.SESSION, protocol=PROTOCOL, framing=Framing.TAGGED.value))
                await stream.recv()
                return True
        except (TtsError, TimeoutError):
            return False
        finally:
            await stream.close()

    async def _connect(self) -> SageMakerStream:
        """Begin a stream. TtsError when not within connect_s; a refusal may also come from the stream's `recv`."""
        client: AsyncSageMakerRuntimeHTTP2Client | None = None
        try:
            async with asyncio.timeout(self._timing.connect_s):
                # First, and by ourselves: the SDK waits for ever on a request it cannot sign.
                await self._credentials.get_identity(properties={})
                client = AsyncSageMakerRuntimeHTTP2Client(await self._config())
                stream = await client.invoke_endpoint_with_bidirectional_stream(
                    InvokeEndpointWithBidirectionalStreamInput(
                        endpoint_name=self._endpoint.name, target_variant=self._endpoint.variant or None
                    )
                )
        except TimeoutError as error:
            await _close(client)
            detail = f"no stream in {self._timing.connect_s} s"
            raise TtsError("worker_unreachable", detail, retryable=True) from error
        except Exception as error:
            await _close(client)
            raise translate(error) from error
        return SageMakerStream(client, stream)

    async def _config(self) -> AsyncSageMakerRuntimeHTTP2Config:
        # In a thread: each copy reads the trust store, 20 to 30 ms.
        transport = await asyncio.to_thread(copy.deepcopy, self._transport)
        return await AsyncSageMakerRuntimeHTTP2Config.resolve(
            region=self._endpoint.region,
            endpoint_uri=self._endpoint.uri,
            transport=StreamTransport(transport),
            aws_credentials_identity_resolver=self._credentials,
        )


async def _close(client: AsyncSageMakerRuntimeHTTP2Client | None) -> None:
    if client is not None:
        await client.close()
