"""How a stream to a service is connected: the same bounds, and the same few ways to fail, for every service."""

from collections.abc import Mapping

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, WebSocketException

from gateway.errors import SttError

# A caller waits meanwhile; what has not answered by then is tried again.
CONNECT_S = 3.0
# Both ends answer pings (RFC 6455): a dead peer is noticed after their sum.
_PING_INTERVAL_S, _PING_TIMEOUT_S = 5.0, 5.0
# How long the peer's close frame is waited for; the call is over, nobody gains by more.
_CLOSE_S = 1.0
# The words of half a minute with their times are some 10 KB; what is larger is none of theirs, and is not read.
_MAX_MESSAGE_BYTES = 1 << 20
# The key, its rights, the account or a parameter is wrong: trying again does not help.
_HOPELESS_STATUS = frozenset({400, 401, 402, 403, 404})
# Of a service's own reason.
_MAX_REASON_CHARS = 200


def code_of(service: str, language: str, languages: Mapping[str, str]) -> str:
    """The service's code of a language of ours; SttError for one that is not listed."""
    code = languages.get(language, "")
    if not code:
        raise SttError(f"{service}_no_language", f"stt.{service}.languages has no code for {language!r}")
    return code


async def dial(
    service: str, url: str, headers: Mapping[str, str] | None = None, reason_header: str = ""
) -> ClientConnection:
    """Connect to `url`. `reason_header` is where a refusal tells why.

    SttError `<service>_refused`, retryable unless the operator has to mend something, or `<service>_unreachable`.
    """
    try:
        return await connect(
            url,
            additional_headers=headers,
            compression=None,  # sound does not shrink, and the services have none
            open_timeout=CONNECT_S,
            ping_interval=_PING_INTERVAL_S,
            ping_timeout=_PING_TIMEOUT_S,
            close_timeout=_CLOSE_S,
            max_size=_MAX_MESSAGE_BYTES,
        )
    except InvalidStatus as error:
        status = error.response.status_code
        reason = (error.response.headers.get(reason_header) or "") if reason_header else ""
        detail = f"HTTP {status} at the upgrade" + (f": {reason[:_MAX_REASON_CHARS]}" if reason else "")
        raise SttError(f"{service}_refused", detail, retryable=status not in _HOPELESS_STATUS) from error
    except (OSError, TimeoutError, WebSocketException) as error:
        raise SttError(f"{service}_unreachable", type(error).__name__, retryable=True) from error
