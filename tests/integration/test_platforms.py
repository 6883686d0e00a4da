"""Every platform over real sockets: signed and admitted, or refused before anything is begun.

The calls of all platforms are held at once, in real time; each test looks at its own.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.commands.stack import free_port, loadtest_stack
from gateway.simulator.failure import CallFailed
from gateway.simulator.report import CallReport
from gateway.simulator.run import RINGING, place_call, run_call
from gateway.simulator.script import Manners
from tests.conformance.rig import PLATFORMS
from tests.conformance.served import ANSWER, QUESTION, SECRETS, serving
from tests.rig.call import GREETING, sound

MANNERS = Manners(quiet_s=0.4, greeting_s=2.0, reply_s=5.0)
CALLERS = Path(__file__).parents[2] / "gateway" / "simulator" / "callers"

# A busy machine may hold everything up for a moment; that nothing else makes a gap is tests/conformance' business.
STALL_S = 0.3

Outcome = CallReport | CallFailed | OSError


async def each(call: Callable[[str], Coroutine[Any, Any, CallReport]]) -> dict[str, Outcome]:
    """Hold a call on every platform at once; what came of it, by platform."""
    outcomes = await asyncio.gather(*(call(name) for name in PLATFORMS), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, CallFailed | OSError):
            raise outcome
    return dict(zip(PLATFORMS, outcomes, strict=True))  # type: ignore[arg-type]  # others were raised


async def secured(secret_of: Callable[[str], str]) -> tuple[dict[str, Outcome], int]:
    async with serving() as (gateway, target):

        async def call(name: str) -> CallReport:
            turn = sound(0.4).at(8000, RINGING[name]("rate", "").rate_hz)
            return await place_call([turn], replace(target, secret=secret_of(name)), name, manners=MANNERS)

        outcomes = await each(call)
        return outcomes, len(gateway.calls.records())


@pytest.fixture(scope="module")
def proven() -> dict[str, Outcome]:
    return asyncio.run(secured(lambda name: SECRETS[name]))[0]


@pytest.fixture(scope="module")
def forged() -> tuple[dict[str, Outcome], int]:
    return asyncio.run(secured(lambda name: _other(SECRETS[name])))


def _other(secret: str) -> str:
    """Another secret of the same make."""
    return "B" + secret[1:] if secret[0] == "A" else "A" + secret[1:]


@pytest.fixture(scope="module")
def stacked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Gateway and tone worker as processes, the loadtest profile, the bundled recordings, the whole report."""
    folder = tmp_path_factory.mktemp("calls")

    async def main() -> dict[str, Outcome]:
        tcp_port = free_port()
        async with loadtest_stack(folder / "logs", [f"audiosocket.port={tcp_port}"]) as stack:

            async def call(name: str) -> CallReport:
                recordings = [CALLERS / "hours.wav", CALLERS / "parking.wav"]
                return await run_call(recordings, stack.url, name, folder / name, tcp_port=tcp_port)

            return await each(call)

    return asyncio.run(main())


def held(outcome: Outcome) -> CallReport:
    if isinstance(outcome, CallReport):
        return outcome
    raise outcome


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_signed_call_is_held_and_heard(name: str, proven: dict[str, Outcome]) -> None:
    report = held(proven[name])
    assert [(turn.recognised_text, turn.heard_text) for turn in report.turns] == [("", GREETING), (QUESTION, ANSWER)]
    assert report.trace.violations == ()
    assert sum(gap.length_s for gap in report.trace.gaps) < STALL_S


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_call_signed_with_another_secret_is_refused(name: str, forged: tuple[dict[str, Outcome], int]) -> None:
    outcome = forged[0][name]
    assert isinstance(outcome, CallFailed)
    assert "HTTP 403" in outcome.detail


def test_f29b_no_session_is_made_for_a_refused_call(forged: tuple[dict[str, Outcome], int]) -> None:
    assert forged[1] == 0


@pytest.mark.parametrize("name", PLATFORMS)
def test_voicebot_call_completes_through_the_processes(name: str, stacked: dict[str, Outcome]) -> None:
    report = held(stacked[name])
    assert report.answered == 2
    assert [turn.caller_text for turn in report.turns if turn.recording]
    assert len({turn.bot_text for turn in report.turns if turn.recording}) == 1
    assert all(turn.heard_text == turn.bot_text for turn in report.turns)
    assert report.trace.violations == ()
    assert sum(gap.length_s for gap in report.trace.gaps) < STALL_S
