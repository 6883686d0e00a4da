"""Place a simulated call to a running gateway: webhook, media socket, the call itself, and its report."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp

from gateway.simulator import twilio
from gateway.simulator.call import SimulatedCall
from gateway.simulator.caller import CallerTurn, load_turns
from gateway.simulator.failure import CallFailed
from gateway.simulator.faults import Faults
from gateway.simulator.link import MAX_MESSAGE_BYTES, WebSocketLink
from gateway.simulator.report import CallReport, build_report, write_report
from gateway.simulator.script import Manners, Script
from gateway.simulator.timeline import draw_timeline

# Twilio gives a webhook 15 s.
WEBHOOK_TIMEOUT_S = 15.0
# An upgrade that takes longer has failed; Twilio's own limit is not documented.
CONNECT_TIMEOUT_S = 10.0
# The gateway closes a call's record within a second of its end.
RECORD_TRIES = 10
RECORD_PAUSE_S = 0.2
RECORD_TIMEOUT_S = 3.0
PLATFORMS = ("twilio",)


@dataclass(frozen=True, slots=True)
class Target:
    """The gateway to call: `url` is its base (ws, wss, http or https).

    `auth_token` signs as the platform does; `public_url` is the base it is signed for, where the gateway is known by
    another one. `admin_token` reads the gateway's record of the call.
    """

    url: str
    auth_token: str = field(default="", repr=False)
    public_url: str = ""
    admin_token: str = field(default="", repr=False)

    @property
    def http_base(self) -> str:
        parts = urlsplit(self.url)
        if parts.scheme not in ("ws", "wss", "http", "https") or not parts.netloc:
            raise CallFailed("bad_url", f"{self.url!r} is no gateway's address: give one like ws://127.0.0.1:8080")
        scheme = "https" if parts.scheme in ("wss", "https") else "http"
        return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}"

    def signed_url(self, path: str) -> str:
        return (self.public_url.rstrip("/") or self.http_base) + path

    def reachable(self, stream_url: str) -> str:
        """The stream's URL as it can be reached from here: its public base, if it has it, is replaced."""
        public = _websocket(self.public_url.rstrip("/"))
        if public and stream_url.startswith(public):
            return _websocket(self.http_base) + stream_url.removeprefix(public)
        return stream_url


async def run_call(
    files: Sequence[str | Path],
    url: str,
    platform: str,
    out_dir: Path,
    *,
    auth_token: str = "",
    public_url: str = "",
    admin_token: str = "",
    manners: Manners | None = None,
    faults: Faults | None = None,
) -> CallReport:
    """Play the recordings (or `dtmf:` keys) as one caller; write heard.wav, call.json and timeline.png to `out_dir`.

    `url` and the tokens are Target's. Raises CallFailed, whose `detail` is a sentence for the operator, ValueError for
    an unusable recording and OSError when the report cannot be written.
    """
    if platform not in PLATFORMS:
        raise CallFailed("unknown_platform", f"no simulator speaks {platform!r}; known are {', '.join(PLATFORMS)}")
    # Files and the picture in a thread: the gateway may live in the same loop.
    turns = await asyncio.to_thread(load_turns, files, twilio.RATE_HZ)
    target = Target(url, auth_token, public_url, admin_token)
    report = await place_call(turns, target, manners=manners, faults=faults)
    await asyncio.to_thread(write_report, report, out_dir)
    await asyncio.to_thread(draw_timeline, report, out_dir / "timeline.png")
    return report


async def place_call(
    turns: Sequence[CallerTurn], target: Target, *, manners: Manners | None = None, faults: Faults | None = None
) -> CallReport:
    """Hold one call in Twilio's dialect and report on it, nothing written."""
    ids = twilio.TwilioIds.numbered(secrets.token_hex(16))
    async with aiohttp.ClientSession() as http:
        order = await _ring(http, target, ids)
        link = await _open(http, target, order)
        dialect = twilio.TwilioDialect(ids, order.parameters)
        trace = await SimulatedCall(link, dialect, Script(turns, dialect.rate_hz, manners), faults).run()
        return build_report("twilio", ids.call, trace, await _fetch_record(http, target, ids.call))


async def _ring(http: aiohttp.ClientSession, target: Target, ids: twilio.TwilioIds) -> twilio.StreamOrder:
    path = "/twilio/voice"
    form = twilio.voice_form(ids, caller="+15550100001", called="+15550100002")
    headers = twilio.sign(target.auth_token, target.signed_url(path), form)
    timeout = aiohttp.ClientTimeout(total=WEBHOOK_TIMEOUT_S)
    try:
        async with http.post(target.http_base + path, data=form, headers=headers, timeout=timeout) as response:
            document = await response.text()
    except (aiohttp.ClientError, TimeoutError) as error:
        detail = f"no gateway answers at {target.http_base}{path} ({type(error).__name__}): is it running there?"
        raise CallFailed("unreachable", detail) from error
    if response.status != 200:
        raise CallFailed("refused", f"the gateway answered the webhook with HTTP {response.status}")
    return twilio.read_answer(document)


async def _open(http: aiohttp.ClientSession, target: Target, order: twilio.StreamOrder) -> WebSocketLink:
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            socket = await http.ws_connect(
                target.reachable(order.url),
                headers=twilio.sign(target.auth_token, order.url),
                max_msg_size=MAX_MESSAGE_BYTES,
            )
    except (aiohttp.ClientError, TimeoutError) as error:
        status = f"HTTP {error.status}" if isinstance(error, aiohttp.WSServerHandshakeError) else type(error).__name__
        raise CallFailed("no_stream", f"31920: the media socket could not be opened ({status})") from error
    return WebSocketLink(socket)


async def _fetch_record(http: aiohttp.ClientSession, target: Target, call_id: str) -> Mapping[str, Any] | None:
    """Return the gateway's record of the ended call, None where it keeps none or shows it to nobody."""
    url = f"{target.http_base}/calls/{quote(call_id, safe='')}"
    headers = {"Authorization": f"Bearer {target.admin_token}"} if target.admin_token else {}
    timeout = aiohttp.ClientTimeout(total=RECORD_TIMEOUT_S)
    record: Mapping[str, Any] | None = None
    for _ in range(RECORD_TRIES):
        try:
            async with http.get(url, headers=headers, timeout=timeout) as response:
                body = await response.json() if response.status == 200 else None
        except (aiohttp.ClientError, TimeoutError, ValueError):
            return record
        if not isinstance(body, dict):
            return record
        record = body
        if record.get("ended"):
            break
        await asyncio.sleep(RECORD_PAUSE_S)
    return record


def _websocket(http_url: str) -> str:
    """The same address with a socket's scheme: https becomes wss, http becomes ws."""
    return "ws" + http_url.removeprefix("http") if http_url.startswith("http") else http_url
