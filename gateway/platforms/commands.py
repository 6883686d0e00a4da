"""Platforms that are commanded: one webhook tells every event of a call, and it is answered by REST, not by a document.

What such a platform's `answer` and `reject` return is the body of the command.
"""

from typing import Protocol, runtime_checkable

from gateway.platforms.base import Document, IncomingCall, Platform, WebhookRequest


@runtime_checkable
class Commanded(Platform, Protocol):
    """A platform of that kind."""

    def rings(self, request: WebhookRequest) -> bool:
        """Whether the event asks what to do with a call; every other one is news, and so is a repetition."""
        ...


@runtime_checkable
class Commander(Protocol):
    """Its REST API."""

    async def obey(self, call: IncomingCall, document: Document) -> None:
        """Answer the call with its stream, lead it to its room, or turn it away; raises as CallControl does."""
        ...
