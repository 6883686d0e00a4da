"""Vobiz's side: Plivo's, but for the signature, a rate of 24 kHz, and `stop` from the bot."""

import json
from collections.abc import Mapping
from typing import Any

from gateway.simulator.dialect import BotHangUp, BotMessage
from gateway.simulator.plivo import CONTENT_TYPES, PlivoDialect, PlivoRinging, headers_of
from gateway.simulator.wire_audio import WireAudio


class VobizDialect(PlivoDialect):
    """The messages of one stream; playedStream comes without ids."""

    def mark(self, name: str) -> list[str | bytes]:
        return [json.dumps({"event": "playedStream", "name": name})]

    def obeyed(self, body: Mapping[str, Any]) -> BotMessage:
        if body.get("event") == "stop" and "streamId" in body:
            return BotHangUp()
        return super().obeyed(body)


class VobizRinging(PlivoRinging):
    """A call to a number of ours; `secret` is the account's auth token."""

    name = "vobiz"
    content_types = {**CONTENT_TYPES, "audio/x-l16;rate=24000": WireAudio("l16", 24000)}
    speaks = VobizDialect

    def signed(self, url: str, form: Mapping[str, str]) -> Mapping[str, str]:
        return sign(self._secret, url)


def sign(auth_token: str, url: str, nonce: str = "") -> dict[str, str]:
    """The headers Vobiz signs with: the address without its query, whatever else there is; none without a token."""
    return headers_of("Vobiz", auth_token, url.partition("?")[0], nonce)
