"""The platforms this gateway speaks, by name: a new one is its file and a line here."""

from collections.abc import Callable, Mapping
from typing import Any

from gateway.platforms.audiosocket import AudioSocket
from gateway.platforms.bandwidth import Bandwidth
from gateway.platforms.base import Platform
from gateway.platforms.chan_websocket import ChanWebsocket
from gateway.platforms.exotel import Exotel
from gateway.platforms.freeswitch import FreeSwitch
from gateway.platforms.genesys import Genesys
from gateway.platforms.jambonz import Jambonz
from gateway.platforms.plivo import Plivo
from gateway.platforms.signalwire import SignalWire
from gateway.platforms.telnyx_call_control import telnyx
from gateway.platforms.twilio import Twilio
from gateway.platforms.vobiz import Vobiz
from gateway.platforms.vonage import Vonage

# What each takes are the plain values of its constructor.
PLATFORMS: Mapping[str, Callable[..., Platform]] = {
    "audiosocket": AudioSocket,
    "bandwidth": Bandwidth,
    "chan_websocket": ChanWebsocket,
    "exotel": Exotel,
    "freeswitch": FreeSwitch,
    "genesys": Genesys,
    "jambonz": Jambonz,
    "plivo": Plivo,
    "signalwire": SignalWire,
    "telnyx": telnyx,
    "twilio": Twilio,
    "vobiz": Vobiz,
    "vonage": Vonage,
}


def build_platform(name: str, **values: Any) -> Platform:
    """Return the platform made from its constructor's values; ValueError when no platform has that name."""
    make = PLATFORMS.get(name)
    if make is None:
        raise ValueError(f"unknown platform {name!r}; known are {', '.join(sorted(PLATFORMS))}")
    return make(**values)
