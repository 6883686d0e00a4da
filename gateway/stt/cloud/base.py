"""What a service that recognises is to us: a stream a call, audio up, results with times down."""

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Item:
    """A word or a mark of punctuation; times are seconds of audio sent on this stream."""

    text: str = field(repr=False)
    start_s: float
    end_s: float
    is_mark: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A stretch of audio as understood so far; a later one of the same id replaces it until it is `final`.

    A final one without items says that there are no words up to its end which have not been told.
    """

    result_id: str
    start_s: float
    end_s: float
    final: bool
    items: tuple[Item, ...] = field(repr=False)
    language: str = ""
    flushed: bool = False  # the answer to a flush: what was sent before is final, though the words end earlier


class Connection(Protocol):
    """What a websockets client connection gives."""

    async def send(self, message: bytes | str) -> None: ...

    async def recv(self) -> bytes | str: ...

    async def close(self) -> None: ...


class Wire(Protocol):
    """The messages of one stream; made anew for each."""

    def audio(self, pcm: bytes) -> bytes:
        """The message that carries this audio, which is not empty."""
        ...

    def read(self, message: bytes | str) -> list[Result]:
        """The results in a message. SttError where it is a fault, or no message of this protocol."""
        ...


class CloudService(Protocol):
    """One account's service. Its `name` begins the codes of its errors."""

    @property
    def name(self) -> str: ...

    @property
    def flush(self) -> str:
        """The message that has it tell at once, and finally, what it was sent; "" where it cannot be asked."""
        ...

    @property
    def keep_alive(self) -> str:
        """The message that keeps a stream open while there is no audio; "" where only audio does."""
        ...

    def code(self, language: str) -> str:
        """The service's own code of a language of ours; SttError for one that is not configured."""
        ...

    def wire(self) -> Wire: ...

    async def connect(self, language: str) -> Connection:
        """A stream's connection. SttError, `retryable` where another try may do."""
        ...

    async def ready(self) -> bool:
        """Whether streams can be had, as far as is known without sound."""
        ...
