"""Any server that speaks the OpenAI chat API: vLLM, Ollama, llama.cpp, routers, hosted services."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import aiohttp
import structlog

from gateway.errors import LlmError
from gateway.llm.base import Completed, Deadlines, Inference, LlmEvent, Message, Tool
from gateway.llm.chat import ChatParser, chat_conversation, chat_fault, chat_rejected_field, chat_settings
from gateway.llm.faults import FieldRefused, fault
from gateway.llm.follow import follow
from gateway.llm.readiness import Readiness
from gateway.llm.reply import ReplyEvent
from gateway.llm.sse import SseDecoder

T = TypeVar("T")
_log = structlog.get_logger(__name__)

# An error's body, or a whole reply from a server that does not stream; more is not read.
MAX_BODY_BYTES = 1024 * 1024
# After the last event the end of the response follows at once; waiting for it keeps the connection for the next turn.
_DRAIN_S = 0.02
# A connection idle for longer is often cut by something in between without a word.
_KEEP_ALIVE_S = 60.0


@dataclass(frozen=True, slots=True)
class ChatServer:
    """Where the server is, e.g. `http://127.0.0.1:8000/v1`; the key is sent as a bearer token unless blank."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    # Sent with every request, over our own fields; a None removes one (max_tokens, where max_completion_tokens is due).
    extra_fields: Mapping[str, Any] = field(default_factory=dict)
    # Connections; beyond it a turn is refused as `busy`, where a queue would let every caller wait.
    max_turns: int = 64


class OpenAiCompatibleModel:
    """A LanguageModel; faults.py lists its codes."""

    def __init__(
        self, server: ChatServer, inference: Inference | None = None, deadlines: Deadlines | None = None
    ) -> None:
        self._server = server
        self._settings = chat_settings(inference or Inference(), server.extra_fields)
        self._deadlines = deadlines or Deadlines()
        self._session: aiohttp.ClientSession | None = None
        self._open: set[_ChatTurn] = set()
        self._closed = False
        self._readiness = Readiness(self._answers)

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        """See LanguageModel. One retry, only while nothing was delivered; a refused optional field is left out.

        Closing the generator closes the connection, which is how these servers learn to stop generating.
        """
        conversation = list(messages)
        fields = {"model": self._server.model, **chat_conversation(conversation, system, tools)}
        return follow(lambda: _ChatTurn(self, conversation, fields), self._deadlines)

    async def ready(self) -> bool:
        """Whether the server lists its models or says it is healthy; asks no model."""
        return not self._closed and await self._readiness.ask()

    async def close(self) -> None:
        """Abandon every turn and close the connections."""
        self._closed = True
        for turn in list(self._open):
            turn.close()
        if self._session is not None:
            await self._session.close()
            self._session = None

    def admit(self, turn: "_ChatTurn") -> None:
        """Count the turn in, until left(); LlmError when it may not begin."""
        if self._closed:
            raise fault("closed")
        if len(self._open) >= self._server.max_turns:
            raise fault("busy", f"{len(self._open)} turns are open")
        self._open.add(turn)

    async def post(self, fields: Mapping[str, Any]) -> aiohttp.ClientResponse:
        """Send a turn's request with the settings that the server takes."""
        return await self._connected().post(f"{self._base}/chat/completions", json={**self._settings, **fields})

    def refused(self, message: str) -> str | None:
        """Note the optional field that the server's message refuses, if it names one; it is not sent again."""
        name = chat_rejected_field(message, self._settings)
        if name is not None:
            self._settings = {k: v for k, v in self._settings.items() if k != name}
            _log.warning("llm_field_refused", field=name, model=self._server.model)
        return name

    def left(self, turn: "_ChatTurn") -> None:
        """The turn holds its connection no more."""
        self._open.discard(turn)

    @property
    def _base(self) -> str:
        return self._server.base_url.rstrip("/")

    def _connected(self) -> aiohttp.ClientSession:
        """The shared session; made on the loop that uses it."""
        if self._session is None:
            key = self._server.api_key
            self._session = aiohttp.ClientSession(
                headers={"Authorization": f"Bearer {key}"} if key else {},
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S),
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=self._deadlines.connect_s, sock_read=self._deadlines.read_s
                ),
            )
        return self._session

    async def _answers(self) -> bool:
        """`/models` is part of the API; small servers have only a `/health` beside it."""
        root = self._base.removesuffix("/v1")
        for url in (f"{self._base}/models", f"{root}/health"):
            try:
                async with self._connected().get(url) as response:
                    if response.status != 404:
                        return response.status == 200
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                _log.warning("llm_not_ready", code="connect_failed", error=type(error).__name__)
                return False
        return False


