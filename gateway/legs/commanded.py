"""Calls of platforms that are commanded by REST: their events come in, our commands go out beside the webhook."""

import asyncio

import structlog

from gateway.errors import PeerFault
from gateway.gateway import Gateway
from gateway.platforms.base import Document, IncomingCall, WebhookRequest
from gateway.platforms.commands import Commanded, Commander

log = structlog.get_logger(__name__)


class Commands:
    """Acknowledges at once and commands meanwhile: platforms wait two seconds for a webhook and then repeat it."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._running: set[asyncio.Task[None]] = set()

    async def take(self, platform: Commanded, request: WebhookRequest, stream_url: str) -> None:
        """Take one signed event. Refused as by Gateway.answer."""
        if not platform.rings(request):
            await self._gateway.news(platform, request)
            return
        call = platform.incoming(request)
        document = self._gateway.answer(platform, request, stream_url)
        command = self._obey(platform, call, document)
        task = asyncio.create_task(command, name=f"{call.call_id}: command")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def stop(self) -> None:
        """Give up what has not been obeyed yet."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    async def _obey(self, platform: Commanded, call: IncomingCall, document: Document) -> None:
        control = self._gateway.parts.controls.get(platform.name)
        try:
            if not isinstance(control, Commander):
                raise PeerFault("no_rest_key", "calls of this platform are answered by REST, which is not configured")
            await control.obey(call, document)
        except PeerFault as fault:  # the caller hears it ring until the platform gives up
            log.error("command_failed", call=call.call_id, code=fault.code, error=str(fault))
            self._gateway.calls.release(call.call_id)
