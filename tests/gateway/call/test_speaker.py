"""The call's mouth: sentences through the voice, prompts from memory, and an honest account of what was heard."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gateway.call.playout import Playout
from gateway.call.prompts import Prompts
from gateway.call.speaker import Speaker
from gateway.events import ClearOutput, Command, SendAudio, SendMark
from gateway.platforms.base import Capabilities
from media.dtmf import keys_in
from media.formats import ULAW_8K
from media.g711 import ulaw_to_pcm
from tests.rig.clock import run_leaping
from tests.rig.voice import CHAR_S, RATE_HZ, TestVoices


class Mouth:
    """A speaker with a working voice and a wire that notes what it carries."""

    def __init__(self, voices: TestVoices, prompts: Prompts) -> None:
        self.sent: list[tuple[float, Command]] = []
        loop = asyncio.get_running_loop()
        self.voice = voices.session("af_heart", "en", 1.0)
        self.playout = Playout(self._send, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, loop.time)
        self.speaker = Speaker(self.voice, self.playout, prompts)
        self.first_audio: list[int] = []
        self.speaker.on_first_audio = self.first_audio.append

    async def _send(self, command: Command) -> None:
        self.sent.append((asyncio.get_running_loop().time(), command))

    def frames(self) -> int:
        return sum(isinstance(command, SendAudio) for _, command in self.sent)


def speaking(
    script: Callable[[Mouth], Awaitable[None]], voices: TestVoices | None = None, kept: tuple[str, ...] = ()
) -> Mouth:
    async def main() -> Mouth:
        prompts = Prompts("af_heart", "en", 1.0)
        await prompts.prepare(TestVoices(), kept)
        mouth = Mouth(voices or TestVoices(), prompts)
        pumps = [asyncio.create_task(mouth.speaker.pump()), asyncio.create_task(mouth.playout.run())]
        mouth.speaker.begin()
        await script(mouth)
        for pump in pumps:
            pump.cancel()
        await asyncio.wait(pumps)
        return mouth

    return run_leaping(main())


def test_sentences_sound_in_order_and_are_heard_when_they_have_sounded() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("One two.")
        mouth.speaker.say("Three.")
        await mouth.speaker.spoken()
        assert mouth.speaker.heard() == ""
        await mouth.speaker.played()
        assert mouth.speaker.heard() == "One two. Three."

    mouth = speaking(script)
    assert mouth.first_audio == [1, 2]
    assert mouth.frames() == pytest.approx(len("One two.Three.") * CHAR_S / 0.02, abs=2)


def test_a_sentence_with_nothing_to_say_is_said_at_once() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("😀")
        await mouth.speaker.played()
        assert mouth.speaker.heard() == ""

    assert speaking(script).sent == []


def test_a_kept_prompt_needs_no_voice() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.prompt("Sorry?")
        await mouth.speaker.played()
        assert mouth.speaker.heard() == "Sorry?"

    mouth = speaking(script, TestVoices(shut=True), kept=("Sorry?",))
    assert mouth.first_audio == []


def test_a_prompt_that_is_not_kept_is_spoken_by_the_voice() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.prompt("Sorry?")
        await mouth.speaker.played()
        assert mouth.speaker.heard() == "Sorry?"

    assert speaking(script).first_audio == [1]


def test_a_kept_prompt_is_heard_word_by_word_too() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.prompt("One two three.")
        await asyncio.sleep(CHAR_S * 6.5)
        assert mouth.speaker.cut() == "One two"

    speaking(script, kept=("One two three.",))


def test_a_cut_stops_everything_and_what_the_voice_still_says_is_dropped() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("One two three four five.")
        mouth.speaker.say("Never.")
        await asyncio.sleep(CHAR_S * 6.5)
        assert mouth.speaker.cut() == "One two"
        frames = mouth.frames()
        await mouth.speaker.played()  # nothing is left to wait for
        await asyncio.sleep(5.0)
        assert mouth.frames() == frames
        assert isinstance(mouth.sent[-1][1], ClearOutput)

    speaking(script, TestVoices(delay_s=0.05))


def test_after_a_cut_the_next_reply_is_counted_from_its_own_beginning() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("One two three four five.")
        await asyncio.sleep(0.5)
        mouth.speaker.cut()
        mouth.speaker.begin()
        assert mouth.speaker.heard() == ""
        mouth.speaker.say("Six.")
        await mouth.speaker.played()
        assert mouth.speaker.heard() == "Six."

    speaking(script)


def test_a_mark_confirms_its_sentence_and_strange_marks_nothing() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("One two three four.")
        mouth.speaker.acknowledge("1")  # not even sent
        assert mouth.speaker.heard() == ""
        await asyncio.sleep(len("One two three four.") * CHAR_S - 0.25)
        assert mouth.speaker.heard() == "One two three"
        await asyncio.sleep(0.16)  # all of it is sent
        (mark,) = [command.name for _, command in mouth.sent if isinstance(command, SendMark)]
        mouth.speaker.acknowledge("nonsense")
        mouth.speaker.acknowledge(mark)
        assert mouth.speaker.heard() == "One two three four."

    speaking(script)


def test_a_failed_sentence_is_noted_and_the_others_are_heard_whole() -> None:
    async def script(mouth: Mouth) -> None:
        for sentence in ("One.", "Bad.", "Two."):
            mouth.speaker.say(sentence)
        await mouth.speaker.played()
        assert mouth.speaker.failure == "engine_failed"
        assert mouth.speaker.heard() == "One. Two."
        mouth.speaker.begin()
        assert mouth.speaker.failure == ""

    speaking(script, TestVoices(fails=lambda text: text == "Bad."))


def test_a_voice_that_takes_nothing_any_more_fails_the_sentence_at_once() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("One.")
        await mouth.speaker.played()
        assert mouth.speaker.failure == "session_closed"

    speaking(script, TestVoices(shut=True))


def test_reading_of_speech_waits_while_the_playout_is_full() -> None:
    async def script(mouth: Mouth) -> None:
        for _ in range(10):
            mouth.speaker.say("x" * 200)  # twelve seconds each
        await asyncio.sleep(1.0)
        assert len(mouth.voice.spoken) <= 7  # type: ignore[attr-defined]  # the test voice's own
        await asyncio.sleep(30.0)
        assert len(mouth.voice.spoken) > 7  # type: ignore[attr-defined]
        mouth.speaker.cut()
        await asyncio.sleep(0.1)

    speaking(script)


def test_an_aside_is_heard_before_what_comes_and_counts_for_nothing() -> None:
    async def script(mouth: Mouth) -> None:
        assert not mouth.speaker.aside("Never kept.")
        assert mouth.speaker.aside("One moment.")
        assert mouth.speaker.is_aside(-1)
        assert not mouth.speaker.is_aside(1)
        mouth.speaker.say("One two.")
        await mouth.speaker.played()
        assert mouth.speaker.heard() == "One two."

    mouth = speaking(script, kept=("One moment.",))
    assert mouth.frames() == pytest.approx(len("One moment.One two.") * CHAR_S / 0.02, abs=2)


def test_a_pause_keeps_the_words_and_their_account() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("One two three four.")
        await asyncio.sleep(CHAR_S * 6.5)
        mouth.speaker.pause()
        await asyncio.sleep(1.0)
        assert mouth.speaker.heard() == "One two"
        assert mouth.speaker.busy
        mouth.speaker.resume()
        await mouth.speaker.played()
        assert mouth.speaker.heard() == mouth.speaker.written() == "One two three four."
        assert not mouth.speaker.busy

    mouth = speaking(script)
    assert mouth.frames() == pytest.approx(len("One two three four.") * CHAR_S / 0.02 + 5, abs=2)


def test_words_cut_while_paused_end_where_the_pause_began() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("One two three four.")
        await asyncio.sleep(CHAR_S * 6.5)
        mouth.speaker.pause()
        await asyncio.sleep(1.0)
        assert mouth.speaker.cut() == "One two"

    speaking(script)


def test_keys_sound_behind_what_is_said_and_a_pause_does_not_break_them() -> None:
    async def script(mouth: Mouth) -> None:
        mouth.speaker.say("One.")
        pressing = asyncio.create_task(mouth.speaker.press("42"))
        await asyncio.sleep(0.01)
        mouth.speaker.pause()  # before the keys are on their way it would break the sentence only
        mouth.speaker.resume()
        await asyncio.sleep(0.3)
        mouth.speaker.pause()
        await pressing
        assert mouth.speaker.heard() == "One."

    mouth = speaking(script)
    wire = b"".join(command.payload for _, command in mouth.sent if isinstance(command, SendAudio))
    assert keys_in(ulaw_to_pcm(wire), 8000) == "42"


def test_a_cut_drops_the_keys_that_have_not_sounded() -> None:
    async def script(mouth: Mouth) -> None:
        pressing = asyncio.create_task(mouth.speaker.press("4242"))
        await asyncio.sleep(0.25)
        assert mouth.speaker.is_keys(-1)
        mouth.speaker.cut()
        await pressing
        assert not mouth.speaker.is_keys(-1)

    mouth = speaking(script)
    assert mouth.frames() < 0.8 / 0.02
