"""A small Deepgram on loopback: asks for the key, hears tones, and answers, closes and keeps silent as the service.

Written from its documentation (gateway/stt/deepgram_wire.py names the pages), sharing no code with the client. `Ears`
are one stream without a socket.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from tests.rig.tones import FRAMES_PER_S, RATE_HZ, stretches

KEY = "a key for tests"
PATH = "/v1/listen"
BYTES_PER_S = 2 * RATE_HZ
# Without a word it tells so at latest after this much audio.
_BLANK_AFTER_S = 3.0
# Less than this left to finalise is not answered.
_NOTICEABLE_S = 0.05
_ASKED = {"encoding": "linear16", "sample_rate": "16000", "channels": "1", "interim_results": "true"}


class Ears:
    """One stream: audio in, `Results` out.

    `deaf` ones leave a Finalize unanswered, and judge no pause; the results of `curt` ones end with their last word.
    """

    def __init__(self, endpointing_ms: int, deaf: bool = False, curt: bool = False) -> None:
        self._curt = curt
        self._endpointing_s = endpointing_ms / 1000
        self._deaf = deaf
        self._pcm = bytearray()
        self._final_bytes = 0
        self._told: list[dict[str, Any]] = []

    @property
    def heard_s(self) -> float:
        return len(self._pcm) / BYTES_PER_S

    def audio(self, pcm: bytes) -> Iterator[str]:
        self._pcm += pcm
        words, quiet_s = self._words()
        if words and quiet_s >= self._endpointing_s and not self._deaf:
            yield self._result(words, final=True, speech_final=True)
        elif not words and self.heard_s - self._final_bytes / BYTES_PER_S >= _BLANK_AFTER_S:
            yield self._result([], final=True)
        elif words != self._told:
            self._told = words
            yield self._result(words)

    def finalize(self) -> Iterator[str]:
        if self.heard_s - self._final_bytes / BYTES_PER_S >= _NOTICEABLE_S and not self._deaf:
            yield self._result(self._words()[0], final=True, from_finalize=True)

    def _words(self) -> tuple[list[dict[str, Any]], float]:
        """What is not final yet, and how long it has been quiet behind it."""
        begin_s, words, quiet = self._final_bytes / BYTES_PER_S, list[dict[str, Any]](), 0
        for word, start, end in stretches(bytes(self._pcm[self._final_bytes :])):
            quiet = 0 if word else end - start
            if word == "?":
                words[-1:] = [{**last, "punctuated_word": last["word"] + word} for last in words[-1:]]
            elif word:
                times = {"start": begin_s + start / FRAMES_PER_S, "end": begin_s + end / FRAMES_PER_S}
                words.append({"word": word, "punctuated_word": word, "confidence": 0.9, **times})
        return words, quiet / FRAMES_PER_S

    def _result(self, words: list[dict[str, Any]], final: bool = False, **flags: bool) -> str:
        start_s = self._final_bytes / BYTES_PER_S
        if final:
            self._final_bytes, self._told = len(self._pcm), []
        transcript = " ".join(word["punctuated_word"] for word in words)
        return json.dumps(
            {
                "type": "Results",
                "channel_index": [0, 1],
                "start": start_s,
                "duration": (words[-1]["end"] if self._curt and words else self.heard_s) - start_s,
                "is_final": final,
                "speech_final": False,
                "from_finalize": False,
                "channel": {"alternatives": [{"transcript": transcript, "confidence": 0.9, "words": words}]},
                **flags,
            }
        )


@dataclass(slots=True)
class Fate:
    """What becomes of a stream once it has brought this much audio: "drop", "hang", "deaf" (from its beginning), "tell"
    (it sends `text`, and goes on), or "close" with `code` and `text`."""

    kind: str
    after_s: float = 0.0
    text: str = ""
    code: int = 1011


@dataclass(slots=True)
class Stream:
    """One connection: what was asked of it, the audio it brought, and the messages beside."""

    asked: list[tuple[str, str]]
    audio: bytearray = field(default_factory=bytearray)
    controls: list[str] = field(default_factory=list)
    close_code: int | None = None


@dataclass(slots=True)
class Deepgram:
    """What was asked of it, and what it is to do: first `refusals` (status, reason), then the `fates` of streams."""

    url: str = ""
    idle_s: float = 10.0
    streams: list[Stream] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    refusals: list[tuple[int, str]] = field(default_factory=list)
    fates: list[Fate | None] = field(default_factory=list)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        status, reason = self.refusals.pop(0) if self.refusals else _refusal(request)
        if status:
            self.refused.append(reason)
            return web.json_response({"err_msg": reason}, status=status, headers={"dg-error": reason})
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        stream = Stream(list(request.query.items()))
        fate = self.fates[len(self.streams)] if len(self.streams) < len(self.fates) else None
        self.streams.append(stream)
        ears = Ears(int(request.query.get("endpointing", 10)), deaf=fate is not None and fate.kind == "deaf")
        await self._listen(socket, stream, ears, fate)
        stream.close_code = socket.close_code
        return socket

    async def _listen(self, socket: web.WebSocketResponse, stream: Stream, ears: Ears, fate: Fate | None) -> None:
        while True:
            try:
                message = await socket.receive(timeout=self.idle_s)
            except TimeoutError:
                await socket.close(code=1011, message=b"NET-0001")
                return
            if message.type is aiohttp.WSMsgType.TEXT:
                kind = json.loads(message.data)["type"]
                stream.controls.append(kind)
                answers = list(ears.finalize()) if kind == "Finalize" else []
            elif message.type is aiohttp.WSMsgType.BINARY and message.data:
                stream.audio += message.data
                answers = list(ears.audio(message.data))
            else:  # an empty message ends the stream, too
                await socket.close()
                return
            if fate is not None and ears.heard_s >= fate.after_s and fate.kind != "deaf":
                if fate.kind == "hang":
                    continue
                if not await _befall(socket, fate):
                    return
                fate = None
            for answer in answers:
                await socket.send_str(answer)


async def _befall(socket: web.WebSocketResponse, fate: Fate) -> bool:
    """Let it happen; whether the stream lives on."""
    if fate.kind == "tell":
        await socket.send_str(fate.text)
        return True
    if fate.kind == "close":
        await socket.close(code=fate.code, message=fate.text.encode())
        return False
    transport = socket.get_extra_info("transport")
    assert isinstance(transport, asyncio.Transport)
    transport.abort()
    return False


def _refusal(request: web.Request) -> tuple[int, str]:
    if request.headers.get("Authorization") != f"Token {KEY}":
        return 401, "Invalid credentials."
    wrong = {name: request.query.get(name) for name, value in _ASKED.items() if request.query.get(name) != value}
    return (400, f"this rig hears 16 kHz PCM, and was asked for {wrong}") if wrong else (0, "")


@asynccontextmanager
async def deepgram_server() -> AsyncIterator[Deepgram]:
    """The service on a free port; its `url` is ws://."""
    service = Deepgram()
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
