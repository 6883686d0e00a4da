"""The bot's keys on every platform: on the stream, by REST, or as tones that the far end understands."""

import asyncio
from dataclasses import dataclass, field

import pytest

from gateway.errors import Refused
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.caller import CallerTurn
from gateway.simulator.dialect import Dialect
from gateway.simulator.link import Link
from gateway.simulator.run import RINGING
from gateway.simulator.script import Manners, Script
from tests.conformance.rig import PLATFORMS, SEED, PlatformRig, platform_named
from tests.rig.call import HangUps, sound
from tests.rig.clock import run_leaping

KEYS = "1590*#D"
# F-28: it swallows tones in the stream, and has no request for keys in a call that is on.
REFUSES = {"twilio"}

every_platform = pytest.mark.parametrize("name", PLATFORMS)


@dataclass
class Keyboard(HangUps):
    """A control that notes keys too."""

    pressed: list[tuple[str, str]] = field(default_factory=list)

    async def send_digits(self, call_id: str, digits: str) -> None:
        self.pressed.append((call_id, digits))


def held(name: str, *turns: CallerTurn, at_s: float = 2.0) -> tuple[CallTrace, Keyboard]:
    """A call in which the bot presses KEYS at `at_s`."""
    keyboard = Keyboard()
    rig = PlatformRig(name, control=keyboard, greeting="Hello.")
    made: list[CallTrace] = []

    async def call() -> None:
        gateway = rig.gateway()
        call_id = RINGING[name](SEED, "").call_id

        async def hold(link: Link, dialect: Dialect) -> None:
            theirs = [turn.at(8000, dialect.rate_hz) for turn in turns]
            script = Script(theirs, dialect.rate_hz, Manners(quiet_s=5.0, reply_s=8.0))
            running = asyncio.create_task(SimulatedCall(link, dialect, script, max_call_s=10.0).run())
            await asyncio.sleep(at_s)
            try:
                await gateway.leg(call_id).send_digits(KEYS)
            finally:
                made.append(await running)

        await rig.answer(hold, gateway)

    try:
        run_leaping(call())
    except Refused:
        assert name in REFUSES
    return made[0], keyboard


@every_platform
def test_f28_the_bots_keys_reach_the_far_end_or_are_refused(name: str) -> None:
    trace, keyboard = held(name)
    by_rest = "".join(digits for _, digits in keyboard.pressed)
    assert trace.keyed + by_rest == ("" if name in REFUSES else KEYS)
    assert trace.violations == ()
    assert trace.gaps == ()


@pytest.mark.parametrize("name", [n for n in PLATFORMS if platform_named(n).capabilities.digits_out_in_band])
def test_a_sound_of_the_far_end_breaks_no_key_in_two(name: str) -> None:
    """It begins in the middle of the keys, and is no interruption: too short to be one."""
    trace, _ = held(name, sound(0.4, interrupt_after_s=1.2), at_s=0.9)
    assert 0.9 < trace.spoken[0].start_s < 0.9 + len(KEYS) * 0.2
    assert trace.keyed == KEYS
