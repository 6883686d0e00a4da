"""The floor: sounds, words and timers become turns; the judgements that the table leaves open.

Whole conversations are in tests/calls/test_turn_taking.py.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from gateway.call.exchange import Exchange
from gateway.call.floor import FINAL_WITHIN_MS, KEEP_SOUND_MS, LONG_SOUND_MS, Floor
from gateway.call.hearing.listener import Listener
from gateway.call.keying.keys import Keys
from gateway.call.playout import Playout
from gateway.call.prompts import Prompts
from gateway.call.record import CallRecord
from gateway.call.script import Script, Timing
from gateway.call.speaker import Speaker
from gateway.call.thinking.reply import Replies
from gateway.call.turn import Happening, State
from gateway.events import Command
from gateway.llm.scripted import ScriptedModel
from gateway.platforms.base import Capabilities
from gateway.stt.base import Final, Partial, SpeechPaused, SpeechStarted, SttEvent
from media.formats import ULAW_8K
from tests.rig.clock import run_leaping
from tests.rig.prosody import ToldProsody
from tests.rig.voice import RATE_HZ, TestVoices

S = State
TIMING = Timing(600, 250, 100, 60.0, 30.0, 600.0)
SCRIPT = Script("en", "Be brief.", "Hello, this is the office.", "Sorry?", "Pardon?", "Goodbye.")
LONG = "We open at nine in the morning and close at six in the evening."


class Ears:
    """Says what a test says, and notes when it is asked."""

    def __init__(self, partials: bool) -> None:
        self.partials = partials
        self._events: asyncio.Queue[SttEvent] = asyncio.Queue()
        self.asked: list[tuple[str, float]] = []

    def say(self, *events: SttEvent) -> None:
        for event in events:
            self._events.put_nowait(event)

    async def open(self) -> None:
        """Ready."""

    def feed(self, pcm: bytes) -> None:
        """Hears nothing by itself."""

    def commit(self) -> None:
        self.asked.append(("commit", asyncio.get_running_loop().time()))

    def discard(self) -> None:
        self.asked.append(("discard", asyncio.get_running_loop().time()))

    async def events(self):  # type: ignore[no-untyped-def]  # an async generator of SttEvent
        while True:
            yield await self._events.get()

    async def close(self) -> None:
        """Nothing is open."""


class Room:
    """A floor with working parts; the caller's audio flows at all times."""

    def __init__(self, timing: Timing, partials: bool) -> None:
        self.prosody = ToldProsody()
        self._now = asyncio.get_running_loop().time
        self.ears = Ears(partials)
        self.record = CallRecord("CA1", "twilio", "then")
        self.exchange = Exchange(self.record, self._now)
        self.listener = Listener(
            self.ears, ULAW_8K, self.exchange, lambda h: self.floor.happen(h), prosody=self.prosody
        )
        voice = TestVoices().session("af_heart", "en", 1.0)
        self.playout = Playout(self._sent, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, self._now)
        self.speaker = Speaker(voice, self.playout, Prompts("af_heart", "en", 1.0))
        self.tasks: set[asyncio.Task[None]] = set()
        model = ScriptedModel([LONG])
        self.replies = Replies(
            model, self.speaker, self.exchange, SCRIPT, timing, self.spawn, lambda h: self.floor.happen(h)
        )
        self.left = 0
        self.keys = Keys(
            timing.keys,
            "en",
            self.exchange,
            self.listener,
            lambda: self.floor.happen(Happening.KEY),
            lambda: self.floor.settle_keys(),
        )
        self.floor = Floor(SCRIPT, timing, self.listener, self.speaker, self.replies, self._leave, self.keys)
        self.playout.on_audible = lambda _: self.floor.happen(Happening.REPLY_AUDIBLE)

    async def _sent(self, command: Command) -> None:
        """The wire takes everything."""

    def _leave(self) -> None:
        self.left += 1

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self.tasks.add(task)
        return task

    async def audio(self) -> None:
        while True:
            self.listener.feed(b"\xff" * 160)
            await asyncio.sleep(0.02)

    async def says(self, text: str, seconds: float = 0.5, sure: bool = True) -> float:
        """Speak, pause, and have the words told 0.1 s later; returns when the speech ended."""
        self.ears.say(SpeechStarted(self._now()))
        await asyncio.sleep(seconds)
        ended_s = self._now()
        self.ears.say(SpeechPaused(ended_s))
        await asyncio.sleep(0.1)
        if text:
            self.ears.say(Partial(text, self._now(), sure))
        await asyncio.sleep(0)
        return ended_s

    async def replies_to(self, text: str) -> None:
        await self.says(text)
        await asyncio.sleep(1.2)
        self.ears.say(Final(text, self._now(), 0.0))
        await asyncio.sleep(0.5)


