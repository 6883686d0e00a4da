"""Where Vobiz's side of the wire differs from Plivo's."""

import json

import pytest

from gateway.events import CallEnded, CallStarted, HangUp, MarkReached
from gateway.platforms.vobiz import Vobiz
from gateway.simulator import vobiz as wire
from gateway.simulator.dialect import BotClear, BotHangUp, BotViolation
from gateway.simulator.ringing import Reply
from gateway.simulator.vobiz import VobizRinging
from tests.rig.pairing import BASE, received, rung, said


@pytest.mark.parametrize("socket_signed", [False, True])
def test_webhook_answer_socket_and_messages_fit_together(socket_signed: bool) -> None:
    made = Vobiz("secret", content_type="audio/x-l16;rate=24000", socket_signed=socket_signed)
    call = VobizRinging("pair", "secret")
    rung(made, call)
    side, codec = call.dialect(), made.codec()
    (started,) = received(codec, side.opening())
    assert isinstance(started, CallStarted)
    assert started.custom == {"token": "once"}
    assert side.rate_hz == started.format_in.rate_hz == 24000
    assert said(codec, side, [MarkReached("m")]) == [MarkReached("m")]
    assert [side.receive(message) for message in codec.encode(HangUp())] == [BotHangUp()]
    assert codec.receive_eof() == [CallEnded("closed")]


def test_a_checkpoint_comes_back_without_ids() -> None:
    call = VobizRinging("pair", "")
    answer = Vobiz("secret").answer("wss://x", "once", {})
    call.door(BASE, Reply(answer.content_type, answer.body))
    (message,) = call.dialect().mark("m")
    assert json.loads(message) == {"event": "playedStream", "name": "m"}
    assert isinstance(call.dialect().receive('{"event":"stop"}'), BotViolation)
    stream_id = json.loads(call.dialect().opening()[0])["start"]["streamId"]
    assert call.dialect().receive(json.dumps({"event": "clearAudio", "streamId": stream_id})) == BotClear()


def test_the_signature_covers_the_address_without_its_query() -> None:
    assert wire.sign("secret", "https://x/v?a=1", "1") == wire.sign("secret", "https://x/v", "1")
    assert set(wire.sign("secret", "https://x/v")) == {"X-Vobiz-Signature-V3", "X-Vobiz-Signature-V3-Nonce"}
    assert wire.sign("", "https://x/v") == {}
