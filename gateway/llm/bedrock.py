"""Amazon Bedrock through boto3's `converse_stream`: one thread per turn, one client for all."""

import asyncio
import itertools
import os
import threading
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
import structlog
from botocore.config import Config
from botocore.exceptions import ClientError, NoCredentialsError

from gateway.llm.base import Deadlines, Inference, LlmEvent, Message, Tool
from gateway.llm.bedrock_faults import service_code, service_message, translate
from gateway.llm.bedrock_turn import Abandoned, ConverseTurn
from gateway.llm.converse import (
    BedrockExtras,
    ConverseParser,
    converse_conversation,
    converse_extras,
    converse_inference,
    rejected_field,
)
from gateway.llm.faults import FieldRefused, fault
from gateway.llm.follow import follow
from gateway.llm.readiness import Readiness

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

_log = structlog.get_logger(__name__)

# What a thread needs beyond the read timeout to notice it and end.
_DRAIN_MARGIN_S = 0.5


@dataclass(frozen=True, slots=True)
class BedrockEndpoint:
    """Where Bedrock is. None means what the SDK's own configuration says; a plain-http URL serves an emulator."""

    region: str | None = None
    url: str | None = None
    # Threads, and connections kept warm; cancelled turns that still drain count. Beyond it a turn is refused as `busy`,
    # which the session can speak to at once, where a queue would let every caller wait.
    max_turns: int = 64


class BedrockModel:
    """A LanguageModel; faults.py lists its codes. `session` carries explicit credentials, else the SDK finds them."""

    def __init__(
        self,
        model_id: str,
        endpoint: BedrockEndpoint,
        inference: Inference | None = None,
        extras: BedrockExtras | None = None,
        deadlines: Deadlines | None = None,
        session: boto3.Session | None = None,
    ) -> None:
        self._model_id = model_id
        self._endpoint = endpoint
        self._inference = inference or Inference()
        self._extras = converse_extras(extras or BedrockExtras())
        self._deadlines = deadlines or Deadlines()
        self._session = session
        self._client: BedrockRuntimeClient | None = None
        self._client_lock = threading.Lock()
        self._refused: frozenset[str] = frozenset()
        self._generations = itertools.count(1)
        self._turns: set[ConverseTurn] = set()
        self._closed = False
        self._readiness = Readiness(lambda: asyncio.to_thread(self._resolves))

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        """See LanguageModel. One retry, only while nothing was delivered; a refused optional field is left out."""
        conversation = list(messages)
        fields = converse_conversation(conversation, system, tools)

        def turn() -> ConverseTurn:
            return ConverseTurn(
                next(self._generations),
                lambda turn: self._converse(turn, conversation, fields),
                self._admit,
                self._turns.discard,
            )

        return follow(turn, self._deadlines)

    @property
    def threads(self) -> int:
        """Turns whose thread is alive, cancelled ones included."""
        return len(self._turns)

    async def ready(self) -> bool:
        """Whether region, endpoint and credentials resolve; asks no model. The first call builds the client."""
        return not self._closed and await self._readiness.ask()

    async def close(self) -> None:
        """Cancel every turn, wait for their threads at most the read timeout, and close the connections."""
        self._closed = True
        turns = list(self._turns)
        for turn in turns:
            turn.close()
        until_s = asyncio.get_running_loop().time() + self._deadlines.read_s + _DRAIN_MARGIN_S
        for turn in turns:
            left_s = until_s - asyncio.get_running_loop().time()
            await asyncio.to_thread(turn.join, max(0.0, left_s))
        if self._client is not None:
            self._client.close()
            self._client = None

    def _admit(self, turn: ConverseTurn) -> None:
        if self._closed:
            raise fault("closed")
        if len(self._turns) >= self._endpoint.max_turns:
            raise fault("busy", f"{len(self._turns)} turns are open or draining")
        self._turns.add(turn)

    # In a turn's thread.

    def _converse(self, turn: ConverseTurn, conversation: Sequence[Message], fields: dict[str, Any]) -> None:
        parser = ConverseParser()
        try:
            inference = converse_inference(self._inference, self._refused)
            request = {**fields, **self._extras, **({"inferenceConfig": inference} if inference else {})}
            stream = self._connected().converse_stream(modelId=self._model_id, **request)["stream"]
            with turn.reading(stream):
                for event in stream:
                    turn.check()
                    for part in parser.feed(event):
                        turn.hand_over(part)
                for part in parser.end():
                    turn.hand_over(part)
        except Abandoned:
            raise
        except Exception as error:
            turn.check()  # a cancelled turn's stream ends in all sorts of errors
            if isinstance(error, ClientError):
                self._note_refusal(error, inference)
            raise translate(error, conversation) from error

    def _note_refusal(self, error: ClientError, sent: dict[str, Any]) -> None:
        """FieldRefused when the model names an optional field that was sent; it is never sent again."""
        field = rejected_field(service_message(error), sent)
        if service_code(error) == "invalid_request" and field is not None:
            self._refused |= {field}
            _log.warning("llm_field_refused", field=field, model=self._model_id)
            raise FieldRefused(field) from error

    def _connected(self) -> "BedrockRuntimeClient":
        """The shared client; building one takes a tenth of a second and is not safe in two threads."""
        with self._client_lock:
            if self._client is None:
                self._client = (self._session or boto3.Session()).client(
                    "bedrock-runtime",
                    region_name=self._endpoint.region,
                    endpoint_url=self._endpoint.url,
                    config=Config(
                        connect_timeout=self._deadlines.connect_s,
                        read_timeout=self._deadlines.read_s,
                        # Retries are ours: the SDK's take more than a second and know nothing of what was spoken.
                        retries={"total_max_attempts": 1, "mode": "standard"},
                        max_pool_connections=self._endpoint.max_turns,
                        tcp_keepalive=True,
                    ),
                )
            return self._client

    def _resolves(self) -> bool:
        """Sign a request without sending it: resolves region, endpoint and credentials, and warms all three."""
        params = {"modelId": self._model_id, "messages": [{"role": "user", "content": [{"text": "ready"}]}]}
        try:
            self._connected().generate_presigned_url("converse_stream", Params=params)
        except NoCredentialsError:
            # The SDK takes a bearer token from this variable alone; it signs requests, but not URLs.
            if os.environ.get("AWS_BEARER_TOKEN_BEDROCK"):
                return True
            _log.warning("llm_not_ready", code="credentials")
            return False
        except Exception as error:
            _log.warning("llm_not_ready", code=translate(error, ()).code, error=type(error).__name__)
            return False
        return True