def in_room(script: Callable[[Room], Awaitable[None]], timing: Timing = TIMING, partials: bool = True) -> Room:
    async def main() -> Room:
        room = Room(timing, partials)
        for work in (room.audio(), room.listener.run(), room.speaker.pump(), room.playout.run()):
            room.spawn(work, "part")
        await asyncio.sleep(0.1)
        await script(room)
        room.floor.stop()
        for task in room.tasks:
            task.cancel()
        await asyncio.wait(room.tasks)
        return room

    return run_leaping(main())


def at(room: Room, state: State) -> bool:
    return room.floor.state is state


@pytest.mark.parametrize(
    ("text", "silence_ms"),
    [("What time do you open?", 350), ("", 600), ("I would like to, um,", 1100), ("My number is 555", 1100)],
)
def test_the_silence_that_ends_a_turn_depends_on_the_words(text: str, silence_ms: int) -> None:
    async def script(room: Room) -> None:
        ended_s = await room.says(text)
        await asyncio.sleep(2.0)
        (asked,) = room.ears.asked
        assert asked[0] == "commit"
        assert asked[1] - ended_s == pytest.approx(silence_ms / 1000, abs=0.04)

    in_room(script)


@pytest.mark.parametrize(("looks", "silence_ms"), [((0.9,), 350), ((0.1, 0.1), 1100), ((0.1, 0.9), 350)])
def test_a_whole_sentence_in_the_voice_of_one_who_goes_on_is_waited_for(looks: list[float], silence_ms: int) -> None:
    async def script(room: Room) -> None:
        ended_s = await room.says("I want to move my booking.")
        await asyncio.sleep(0.11)
        for finality in looks:
            room.prosody.answer(finality)
            await asyncio.sleep(0.1)
        await asyncio.sleep(2.0)
        (asked,) = room.ears.asked
        assert asked[1] - ended_s == pytest.approx(silence_ms / 1000, abs=0.04)

    in_room(script)


def test_final_words_that_turn_out_unfinished_give_more_time() -> None:
    async def script(room: Room) -> None:
        await room.says("")
        await asyncio.sleep(0.6)
        room.ears.say(Final("I would like to", 0.5, 0.0))
        await asyncio.sleep(0.05)
        assert at(room, S.HEARING)
        await asyncio.sleep(0.6)
        assert [what for what, _ in room.ears.asked] == ["commit", "commit"]

    in_room(script)


def test_f73_it_asks_again_twice_in_a_row_and_no_more() -> None:
    async def script(room: Room) -> None:
        for _ in range(4):
            await room.says("")
            await asyncio.sleep(0.7)
            room.ears.say(Final("", 0.5, 0.0))
            await asyncio.sleep(2.0)

    room = in_room(script)
    assert [turn.bot_text for turn in room.record.turns] == ["Pardon?", "Pardon?"]


def test_f77_a_recogniser_that_never_answers_is_as_one_that_heard_nothing() -> None:
    async def script(room: Room) -> None:
        await room.says("What time do you open?")
        await asyncio.sleep(FINAL_WITHIN_MS / 1000 + 0.45)
        assert at(room, S.SPEAKING)
        room.ears.say(Final("What time do you open?", 0.5, 0.0))  # late, and answered all the same
        await asyncio.sleep(1.0)
        assert room.exchange.turn.bot_text == LONG

    in_room(script)


def test_a_sound_over_the_bot_holds_it_and_nothing_more_lets_it_go_on() -> None:
    async def script(room: Room) -> None:
        await room.replies_to("What time do you open?")
        assert at(room, S.SPEAKING)
        await room.says("", 0.4)
        assert at(room, S.WEIGHING)
        assert not room.playout.audible
        await asyncio.sleep(0.7)
        assert at(room, S.SPEAKING)
        await asyncio.sleep(KEEP_SOUND_MS / 1000)
        assert room.ears.asked[-1][0] == "discard"

    in_room(script)


