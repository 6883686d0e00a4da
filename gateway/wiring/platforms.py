"""From settings to the phone platforms that are on, and to what they are controlled with."""

from collections.abc import Callable, Mapping
from typing import Any

import aiohttp

from config import platforms as tables
from config.errors import ConfigError
from config.settings import Settings
from gateway.platforms.asterisk_control import AsteriskAccount, AsteriskControl
from gateway.platforms.bandwidth_control import BandwidthAccount, BandwidthControl
from gateway.platforms.base import Platform
from gateway.platforms.control import CallControl, TwilioControl
from gateway.platforms.exotel_control import ExotelAccount, ExotelControl
from gateway.platforms.jambonz_control import JambonzControl
from gateway.platforms.plivo_control import PlivoControl, VobizControl
from gateway.platforms.registry import build_platform
from gateway.platforms.shelf import Publish
from gateway.platforms.signalwire_control import SignalWireControl
from gateway.platforms.telnyx_control import TelnyxControl
from gateway.platforms.vonage_control import ApplicationToken, VonageControl


def build_platforms(settings: Settings) -> dict[str, Platform]:
    """Every platform that is on, by name; ConfigError names the one whose values do not fit together."""
    return {name: _checked(name, _platform, name, table) for name, table in settings.enabled_platforms().items()}


def build_controls(settings: Settings, http: aiohttp.ClientSession, publish: Publish) -> dict[str, CallControl]:
    """The REST APIs that are configured. `publish` keeps documents that a platform fetches."""
    made: dict[str, CallControl] = {}
    for name, table in settings.enabled_platforms().items():
        control = _checked(name, _control, table, http, publish)
        if control is not None:
            made[name] = control
    return made


def _platform(name: str, table: tables.PlatformGroup) -> Platform:
    return build_platform(name, **_values(table))


def _values(table: tables.PlatformGroup) -> Mapping[str, Any]:
    """The constructor's values; what only REST or a listener needs is left out."""
    match table:
        case tables.Twilio():
            return {"auth_token": table.auth_token}
        case tables.SignalWire():
            return {"codec_name": table.codec, **_some(table, "signing_key", "realtime", "l16_byte_order")}
        case tables.Telnyx():
            some = _some(table, "application", "rate_hz", "l16_byte_order", "stream_secret")
            return {"public_key_base64": table.public_key, "codec_name": table.codec, **some}
        case tables.Plivo():
            names = ("auth_token", "main_token", "content_type", "separator", "l16_byte_order", "socket_signed")
            return _some(table, *names)
        case tables.Vonage():
            names = ("signature_secret", "api_key", "application_id", "max_age_s", "rate_hz", "authorization")
            return _some(table, *names)
        case tables.Jambonz():
            return _some(table, "webhook_secret", "rate_hz", "max_age_s")
        case tables.AudioSocket():
            return _some(table, "user", "password", "rate_hz")
        case tables.ChanWebsocket():
            return _some(table, "user", "password", "media_url")
        case tables.Exotel():
            return _some(table, "user", "password", "rate_hz", "min_chunk_bytes", "marks_returned_on_clear")
        case tables.Bandwidth():
            return _some(table, "user", "password", "pcm_hz", "hold_s")
        case _:
            return table.model_dump()


def _control(table: tables.PlatformGroup, http: aiohttp.ClientSession, publish: Publish) -> CallControl | None:
    """The control, None without the credentials it needs."""
    match table:
        case tables.Twilio() if table.account_sid and table.auth_token:
            return TwilioControl(http, table.account_sid, table.auth_token, base_url=table.api_url)
        case tables.SignalWire() if table.project_id and table.token and table.space_url:
            place = table.space_url
            return SignalWireControl(http, table.project_id, table.token, space_url=place, publish=publish)
        case tables.Telnyx() if table.api_key:
            some = _some(table, "account_id", "application_id", "application")
            return TelnyxControl(http, table.api_key, base_url=table.api_url, **some)
        case tables.Plivo() if table.auth_id and table.auth_token:
            make = VobizControl if isinstance(table, tables.Vobiz) else PlivoControl
            return make(http, table.auth_id, table.auth_token, publish=publish, base_url=table.api_url)
        case tables.Vonage() if table.application_id and table.private_key:
            token = ApplicationToken(table.application_id, table.private_key)
            return VonageControl(http, token, base_url=table.api_url)
        case tables.Jambonz() if table.account_sid and table.api_key:
            return JambonzControl(http, table.account_sid, table.api_key, publish=publish, base_url=table.api_url)
        case tables.Asterisk() if table.ari_user and table.ari_password:
            some = _some(table, "endpoint", "context", "extension")
            return AsteriskControl(http, AsteriskAccount(table.ari_user, table.ari_password, table.ari_url, **some))
        case tables.Exotel() if table.account_sid and table.api_key and table.api_token:
            stream = (table.user, table.password, table.rate_hz, table.api_url)
            return ExotelControl(http, ExotelAccount(table.account_sid, table.api_key, table.api_token, *stream))
        case tables.Bandwidth() if table.account_id and table.client_id and table.client_secret:
            account = BandwidthAccount(
                table.account_id,
                table.application_id,
                table.client_id,
                table.client_secret,
                table.oauth2,
                table.user,
                table.password,
                table.api_url,
                table.token_url,
                table.hold_s,
            )
            return BandwidthControl(http, account)
        case _:
            return None


def _some(table: tables.PlatformGroup, *names: str) -> dict[str, Any]:
    return {name: getattr(table, name) for name in names}


def _checked(name: str, make: Callable[..., Any], *values: Any) -> Any:
    try:
        return make(*values)
    except ValueError as error:
        raise ConfigError(f"the settings in [{name}] cannot be used: {error}") from error
