"""A small Amazon Transcribe on loopback: checks the signed address, reads event-stream audio, and understands tones.

A tone heard long enough is a word (tones.py), a longer silence ends a result. Written from the developer guide, it
shares no code with the client: SigV4 is computed here, frames are this rig's own.
"""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import aiohttp
from aiohttp import web

from tests.rig.event_stream import encode_message
from tests.rig.signed_events import decode_message
from tests.rig.tones import FRAMES_PER_S, RATE_HZ, stretches

SECRET = "a secret key for tests"
PATH = "/stream-transcription-websocket"
# A silence of this many frames ends a result, as the service does after about half a second.
_ENDS_AFTER_FRAMES = 30


@dataclass(slots=True)
class Stream:
    """One connection: its parameters, and the audio it brought."""

    parameters: dict[str, str]
    audio: bytearray = field(default_factory=bytearray)
    ended: bool = False


@dataclass(slots=True)
class Fate:
    """What happens to a connection once it has brought this much audio: an exception by name, "drop", or "hang"."""

    kind: str
    after_s: float = 0.0
    message: str = ""


@dataclass(slots=True)
class Transcribe:
    """What was asked of it, and what it is to do: `fates` in the order of the connections."""

    url: str = ""
    idle_s: float = 15.0
    streams: list[Stream] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    fates: list[Fate | None] = field(default_factory=list)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        fault = signature_fault(request)
        if fault:
            self.refused.append(fault)
            return web.Response(status=403, text=fault)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        stream = Stream(dict(request.query))
        fate = self.fates[len(self.streams)] if len(self.streams) < len(self.fates) else None
        self.streams.append(stream)
        await self._listen(socket, stream, fate)
        return socket

    async def _listen(self, socket: web.WebSocketResponse, stream: Stream, fate: Fate | None) -> None:
        told: dict[str, Any] = {}
        while True:
            try:
                message = await socket.receive(timeout=self.idle_s)
            except TimeoutError:
                text = f"Your request timed out because no new audio was received for {self.idle_s:g} seconds."
                await _except(socket, "BadRequestException", text)
                return
            if message.type is not aiohttp.WSMsgType.BINARY:
                return
            headers, pcm = decode_message(message.data)
            assert headers[":event-type"] == "AudioEvent"
            stream.ended = not pcm
            stream.audio += pcm
            heard_s = len(stream.audio) / (2 * RATE_HZ)
            if fate is not None and heard_s >= fate.after_s:
                if fate.kind == "drop":
                    transport = socket.get_extra_info("transport")
                    assert isinstance(transport, asyncio.Transport)
                    transport.abort()
                    return
                if fate.kind != "hang":
                    await _except(socket, fate.kind, fate.message)
                    return
                continue
            for result in results(bytes(stream.audio)):
                if told.get(result["ResultId"]) != result:
                    told[result["ResultId"]] = result
                    await socket.send_bytes(_event("TranscriptEvent", {"Transcript": {"Results": [result]}}))


def results(pcm: bytes) -> Iterator[dict[str, Any]]:
    """Everything understood of a stream so far."""
    items: list[dict[str, Any]] = []
    number = quiet = 0
    for word, start, end in stretches(pcm):
        if word:
            mark = word == "?"
            items.append(
                {
                    "Content": word,
                    "Type": "punctuation" if mark else "pronunciation",
                    "StartTime": start / FRAMES_PER_S,
                    "EndTime": end / FRAMES_PER_S,
                }
            )
            quiet = 0
        else:
            quiet = end - start
            if items and quiet >= _ENDS_AFTER_FRAMES:
                yield _result(number, items, final=True)
                items, number = [], number + 1
    if items:
        yield _result(number, items, final=False)


def _result(number: int, items: list[dict[str, Any]], final: bool) -> dict[str, Any]:
    return {
        "ResultId": f"result-{number}",
        "StartTime": items[0]["StartTime"],
        "EndTime": items[-1]["EndTime"],
        "IsPartial": not final,
        "Alternatives": [{"Transcript": " ".join(item["Content"] for item in items), "Items": items}],
    }


def _event(kind: str, body: dict[str, Any]) -> bytes:
    headers = {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}
    return encode_message(headers, json.dumps(body).encode())


async def _except(socket: web.WebSocketResponse, kind: str, text: str) -> None:
    headers = {":message-type": "exception", ":exception-type": kind, ":content-type": "application/json"}
    await socket.send_bytes(encode_message(headers, json.dumps({"Message": text}).encode()))
    await socket.close()


def signature_fault(request: web.Request) -> str:
    """Why the address is not signed right (SigV4 in the query, payload empty); "" when it is."""
    query = dict(request.query)
    given = query.pop("X-Amz-Signature", "")
    if query.get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256" or not 0 < int(query.get("X-Amz-Expires", 0)) <= 300:
        return "not signed"
    _, date, region, service, last = query["X-Amz-Credential"].split("/")
    if service != "transcribe":
        return "another service's"
    canonical_query = "&".join(f"{quote(k, safe='-_.~')}={quote(v, safe='-_.~')}" for k, v in sorted(query.items()))
    empty = hashlib.sha256(b"").hexdigest()
    canonical = f"GET\n{PATH}\n{canonical_query}\nhost:{request.host}\n\nhost\n{empty}"
    scope = f"{date}/{region}/{service}/{last}"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    to_sign = f"AWS4-HMAC-SHA256\n{query['X-Amz-Date']}\n{scope}\n{digest}"
    key = f"AWS4{SECRET}".encode()
    for part in (date, region, service, last):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    right = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    return "" if hmac.compare_digest(right, given) else "wrong signature"


@asynccontextmanager
async def transcribe_server() -> AsyncIterator[Transcribe]:
    """The service on a free port; its `url` is ws://."""
    service = Transcribe()
    app = web.Application()
    app.router.add_get(PATH, service.serve)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    service.url = f"ws://{host}:{port}"
    try:
        yield service
    finally:
        await runner.cleanup()
