"""The recorded session of each platform: `python -m tests.conformance.tapes` makes tests/vectors/NAME/session.jsonl."""

import sys
from pathlib import Path

from gateway.call.keying.keypad import KeyRules
from gateway.call.record import CallRecord
from gateway.call.script import Timing
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.call import SimulatedCall
from gateway.simulator.caller import CallerTurn
from gateway.simulator.dialect import Dialect
from gateway.simulator.link import Link
from gateway.simulator.script import Manners, Script
from gateway.simulator.tape import Taped, replay, save_tape
from tests.conformance.rig import PLATFORMS, TOKEN, NotedCalls, PlatformRig
from tests.rig.call import sound
from tests.rig.clock import run_leaping

VECTORS = Path(__file__).parents[1] / "vectors"
# Short: a second of 16 kHz is 60 kB on tape.
MANNERS = Manners(quiet_s=0.2, greeting_s=1.0, reply_s=0.9)
HEARD = ["Hi.", "Yes. No.", "Yes. No."]


def tape_of(name: str) -> Path:
    return VECTORS / name / "session.jsonl"


def rig_of(name: str) -> PlatformRig:
    # The key is one turn with the question behind it.
    timing = Timing(500, 250, 100, 60.0, 30.0, 600.0, keys=KeyRules(pause_s=2.0))
    # AudioSocket's token is in bytes, which a replay cannot exchange.
    return PlatformRig(name, ScriptedModel(["Yes. No."]), timing, greeting="Hi.", insecure=True)


async def recorded(name: str) -> tuple[CallRecord, list[Taped]]:
    """A key and two questions; then the caller leaves."""

    async def hold(link: Link, dialect: Dialect) -> None:
        turns = [CallerTurn("dtmf:1", digits="1"), sound(0.3), sound(0.3)]
        script = Script([turn.at(8000, dialect.rate_hz) for turn in turns], dialect.rate_hz, MANNERS)
        await SimulatedCall(link, dialect, script).run()

    return await rig_of(name).answer(hold)


async def replayed(name: str, tape: list[Taped]) -> tuple[CallRecord, list[str | bytes]]:
    """The platform's side from tape, against a gateway that has given another token."""
    answers: list[str | bytes] = []

    async def hold(link: Link, dialect: Dialect) -> None:
        token = next(iter(calls.tokens), TOKEN)
        answers.extend(await replay([message.with_text(TOKEN, token) for message in tape], link))

    rig = rig_of(name)
    gateway = rig.gateway()
    assert isinstance(gateway.calls, NotedCalls)
    calls = gateway.calls
    record, _ = await rig.answer(hold, gateway)
    return record, answers


def main() -> int:
    for name in sys.argv[1:] or PLATFORMS:
        _, tape = run_leaping(recorded(name))
        save_tape(tape_of(name), tape)
        print(f"{tape_of(name)}: {len(tape)} messages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
