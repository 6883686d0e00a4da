"""The same recorded call on every platform against one offline stack, every part real, one call after another.

About a minute a platform, since calls are held in real time.
"""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config.models import ModelStore
from gateway.commands.stack import free_port, offline_stack
from gateway.platforms.registry import PLATFORMS
from gateway.simulator.report import CallReport
from gateway.simulator.run import run_call
from gateway.simulator.script import Manners
from media import wav
from tests.rig.whisper import PHONE_HZ, transcribe, word_error_rate

pytestmark = [pytest.mark.soak, pytest.mark.models, pytest.mark.timeout(2400)]

CALLERS = Path(__file__).parents[2] / "gateway" / "simulator" / "callers"
RECORDINGS = ("hours.wav", "parking.wav", "goodbye.wav")
NAMES = sorted(PLATFORMS)
MAX_WORD_ERROR_RATE = 0.10
# A busy machine is slow between two sentences; nobody is to take that, or a filler, for the end of an answer.
PATIENT = Manners(quiet_s=8.0)
NO_PROMPTS = ("turn.filler_s=0", "turn.idle_s=0")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call, and all the caller heard as PCM at the telephone's rate."""

    report: CallReport
    heard_pcm: bytes = field(repr=False)

    @property
    def recognised(self) -> list[str]:
        return [turn.recognised_text for turn in self.report.turns if turn.recording]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("calls")

    async def main() -> dict[str, Outcome]:
        tcp_port = free_port()
        model = ModelStore().locate("smollm2")
        outcomes = {}
        async with offline_stack(model, 0, folder / "logs", [f"audiosocket.port={tcp_port}", *NO_PROMPTS]) as stack:
            for name in NAMES:
                recordings = [CALLERS / recording for recording in RECORDINGS]
                report = await run_call(recordings, stack.url, name, folder / name, tcp_port=tcp_port, manners=PATIENT)
                outcomes[name] = Outcome(report, wav.load(folder / name / "heard.wav", PHONE_HZ))
        return outcomes

    return asyncio.run(main())


@pytest.mark.parametrize("name", NAMES)
def test_every_turn_is_answered_and_heard(name: str, calls: dict[str, Outcome]) -> None:
    report = calls[name].report
    assert report.answered == len(RECORDINGS)
    # Where a machine is too slow for even this patience, the caller has interrupted and heard a part.
    assert all(turn.heard_text and turn.bot_text.startswith(turn.heard_text) for turn in report.turns)
    assert report.trace.violations == ()


@pytest.mark.parametrize("name", NAMES)
def test_there_is_no_gap(name: str, calls: dict[str, Outcome]) -> None:
    assert calls[name].report.trace.gaps == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_caller_is_understood(name: str, calls: dict[str, Outcome]) -> None:
    said = " ".join(turn.caller_text for turn in calls[name].report.turns if turn.recording)
    assert word_error_rate(said, " ".join(calls[name].recognised)) <= MAX_WORD_ERROR_RATE


@pytest.mark.parametrize("name", NAMES)
def test_what_the_caller_heard_is_what_the_record_says(name: str, calls: dict[str, Outcome]) -> None:
    told = " ".join(turn.heard_text for turn in calls[name].report.turns)
    heard = transcribe(calls[name].heard_pcm, PHONE_HZ)
    assert word_error_rate(told, heard) <= MAX_WORD_ERROR_RATE


def test_all_platforms_carry_the_same_words(calls: dict[str, Outcome]) -> None:
    first = " ".join(calls[NAMES[0]].recognised)
    for name in NAMES[1:]:
        assert word_error_rate(first, " ".join(calls[name].recognised)) <= MAX_WORD_ERROR_RATE, name
