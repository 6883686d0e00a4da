"""Pipecat's serializers and our codecs at the same simulated platforms: each hears, speaks and clears as the other."""

import json
from typing import Any

import pytest

from gateway.simulator.dialect import BotAudio, BotClear
from tests.counterparts.cases import CASES, Case
from tests.counterparts.sides import FRAME_MS, Message, Ours, Theirs, call, tone, understood

pytestmark = pytest.mark.counterparts

# Whole messages of every platform: 20 ms, 100 ms and 200 ms ones.
SPOKEN_MS = 1000
# As long as Exotel wants it. Vonage takes 20 ms.
ANSWER_MS = 200
DIGITS = "0123456789*#"
# Heads of AudioHook differ: pipecat tells the caller's position too, which the protocol asks of the client alone.
GENESYS_POSITION = "position"
every = pytest.mark.parametrize("name", CASES)


def answer_of(name: str) -> bytes:
    case = CASES[name]
    return tone(case.rate_hz, FRAME_MS if name == "vonage" else ANSWER_MS, 300.0)


async def connected(case: Case) -> tuple[Ours, Theirs]:
    """Both with an open stream of their own."""
    ours, theirs = case.ours(), case.theirs()
    await call(case.dialect(), ours, b"")
    await call(case.dialect(), theirs, b"")
    return ours, theirs


def plain(message: Message) -> Any:
    """A message to compare: text by its values, whatever the order and spacing."""
    body = json.loads(message) if isinstance(message, str) else message
    return {key: body[key] for key in body if key != GENESYS_POSITION} if isinstance(body, dict) else body


@every
async def test_both_hear_the_same_caller(name: str) -> None:
    case = CASES[name]
    spoken = tone(case.rate_hz, SPOKEN_MS)
    ours, theirs = case.ours(), case.theirs()
    await call(case.dialect(), ours, spoken, DIGITS)
    await call(case.dialect(), theirs, spoken, DIGITS)
    assert len(ours.pcm) == len(spoken)
    assert theirs.pcm == ours.pcm
    assert theirs.digits == ours.digits == DIGITS


@every
async def test_both_write_the_same_audio(name: str) -> None:
    ours, theirs = await connected(CASES[name])
    answer = answer_of(name)
    mine, other = await ours.say(answer), await theirs.say(answer)
    assert len(mine) == 1
    assert [plain(message) for message in mine] == [plain(message) for message in other]


@every
async def test_both_write_the_same_clear(name: str) -> None:
    ours, theirs = await connected(CASES[name])
    mine, other = await ours.clear(), await theirs.clear()
    assert len(mine) == 1
    assert [plain(message) for message in mine] == [plain(message) for message in other]


@every
async def test_the_platform_plays_and_clears_for_both(name: str) -> None:
    case = CASES[name]
    played = []
    for side in (case.ours(), case.theirs()):
        dialect = case.dialect()
        await call(dialect, side, b"")
        audio, clear = understood(dialect, [*await side.say(answer_of(name)), *await side.clear()])
        assert isinstance(audio, BotAudio)
        assert isinstance(clear, BotClear)
        played.append(audio.pcm)
    assert played[0] == played[1]


# Plivo names the bot's audio playAudio and the caller's media, so neither takes the other for a caller. With Genesys
# the two take different offers (test_pipecat_differences.py).
@pytest.mark.parametrize("name", [name for name in CASES if name not in ("plivo", "genesys")])
async def test_each_reads_what_the_other_writes(name: str) -> None:
    ours, theirs = await connected(CASES[name])
    answer = answer_of(name)
    for message in await ours.say(answer):
        await theirs.take(message)
    for message in await theirs.say(answer):
        await ours.take(message)
    assert len(ours.pcm) == len(answer)
    assert ours.pcm == theirs.pcm


async def test_plivos_two_names_for_audio_are_kept_apart_by_both() -> None:
    ours, theirs = await connected(CASES["plivo"])
    for message in await ours.say(answer_of("plivo")):
        await theirs.take(message)
        await ours.take(message)
    assert ours.pcm == theirs.pcm == b""
