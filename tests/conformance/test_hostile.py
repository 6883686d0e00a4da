"""Peers that break the order of things, on every platform: bounded, ended, and nothing left behind."""

import asyncio

import pytest

from gateway.gateway import Gateway
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.dialect import Dialect
from gateway.simulator.faults import Faults
from gateway.simulator.link import MemoryLink
from gateway.simulator.run import RINGING
from tests.conformance.rig import PLATFORMS, SEED, PlatformRig, ring
from tests.rig.call import MemorySocket, sound
from tests.rig.clock import run_leaping

every_platform = pytest.mark.parametrize("name", PLATFORMS)

# tests/conformance/rig.py gives a first message ten seconds.
FIRST_MESSAGE_S = 10.0
LONG = "One two three four five six seven eight nine ten. " * 40


class Ringer:
    """A rung call whose stream a test opens by hand."""

    def __init__(self, name: str) -> None:
        self.rig = PlatformRig(name)
        self.gateway: Gateway = self.rig.gateway()
        self.platform = self.gateway.platform(name)
        self.dialect: Dialect
        self.dialect, self.token = ring(self.gateway, self.platform, RINGING[name](SEED, ""))

    def open(self) -> tuple[MemoryLink, "asyncio.Task[None]"]:
        here, there = MemoryLink.pair()
        conducted = asyncio.create_task(self.gateway.conduct(self.platform, MemorySocket(there), self.token))
        return here, conducted

    def frame(self) -> list[str | bytes]:
        return self.dialect.audio(bytes(self.dialect.rate_hz // 50 * 2))


@every_platform
def test_a_peer_that_says_nothing_is_closed_at_the_first_messages_deadline(name: str) -> None:
    async def main() -> None:
        ringer = Ringer(name)
        _, conducted = ringer.open()
        await conducted
        assert asyncio.get_running_loop().time() <= FIRST_MESSAGE_S
        assert ringer.gateway.calls.records() == []
        await ringer.gateway.stop(0.0)

    run_leaping(main())


@every_platform
def test_media_for_ever_without_a_start_is_closed_at_the_same_deadline(name: str) -> None:
    async def main() -> None:
        ringer = Ringer(name)
        link, conducted = ringer.open()
        while not conducted.done() and asyncio.get_running_loop().time() < 60.0:
            for message in ringer.frame():
                await link.send(message)
            await asyncio.sleep(0.02)
        assert conducted.done()
        assert asyncio.get_running_loop().time() <= FIRST_MESSAGE_S + 0.1
        assert ringer.gateway.calls.records() == []
        await ringer.gateway.stop(0.0)

    run_leaping(main())


@every_platform
def test_a_second_stream_of_a_call_that_is_on_is_refused_and_the_first_goes_on(name: str) -> None:
    async def main() -> None:
        ringer = Ringer(name)
        link, conducted = ringer.open()
        opening = ringer.dialect.opening()
        for message in opening:
            await link.send(message)
        # Some platforms tell their call with the first packet of audio only.
        for _ in range(20):
            for message in ringer.frame():
                await link.send(message)
            await asyncio.sleep(0.02)
        second, refused = ringer.open()
        for message in opening:
            await second.send(message)
        await asyncio.wait_for(refused, FIRST_MESSAGE_S + 1.0)
        assert ringer.gateway.calls.count == 1
        assert not conducted.done()
        await link.close()
        await asyncio.wait_for(conducted, 5.0)
        assert ringer.gateway.calls.count == 0
        await ringer.gateway.stop(0.0)

    run_leaping(main())


@every_platform
def test_f09_a_peer_that_stops_reading_frees_its_place(name: str) -> None:
    rig = PlatformRig(name, ScriptedModel([LONG]))
    _, record = run_leaping(rig.call([sound(0.5)], Faults(half_open_at_s=3.0, half_open_s=400.0)))
    assert record.ended not in ("", "cancelled")
    # The queue of the link in memory is large; a socket's is full in a second or two.
    assert record.duration_s < 350.0


@every_platform
def test_the_end_told_by_a_webhook_ends_the_stream(name: str) -> None:
    async def main() -> None:
        ringer = Ringer(name)
        link, conducted = ringer.open()
        for message in [*ringer.dialect.opening(), *(m for _ in range(20) for m in ringer.frame())]:
            await link.send(message)
        await asyncio.sleep(1.0)
        (record,) = ringer.gateway.calls.records()
        await ringer.gateway.leg(record.call_id).over("status")
        while await link.receive() is not None:
            pass
        await link.close()
        await asyncio.wait_for(conducted, 5.0)
        assert record.ended == "status"
        await ringer.gateway.stop(0.0)

    run_leaping(main())
