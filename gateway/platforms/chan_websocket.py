"""Asterisk chan_websocket: Asterisk connects to us, or has us connect to it (`Dial(WebSocket/INCOMING/...)`).

chan_websocket_stream.py is what passes over the socket, whoever opened it.
"""

import re
from collections.abc import Mapping

from gateway.errors import Refused
from gateway.platforms.asterisk import DialPlan, answer_word
from gateway.platforms.base import Codec, Document, WebhookRequest
from gateway.platforms.chan_websocket_stream import CAPABILITIES, ChanWebsocketCodec
from gateway.platforms.webhook import webhook_fields, word

# A UUID by now; whatever it is, it must not lead anywhere else on Asterisk's HTTP server.
_CONNECTION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ChanWebsocket(DialPlan):
    """The platform: the dial plan's question and the socket need the same credentials (websocket_client.conf).

    `media_url` is where Asterisk takes the streams it has us open, ws://HOST:8088/media; blank where it opens them.
    """

    name = "chan_websocket"
    capabilities = CAPABILITIES

    def __init__(self, user: str = "", password: str = "", media_url: str = "") -> None:
        super().__init__(user, password)
        self._media_url = media_url.rstrip("/")

    def codec(self) -> Codec:
        return ChanWebsocketCodec()

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """The token, which the dial plan hands back with v(token=...)."""
        return answer_word(token)

    def visit(self, request: WebhookRequest) -> str:
        """Read the ConnectionId of a channel that waits for us; Refused (400) when it is none, or Asterisk unknown."""
        connection_id = word(webhook_fields(request), "ConnectionId")
        if not connection_id:
            return ""
        if not self._media_url:
            raise Refused("no_media_url", "set chan_websocket.media_url to open streams at Asterisk", http_status=400)
        if not _CONNECTION_ID.fullmatch(connection_id):
            raise Refused("bad_connection_id", "the ConnectionId is none of Asterisk's", http_status=400)
        return f"{self._media_url}/{connection_id}"