class _ChatTurn:
    """A ReplySource: one request."""

    def __init__(
        self, model: OpenAiCompatibleModel, conversation: Sequence[Message], fields: Mapping[str, Any]
    ) -> None:
        self._model = model
        self._conversation = conversation
        self._fields = fields
        self._response: aiohttp.ClientResponse | None = None
        self._sse = SseDecoder()
        self._parser = ChatParser(conversation)
        self._events: deque[ReplyEvent | LlmError] = deque()
        self._ended = False

    async def open(self) -> None:
        self._model.admit(self)
        self._response = await self._post()
        if self._response.status >= 400:
            raise await self._refusal(self._response)
        if self._response.content_type == "application/json":  # a server that does not stream
            body = await _translated(_read_bounded(self._response))
            self._events += [*self._parser.feed(body.decode("utf-8", "replace")), *self._parser.end()]

    async def next(self) -> ReplyEvent:
        while not self._events:
            await self._read()
        event = self._events.popleft()
        if isinstance(event, LlmError):
            raise event
        if isinstance(event, Completed):
            await self._drain()
        return event

    def close(self) -> None:
        if self._response is not None:
            # Closes the connection unless the response was read to its end.
            self._response.close()
        self._model.left(self)

    async def _post(self) -> aiohttp.ClientResponse:
        try:
            return await _translated(self._model.post(self._fields))
        except LlmError as error:
            if error.code != "connection_lost":
                raise
        # A kept connection that the server had just closed (llama.cpp does after each stream): no reason to pause.
        return await _translated(self._model.post(self._fields))

    async def _read(self) -> None:
        if self._response is None or self._ended:
            raise fault("incomplete", "the stream ended without a finish reason")
        data = await _translated(self._response.content.readany())
        self._ended = not data
        try:
            for text in self._sse.feed(data) if data else self._sse.flush():
                self._events += self._parser.feed(text)
            if self._ended:
                self._events += self._parser.end()
        except LlmError as error:  # behind what arrived before it
            self._events.append(error)

    async def _drain(self) -> None:
        with suppress(aiohttp.ClientError, TimeoutError):
            async with asyncio.timeout(_DRAIN_S):
                while self._response is not None and await self._response.content.readany():
                    pass

    async def _refusal(self, response: aiohttp.ClientResponse) -> LlmError:
        body = await _translated(_read_bounded(response))
        error = _error_object(body)
        if response.status in (400, 422) and (name := self._model.refused(str(error))) is not None:
            return FieldRefused(name)
        return chat_fault(error, response.status, self._conversation)


def _error_object(body: bytes) -> object:
    """The error in an answer's body; servers nest it, name it `detail` or write plain text."""
    try:
        fields = json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
    return (fields.get("error") or fields.get("detail") or fields) if isinstance(fields, dict) else fields


async def _read_bounded(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for data in response.content.iter_any():
        body += data
        if len(body) > MAX_BODY_BYTES:
            raise fault("corrupt_stream", f"an answer of more than {MAX_BODY_BYTES} bytes")
    return bytes(body)


async def _translated(step: Awaitable[T]) -> T:
    """Await a step of the transport; its exceptions become LlmError."""
    try:
        return await step
    except (aiohttp.ConnectionTimeoutError, aiohttp.ClientConnectorError) as error:
        raise fault("connect_failed", type(error).__name__) from error
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
        raise fault("misconfigured", type(error).__name__) from error
    except aiohttp.ServerTimeoutError as error:
        raise fault("stalled", type(error).__name__) from error
    except aiohttp.ClientError as error:
        raise fault("connection_lost", type(error).__name__) from error
