"""A tiny gateway for the simulator's tests: it plays a tone after each turn of the caller. Its code is its own."""

import asyncio
import base64
import json
import math
import struct
from typing import Any
from xml.sax.saxutils import quoteattr

import aiohttp
from aiohttp import web

from gateway.simulator.link import Link
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from media.level import rms_dbfs

RATE_HZ = 8000
# What the application was asked with: form, signatures, admin token.
SEEN = web.AppKey("seen", dict[str, Any])


def tone(duration_s: float, frequency_hz: float = 440.0, amplitude: float = 0.4) -> bytes:
    """A sine as PCM s16le at 8 kHz."""
    count = round(duration_s * RATE_HZ)
    step = 2 * math.pi * frequency_hz / RATE_HZ
    return struct.pack(f"<{count}h", *(round(32767 * amplitude * math.sin(step * n)) for n in range(count)))


class EchoBot:
    """Says a tone `delay_s` after the caller has been silent for `hangover_s`, then a mark. It remembers what came."""

    def __init__(
        self, tone_s: float = 1.0, hangover_s: float = 0.3, delay_s: float = 0.0, greets: bool = False
    ) -> None:
        self.messages: list[dict[str, Any]] = []
        self.marks: list[str] = []
        self.digits = ""
        self._tone_s = tone_s
        self._hangover_s = hangover_s
        self._delay_s = delay_s
        self._greets = greets
        self._stream = ""
        self._said = 0

    async def serve(self, link: Link) -> None:
        """Until the caller's socket closes."""
        silent_s, spoken = 0.0, False
        while (message := await link.receive()) is not None:
            body = json.loads(message)
            self.messages.append(body)
            match body["event"]:
                case "start":
                    self._stream = body["streamSid"]
                    if self._greets:
                        await self._say(link)
                case "mark":
                    self.marks.append(body["mark"]["name"])
                case "dtmf":
                    self.digits += body["dtmf"]["digit"]
                case "media":
                    pcm = ulaw_to_pcm(base64.b64decode(body["media"]["payload"]))
                    if rms_dbfs(pcm) > -50:
                        silent_s, spoken = 0.0, True
                    else:
                        silent_s += len(pcm) / 2 / RATE_HZ
                    if spoken and silent_s >= self._hangover_s:
                        spoken = False
                        await self._say(link)
        await link.close()

    async def _say(self, link: Link) -> None:
        await asyncio.sleep(self._delay_s)
        self._said += 1
        payload = base64.b64encode(pcm_to_ulaw(tone(self._tone_s))).decode()
        await link.send(json.dumps({"event": "media", "streamSid": self._stream, "media": {"payload": payload}}))
        mark = {"name": f"reply-{self._said}"}
        await link.send(json.dumps({"event": "mark", "streamSid": self._stream, "mark": mark}))


class _ServerLink:
    """The server's end of a socket as a Link."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket

    async def send(self, message: str | bytes) -> None:
        await self._socket.send_str(str(message))

    async def receive(self) -> str | bytes | None:
        message = await self._socket.receive()
        return str(message.data) if message.type is aiohttp.WSMsgType.TEXT else None

    async def close(self) -> None:
        await self._socket.close()

    def abort(self) -> None:
        raise NotImplementedError("the echo gateway ends its calls in good order")


def echo_app(bot: EchoBot, record: dict[str, Any] | None = None, answer: str = "") -> web.Application:
    """A gateway's routes as an aiohttp application; `answer` replaces the TwiML, `record` is what /calls/{id} says."""
    app = web.Application()
    seen: dict[str, Any] = {}
    app[SEEN] = seen

    async def voice(request: web.Request) -> web.Response:
        seen["form"] = dict(await request.post())
        seen["signature"] = request.headers.get("X-Twilio-Signature", "")
        url = quoteattr(f"ws://{request.host}/twilio/stream")
        parameter = '<Parameter name="token" value="once &amp; only"/>'
        document = f"<Response><Connect><Stream url={url}>{parameter}</Stream></Connect></Response>"
        return web.Response(text=answer or document, content_type="text/xml")

    async def stream(request: web.Request) -> web.WebSocketResponse:
        seen["stream_signature"] = request.headers.get("X-Twilio-Signature", "")
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await bot.serve(_ServerLink(socket))
        return socket

    async def calls(request: web.Request) -> web.Response:
        seen["admin"] = request.headers.get("Authorization", "")
        if record is None:
            raise web.HTTPNotFound
        return web.json_response({**record, "call_id": request.match_info["call_id"]})

    app.add_routes(
        [web.post("/twilio/voice", voice), web.get("/twilio/stream", stream), web.get("/calls/{call_id}", calls)]
    )
    return app
