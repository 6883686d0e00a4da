"""Place a simulated call to a running gateway: webhook, media socket, the call itself, and its report."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp
from yarl import URL

from gateway.simulator.audiosocket import AudioSocketRinging
from gateway.simulator.bandwidth import BandwidthRinging
from gateway.simulator.call import SimulatedCall
from gateway.simulator.caller import CallerTurn, load_turns
from gateway.simulator.chan_websocket import ChanWebsocketRinging
from gateway.simulator.exotel import ExotelRinging
from gateway.simulator.failure import CallFailed
from gateway.simulator.faults import Faults
from gateway.simulator.freeswitch import FreeSwitchRinging
from gateway.simulator.genesys import GenesysRinging
from gateway.simulator.jambonz import JambonzRinging
from gateway.simulator.link import MAX_MESSAGE_BYTES, Link, TcpLink, WebSocketLink
from gateway.simulator.plivo import PlivoRinging
from gateway.simulator.report import CallReport, build_report, write_report
from gateway.simulator.ringing import Door, MakeRinging, Reply, Ringing, Webhook, websocket
from gateway.simulator.script import Manners, Script
from gateway.simulator.signalwire import SignalWireRinging
from gateway.simulator.tape import TapedLink, save_tape
from gateway.simulator.telnyx import TelnyxRinging
from gateway.simulator.timeline import draw_timeline
from gateway.simulator.twilio import TwilioRinging
from gateway.simulator.vobiz import VobizRinging
from gateway.simulator.vonage import VonageRinging

# Twilio gives a webhook 15 s.
WEBHOOK_TIMEOUT_S = 15.0
# An upgrade that takes longer has failed; Twilio's own limit is not documented.
CONNECT_TIMEOUT_S = 10.0
# The gateway closes a call's record within a second of its end.
RECORD_TRIES = 10
RECORD_PAUSE_S = 0.2
RECORD_TIMEOUT_S = 3.0
# A platform is its file and a line here.
RINGING: Mapping[str, MakeRinging] = {
    "audiosocket": AudioSocketRinging,
    "bandwidth": BandwidthRinging,
    "chan_websocket": ChanWebsocketRinging,
    "exotel": ExotelRinging,
    "freeswitch": FreeSwitchRinging,
    "genesys": GenesysRinging,
    "jambonz": JambonzRinging,
    "plivo": PlivoRinging,
    "signalwire": SignalWireRinging,
    "telnyx": TelnyxRinging,
    "twilio": TwilioRinging,
    "vobiz": VobizRinging,
    "vonage": VonageRinging,
}


@dataclass(frozen=True, slots=True)
class Target:
    """The gateway to call: `url` is its base (ws, wss, http or https).

    With `secret` requests are signed as the platform does; `public_url` is the base they are signed for, where the
    gateway is known by another one. `admin_token` reads the gateway's record of the call. `tcp_port` is where the
    gateway listens for AudioSocket, when that is not the usual port.
    """

    url: str
    secret: str = field(default="", repr=False)
    public_url: str = ""
    admin_token: str = field(default="", repr=False)
    tcp_port: int = 0

    @property
    def http_base(self) -> str:
        parts = urlsplit(self.url)
        if parts.scheme not in ("ws", "wss", "http", "https") or not parts.netloc:
            raise CallFailed("bad_url", f"{self.url!r} is no gateway's address: give one like ws://127.0.0.1:8080")
        scheme = "https" if parts.scheme in ("wss", "https") else "http"
        return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}"

    @property
    def public_base(self) -> str:
        """Scheme and host for which the platform signs."""
        return self.public_url.rstrip("/") or self.http_base

    def reachable(self, url: str) -> str:
        """A webhook's or stream's URL as it can be reached from here: its public base, if it has it, is replaced."""
        if url.startswith("tcp://"):
            return f"tcp://{urlsplit(self.http_base).hostname}:{self.tcp_port or urlsplit(url).port}"
        for public, here in (
            (self.public_base, self.http_base),
            (websocket(self.public_base), websocket(self.http_base)),
        ):
            if url.startswith(public):
                return here + url.removeprefix(public)
        return url


async def run_call(
    files: Sequence[str | Path],
    url: str,
    platform: str,
    out_dir: Path,
    *,
    secret: str = "",
    public_url: str = "",
    admin_token: str = "",
    tcp_port: int = 0,
    tape: Path | None = None,
    manners: Manners | None = None,
    faults: Faults | None = None,
) -> CallReport:
    """Play the recordings (or `dtmf:` keys) as one caller; write heard.wav, call.json and timeline.png to `out_dir`.

    `url` and the tokens are Target's. Raises CallFailed, whose `detail` is a sentence for the operator, ValueError for
    an unusable recording and OSError when the report cannot be written.
    """
    rate_hz = _ringing(platform, secret).rate_hz
    # Files and the picture in a thread: the gateway may live in the same loop.
    turns = await asyncio.to_thread(load_turns, files, rate_hz)
    target = Target(url, secret, public_url, admin_token, tcp_port)
    report = await place_call(turns, target, platform, tape=tape, manners=manners, faults=faults)
    await asyncio.to_thread(write_report, report, out_dir)
    await asyncio.to_thread(draw_timeline, report, out_dir / "timeline.png")
    return report


async def place_call(
    turns: Sequence[CallerTurn],
    target: Target,
    platform: str = "twilio",
    *,
    tape: Path | None = None,
    manners: Manners | None = None,
    faults: Faults | None = None,
) -> CallReport:
    """Hold one call in the platform's dialect and report on it; nothing is written but the `tape` of its messages.

    The recordings have the rate that the platform's calls are expected to have (8 kHz for most).
    """
    ringing = _ringing(platform, target.secret)
    async with aiohttp.ClientSession() as http:
        webhook = ringing.ask(target.public_base)
        reply = None if webhook is None else await _ask(http, target, webhook)
        link = await _open(http, target, ringing.door(target.public_base, reply))
        taped = TapedLink(link)
        dialect = ringing.dialect()
        script = Script([turn.at(ringing.rate_hz, dialect.rate_hz) for turn in turns], dialect.rate_hz, manners)
        trace = await SimulatedCall(link if tape is None else taped, dialect, script, faults).run()
        if tape is not None:
            await asyncio.to_thread(save_tape, tape, taped.tape)
        return build_report(platform, ringing.call_id, trace, await _fetch_record(http, target, ringing.call_id))


def _ringing(platform: str, secret: str) -> Ringing:
    make = RINGING.get(platform)
    if make is None:
        known = ", ".join(sorted(RINGING))
        raise CallFailed("unknown_platform", f"no simulator speaks {platform!r}; known are {known}")
    return make(secrets.token_hex(16), secret)


async def _ask(http: aiohttp.ClientSession, target: Target, webhook: Webhook) -> Reply:
    url = target.reachable(webhook.url)
    headers = {**webhook.headers, **({"Content-Type": webhook.content_type} if webhook.content_type else {})}
    timeout = aiohttp.ClientTimeout(total=WEBHOOK_TIMEOUT_S)
    try:
        # The URL is sent as it was signed, its query included.
        asked = http.request(
            webhook.method, URL(url, encoded=True), data=webhook.body, headers=headers, timeout=timeout
        )
        async with asked as response:
            document = await response.text()
    except (aiohttp.ClientError, TimeoutError) as error:
        place = url.partition("?")[0]
        detail = f"no gateway answers at {place} ({type(error).__name__}): is it running there?"
        raise CallFailed("unreachable", detail) from error
    if response.status not in (200, 204):
        unsigned = ": give its --secret and --public-url" if response.status in (401, 403) else ""
        raise CallFailed("refused", f"the gateway answered the webhook with HTTP {response.status}{unsigned}")
    return Reply(response.content_type, document)


async def _open(http: aiohttp.ClientSession, target: Target, door: Door) -> Link:
    url = target.reachable(door.url)
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            if url.startswith("tcp://"):
                parts = urlsplit(url)
                return TcpLink(*await asyncio.open_connection(parts.hostname, parts.port))
            socket = await http.ws_connect(
                URL(url, encoded=True),
                headers=door.headers,
                protocols=door.subprotocols,
                max_msg_size=MAX_MESSAGE_BYTES,
            )
    except (aiohttp.ClientError, OSError) as error:
        status = f"HTTP {error.status}" if isinstance(error, aiohttp.WSServerHandshakeError) else type(error).__name__
        place = url.partition("?")[0]
        remedy = f": {door.remedy}" if door.remedy else ""
        raise CallFailed("no_stream", f"the media socket {place} could not be opened ({status}){remedy}") from error
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
