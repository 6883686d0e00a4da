"""Who asks the worker in `voicebot bench worker`: callers with a session each, and the reference scheme beside them."""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

import aiohttp

from media.tts_wire import STREAM_PATH, encode_control, untag_audio
from media.tts_wire import Type as Kind

# Of the audio both schemes give.
RATE_HZ = 24_000
_BYTES_PER_S = 2 * RATE_HZ
# Longer than the reference takes for its slowest place in a queue of sixty; whoever waits longer is counted as failed.
ANSWER_S = 300.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What one reply took, in seconds from the moment it was asked for; `failed` holds the error's code."""

    first_s: float
    last_s: float
    audio_s: float
    failed: str = ""


class SessionCaller:
    """One call: a session over which replies go out by sentence, and come back as they are spoken."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self._http = http
        self._url = url
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._number = 0

    async def open(self) -> None:
        self._socket = await self._http.ws_connect(f"{self._url}{STREAM_PATH}", max_msg_size=0)
        await self._socket.send_str(encode_control(Kind.SESSION, protocol=1, framing="tagged"))
        await self._socket.receive_str()

    async def ask(self, sentences: list[str], cancel_after_s: float | None = None) -> Answer:
        """Have a reply spoken; with `cancel_after_s`, interrupt it that long after its first sound."""
        assert self._socket is not None, "open comes first"
        began_s = time.perf_counter()
        for sentence in sentences:
            await self._socket.send_str(encode_control(Kind.SYNTHESIZE, text=sentence))
        waiting, first_s, audio_bytes, failed, interrupt = len(sentences), 0.0, 0, "", None
        try:
            async with asyncio.timeout(ANSWER_S):
                while waiting:
                    message = await self._socket.receive()
                    if message.type is aiohttp.WSMsgType.BINARY:
                        audio_bytes += len(untag_audio(message.data)[1])
                        if not first_s:
                            first_s = time.perf_counter() - began_s
                            if cancel_after_s is not None:
                                interrupt = asyncio.create_task(self._cancel(cancel_after_s))
                    elif message.type is aiohttp.WSMsgType.TEXT:
                        said: dict[str, Any] = json.loads(message.data)
                        waiting -= said["type"] in (Kind.SYNTHESIS_COMPLETE, Kind.CANCELLED, Kind.ERROR)
                        failed = said["code"] if said["type"] == Kind.ERROR else failed
                    else:
                        failed, waiting = "closed", 0
        except TimeoutError:
            failed = "timeout"
        finally:
            if interrupt is not None:
                interrupt.cancel()
                await asyncio.gather(interrupt, return_exceptions=True)
        return Answer(first_s, time.perf_counter() - began_s, audio_bytes / _BYTES_PER_S, failed)

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def _cancel(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        assert self._socket is not None
        await self._socket.send_str(encode_control(Kind.CANCEL))


class ReferenceCaller:
    """The reference scheme: one lock for all callers, the whole text before the first byte, no way to cancel."""

    def __init__(self, http: aiohttp.ClientSession, url: str, lock: asyncio.Lock) -> None:
        self._http = http
        self._url = url
        self._lock = lock

    async def open(self) -> None:
        """There is nothing to keep open."""

    async def ask(self, sentences: list[str], cancel_after_s: float | None = None) -> Answer:
        """Have a reply spoken; a caller who interrupts it only stops listening, the engine goes on to its end."""
        began_s = time.perf_counter()
        body = {"text": " ".join(sentences), "stream": False, "format": "pcm"}
        try:
            async with (
                asyncio.timeout(ANSWER_S),
                self._lock,
                self._http.post(f"{self._url}/invocations", json=body) as response,
            ):
                audio = await response.read()
                failed = "" if response.status == 200 else str(response.status)
        except (TimeoutError, aiohttp.ClientError) as error:
            audio, failed = b"", type(error).__name__
        took_s = time.perf_counter() - began_s
        return Answer(took_s, took_s, len(audio) / _BYTES_PER_S, failed)

    async def close(self) -> None:
        """Nothing was kept open."""