@pytest.mark.parametrize(("text", "state"), [("No, on Sunday!", S.HEARING), ("Mm-hm.", S.THINKING)])
def test_words_over_the_bot_decide(text: str, state: State) -> None:
    async def script(room: Room) -> None:
        await room.replies_to("What time do you open?")
        await room.says(text, 0.4)
        assert at(room, state)

    in_room(script)


@pytest.mark.parametrize(
    ("text", "seconds", "sure", "state"),
    [
        ("We're home.", 0.5, False, S.THINKING),
        ("We're home.", 0.5, True, S.HEARING),
        ("We're home.", 1.0, False, S.HEARING),
        ("Hello?", 0.5, False, S.HEARING),
    ],
)
def test_f42_a_hum_that_is_read_as_words_interrupts_nobody(text: str, seconds: float, sure: bool, state: State) -> None:
    async def script(room: Room) -> None:
        await room.replies_to("What time do you open?")
        await room.says(text, seconds, sure)
        assert at(room, state)

    in_room(script)


def test_a_long_sound_interrupts_without_words() -> None:
    async def script(room: Room) -> None:
        await room.replies_to("What time do you open?")
        room.ears.say(SpeechStarted(room.playout._now()))
        await asyncio.sleep(LONG_SOUND_MS / 1000 - 0.1)
        assert at(room, S.PAUSED)
        await asyncio.sleep(0.2)
        assert at(room, S.HEARING)

    in_room(script)


@pytest.mark.parametrize(("lead_s", "state"), [(0.0, S.SPEAKING_OVER), (0.15, S.PAUSED)])
def test_the_bot_holds_the_sooner_for_a_consonant_that_led_to_the_voice(lead_s: float, state: State) -> None:
    async def script(room: Room) -> None:
        await room.replies_to("What time do you open?")
        room.ears.say(SpeechStarted(room.playout._now(), lead_s))
        await asyncio.sleep(0.15)
        assert at(room, state)

    in_room(script)


def test_where_no_words_come_early_a_sound_that_lasts_interrupts() -> None:
    async def script(room: Room) -> None:
        await room.replies_to("What time do you open?")
        await room.says("", 0.4)
        assert at(room, S.HEARING)

    in_room(script, partials=False)


def test_f45_each_sound_in_vain_makes_the_bot_harder_to_stop() -> None:
    async def script(room: Room) -> None:
        await room.replies_to("What time do you open?")
        await room.says("", 0.3)
        await asyncio.sleep(0.8)
        await room.says("", 0.3)
        assert at(room, S.SPEAKING)
        await asyncio.sleep(0.2)
        await room.says("", 0.6)
        assert at(room, S.WEIGHING)

    in_room(script)


def test_f43_a_protected_greeting_is_not_even_held() -> None:
    async def script(room: Room) -> None:
        room.floor.greet()
        await asyncio.sleep(0.3)
        await room.says("No, wait!", 0.6)
        assert at(room, S.SPEAKING)
        assert room.playout.audible

    in_room(script, replace(TIMING, greeting_yields=False))


def test_f44_the_bots_own_last_words_are_no_turn() -> None:
    async def script(room: Room) -> None:
        room.floor.greet()
        await asyncio.sleep(len(SCRIPT.greeting) * 0.06 - 0.15)
        room.ears.say(SpeechStarted(room.playout._now()))
        await asyncio.sleep(0.3)
        assert at(room, S.HEARING)
        room.ears.say(SpeechPaused(room.playout._now()), Partial("the office.", room.playout._now()))
        await asyncio.sleep(1.5)
        assert at(room, S.LISTENING)
        assert [what for what, _ in room.ears.asked] == ["discard"]

    in_room(script)


def test_words_that_repeat_the_bots_after_it_has_ended_are_the_callers() -> None:
    async def script(room: Room) -> None:
        room.floor.greet()
        await asyncio.sleep(len(SCRIPT.greeting) * 0.06 + 0.5)
        await room.says("The office.")
        await asyncio.sleep(1.0)
        assert [what for what, _ in room.ears.asked] == ["commit"]

    in_room(script)


def test_a_farewell_is_said_and_left_once() -> None:
    async def script(room: Room) -> None:
        room.floor.happen(Happening.FAREWELL)
        room.floor.happen(Happening.FAREWELL)
        await asyncio.sleep(3.0)

    assert in_room(script).left == 1
