"""What a TTS session needs of whatever carries it: WebSocket, SageMaker, or a test's memory."""

from collections.abc import Awaitable, Callable
from typing import Protocol


class Socket(Protocol):
    """One connection to a worker. `send` and `recv` raise a TtsError when it is gone; `recv` may be cancelled."""

    async def send(self, message: str) -> None: ...

    async def recv(self) -> str | bytes: ...

    async def close(self) -> None: ...


# Opens a connection; raises TtsError, retryable or not.
Connector = Callable[[], Awaitable[Socket]]
