"""Telnyx's Call Control from event to stream order, at a gateway without sockets."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer
from aiohttp.web import Application

from gateway.errors import PeerFault
from gateway.gateway import Gateway
from gateway.http.platform_routes import PlatformRoutes, SocketBounds
from gateway.http.requests import RequestReader
from gateway.legs.commanded import Commands
from gateway.legs.handover import Handovers, Invitation
from gateway.platforms.base import Document, IncomingCall, WebhookRequest
from gateway.platforms.control import CallControl
from gateway.platforms.telnyx_call_control import TelnyxCallControl
from gateway.platforms.telnyx_control import TelnyxControl
from gateway.platforms.telnyx_rooms import INTRODUCED
from gateway.simulator.telnyx import StreamOrder, TelnyxDialect, TelnyxIds
from tests.rig.call import Rig
from tests.rig.call_rest import CallRest
from tests.rig.waiting import until

STREAM = "wss://bot.example.test/telnyx/stream"


@dataclass
class Obedient:
    """A control that does as it is told, unless it is to fail or to wait."""

    told: list[tuple[IncomingCall, dict[str, Any]]] = field(default_factory=list)
    fault: PeerFault | None = None
    waits: bool = False

    async def obey(self, call: IncomingCall, document: Document) -> None:
        self.told.append((call, json.loads(document.body)))
        if self.waits:
            await asyncio.Event().wait()
        if self.fault:
            raise self.fault


class Bench:
    """A gateway for Telnyx with that control, or none."""

    def __init__(self, control: Obedient | None, max_calls: int = 10) -> None:
        self.gateway: Gateway = Rig(max_calls=max_calls).gateway()
        self.platform = TelnyxCallControl("")
        controls: dict[str, CallControl] = {} if control is None else {"telnyx": control}  # type: ignore[dict-item] # obey is all that is asked
        self.gateway.parts = replace(self.gateway.parts, platforms={"telnyx": self.platform}, controls=controls)
        self.commands = Commands(self.gateway)

    async def tell(
        self, event_type: str = "call.initiated", call_id: str = "v3:1", direction: str = "incoming"
    ) -> None:
        payload = {"call_control_id": call_id, "direction": direction}
        body = json.dumps({"data": {"event_type": event_type, "id": event_type + call_id, "payload": payload}})
        await self.commands.take(self.platform, WebhookRequest("POST", "https://x", {}, (), body.encode()), STREAM)
        for _ in range(5):  # the command runs beside the webhook
            await asyncio.sleep(0)


async def test_a_call_that_comes_in_is_answered_with_a_stream_whose_token_it_holds() -> None:
    control = Obedient()
    bench = Bench(control)
    await bench.tell()
    ((call, order),) = control.told
    assert (call.call_id, call.direction) == ("v3:1", "inbound")
    place, _, token = order["stream_url"].rpartition("/")
    assert place == STREAM
    assert bench.gateway.calls.holds("telnyx", token)
    await bench.gateway.stop(0.0)


async def test_news_and_repetitions_command_nothing() -> None:
    control = Obedient()
    bench = Bench(control)
    await bench.tell()
    await bench.tell()
    await bench.tell("call.hangup")
    await bench.tell("streaming.started")
    assert len(control.told) == 1
    await bench.gateway.stop(0.0)


async def test_a_full_house_turns_the_call_away() -> None:
    control = Obedient()
    bench = Bench(control, max_calls=1)
    await bench.tell()
    await bench.tell(call_id="v3:2")
    assert control.told[1][1] == {"cause": "USER_BUSY"}
    await bench.gateway.stop(0.0)


@pytest.mark.parametrize("control", [Obedient(fault=PeerFault("call_over")), None])
async def test_a_command_that_fails_gives_the_place_back(control: Obedient | None) -> None:
    bench = Bench(control, max_calls=1)
    await bench.tell()
    bench.gateway.calls.admit("v3:2")  # there is room again
    await bench.gateway.stop(0.0)


async def test_stopping_gives_up_what_was_not_obeyed() -> None:
    bench = Bench(Obedient(waits=True))
    await bench.commands.stop()
    await bench.tell()
    await bench.commands.stop()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "v3:1: command"]
    await bench.gateway.stop(0.0)


async def test_an_agent_is_told_of_the_caller_then_both_are_bridged_and_end_together() -> None:
    async with CallRest().serving() as rest, ClientSession() as http:
        control = TelnyxControl(http, "key", application="call_control", application_id="app", base_url=rest.base_url)
        bench = Bench(None)
        bench.gateway.parts = replace(bench.gateway.parts, controls={"telnyx": control})
        bench.gateway.handovers = Handovers(bench.gateway.parts.controls, "https://bot.example.test")

        async def tell(event_type: str, **payload: str) -> None:
            about = {"call_control_id": "agent", **payload}
            body = json.dumps({"data": {"event_type": event_type, "id": event_type + str(about), "payload": about}})
            url = rest.asked[0].body["webhook_url"]  # every event of the agent's call goes there
            await bench.commands.take(bench.platform, WebhookRequest("POST", url, {}, (), body.encode()), STREAM)

        def commanded() -> list[tuple[str, Any]]:
            return [(asked.path.removeprefix("/v2/calls/"), asked.body) for asked in rest.asked[1:]]

        rest.answers = [(200, {"data": {"call_control_id": "agent"}})]
        invitation = Invitation("+15550100009", "+15550100002", "Ada calls.")
        asked = asyncio.create_task(bench.gateway.handovers.hand_over(bench.platform, "caller", invitation))
        await until(lambda: rest.asked)
        await tell("call.initiated", direction="outgoing")
        await tell("call.answered", direction="outgoing")
        await asked
        await until(lambda: len(commanded()) == 2)
        assert {path for path, _ in commanded()} == {"agent/actions/speak", "caller/actions/streaming_stop"}
        await tell("call.speak.ended")  # of what others had said to them
        await tell("call.speak.ended", client_state=INTRODUCED)
        await until(lambda: len(commanded()) == 3)
        path, body = commanded()[2]
        assert (path, body["call_control_id"]) == ("agent/actions/bridge", "caller")
        await tell("call.hangup")
        await until(lambda: len(commanded()) == 4)
        assert commanded()[3][0] == "caller/actions/hangup"
        await bench.commands.stop()
        await bench.gateway.stop(0.0)


async def test_over_http_the_event_is_acknowledged_and_the_ordered_stream_is_taken() -> None:
    async with CallRest().serving() as rest, ClientSession() as http:
        bench = Bench(None)
        control = TelnyxControl(http, "key", base_url=rest.base_url)
        bench.gateway.parts = replace(bench.gateway.parts, controls={"telnyx": control})
        app = Application()
        PlatformRoutes(bench.gateway, RequestReader("https://bot.example.test"), SocketBounds(5, 500.0)).add_to(app)
        async with TestServer(app) as server:
            side = TelnyxDialect(TelnyxIds.numbered("pair"), StreamOrder("", "PCMU", 8000))
            started = json.loads(side.opening()[1])["start"]
            payload = {"call_control_id": started["call_control_id"], "direction": "incoming"}
            event = {"data": {"event_type": "call.initiated", "id": "e-1", "payload": payload}}
            async with http.post(server.make_url("/telnyx/voice"), json=event) as response:
                assert (response.status, await response.read()) == (200, b"")
            await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name().endswith(": command")))
            order = rest.asked[0].body
            assert rest.asked[0].path == f"/v2/calls/{started['call_control_id']}/actions/answer"
            path = order["stream_url"].removeprefix("wss://bot.example.test")
            async with http.ws_connect(server.make_url(path)) as socket:
                for message in [*side.opening(), *side.audio(bytes(320)), *side.stop()]:
                    await socket.send_str(str(message))
                async for _ in socket:  # what the bot says, until the gateway closes
                    pass
            await bench.gateway.stop(5.0)
        (record,) = bench.gateway.calls.records()
        assert (record.call_id, record.ended) == (started["call_control_id"], "stop")
