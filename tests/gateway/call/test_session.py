"""One call's session: whatever ends it, everything is closed, once, and the record says why.

Conversations are in tests/calls.
"""

import asyncio
import base64
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gateway.call.departure import HANG_UP_GRACE_S
from gateway.call.engines import Engines
from gateway.call.line import Line
from gateway.call.prompts import Prompts
from gateway.call.record import CallRecord
from gateway.call.recording import Recording
from gateway.call.script import Script, Timing
from gateway.call.session import FAREWELL_DEADLINE_S, CallSession
from gateway.errors import TtsError
from gateway.events import CallStarted
from gateway.llm.scripted import ScriptedModel
from gateway.platforms.base import Codec
from gateway.platforms.genesys_stream import GenesysCodec
from gateway.platforms.twilio import Twilio
from gateway.stt.energy import EnergyRecognisers
from gateway.tts.base import Delivery, SpeechEvent
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw
from tests.rig.clock import run_leaping
from tests.rig.leg import NotedLeg
from tests.rig.voice import TestVoice

START = (
    '{"event":"start","streamSid":"MZ1","start":{"callSid":"CA1","streamSid":"MZ1",'
    '"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1}}}'
)
STOP = '{"event":"stop","streamSid":"MZ1","stop":{"callSid":"CA1"}}'


NOISE = pcm_to_ulaw(np.random.default_rng(3).normal(0, 5000, 160).clip(-30_000, 30_000).astype("<i2").tobytes())


class Wire:
    """A socket a test speaks into; `broken_at_s` is when writing begins to fail."""

    def __init__(self) -> None:
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue()
        self.sent: list[str | bytes] = []
        self.closed: list[int] = []
        self.broken_at_s = float("inf")

    def say(self, message: str | None) -> None:
        self._inbox.put_nowait(message)

    async def receive(self) -> str | bytes | None:
        return await self._inbox.get()

    async def send(self, message: str | bytes) -> None:
        if asyncio.get_running_loop().time() >= self.broken_at_s:
            raise ConnectionResetError("gone")
        self.sent.append(message)

    async def close(self, code: int = 1000) -> None:
        self.closed.append(code)


class Sets:
    """Everything around one session."""

    def __init__(
        self,
        voice: TestVoice | None = None,
        timing: Timing | None = None,
        greeting: str = "Hello.",
        recording: Recording | None = None,
        wire: Wire | None = None,
        codec: Codec | None = None,
    ) -> None:
        self.wire = wire or Wire()
        self.voice = voice or TestVoice(0.0, lambda _: False, False)
        self.record = CallRecord("CA1", "twilio", "then")
        self.leg = NotedLeg()
        line = Line(self.wire, codec or Twilio("").codec(), 5.0)
        if codec is None:
            line.codec.receive(START)
        self.session = CallSession(
            line,
            CallStarted("CA1", "MZ1", ULAW_8K, ULAW_8K),
            Engines(
                EnergyRecognisers(["When?"]).recogniser("en"),
                ScriptedModel(["At nine in the morning."]),
                self.voice,
                Prompts("af_heart", "en", 1.0),
                recording,
            ),
            Script("en", "", greeting, "Sorry?", "Pardon?", "Goodbye."),
            timing or Timing(500, 250, 100, 60.0, 30.0, 600.0),
            self.leg,
            self.record,
        )


def run(script: Callable[[Sets], None], after_s: float = 1.0, **sets: object) -> Sets:
    async def main() -> Sets:
        made = Sets(**sets)  # type: ignore[arg-type]  # a test's own words
        running = asyncio.create_task(made.session.run())
        await asyncio.sleep(after_s)
        script(made)
        assert await running == made.record.ended
        return made

    made = run_leaping(main())
    assert made.wire.closed == [1000]
    assert made.voice.closed
    return made


def test_a_stop_ends_it_and_nothing_is_hung_up_that_has_hung_up_itself() -> None:
    made = run(lambda sets: sets.wire.say(STOP))
    assert made.record.ended == "stop"
    assert made.record.duration_s == pytest.approx(1.0)
    assert made.leg.hung_up == 0


def test_a_closed_socket_ends_it() -> None:
    assert run(lambda sets: sets.wire.say(None)).record.ended == "closed"


def test_a_farewell_is_heard_and_then_the_leg_is_ended() -> None:
    made = run(lambda sets: sets.session.farewell())
    assert made.record.ended == "goodbye"
    assert made.leg.hung_up == 1
    assert [turn.heard_text for turn in made.record.turns] == ["Hello.", "Goodbye."]


class Genesys(Wire):
    """Genesys' end of the wire: it answers a disconnect with close, and expects closed."""

    async def send(self, message: str | bytes) -> None:
        await super().send(message)
        if isinstance(message, str) and '"disconnect"' in message:
            self.say('{"version":"2","type":"close","id":"s","seq":2,"serverseq":2,"parameters":{}}')


def genesys() -> GenesysCodec:
    codec = GenesysCodec()
    media = '[{"type":"audio","format":"PCMU","channels":["external"],"rate":8000}]'
    head = '"version":"2","type":"open","id":"s","seq":1,"serverseq":0'
    codec.receive(f'{{{head},"parameters":{{"conversationId":"c","media":{media}}}}}')
    codec.owed()
    return codec


def test_a_platform_told_to_hang_up_on_the_stream_ends_it_in_its_own_way() -> None:
    made = run(lambda sets: sets.session.farewell(), wire=Genesys(), codec=genesys())
    assert made.record.ended == "goodbye"
    kinds = [json.loads(message)["type"] for message in made.wire.sent if isinstance(message, str)]
    assert kinds == ["disconnect", "closed"]


def test_a_platform_that_does_not_hang_up_when_it_is_told_to_is_left() -> None:
    answered = run(lambda sets: sets.session.farewell(), wire=Genesys(), codec=genesys())
    silent = run(lambda sets: sets.session.farewell(), codec=genesys())
    assert silent.record.ended == "goodbye"
    assert silent.record.duration_s == pytest.approx(answered.record.duration_s + HANG_UP_GRACE_S)


def test_a_second_farewell_says_no_second_goodbye() -> None:
    def twice(sets: Sets) -> None:
        sets.session.farewell()
        sets.session.farewell()

    assert [turn.heard_text for turn in run(twice).record.turns] == ["Hello.", "Goodbye."]


def test_a_farewell_after_the_end_is_nothing() -> None:
    async def main() -> None:
        made = Sets()
        made.wire.say(STOP)
        await made.session.run()
        made.session.farewell()
        await asyncio.sleep(1.0)

    run_leaping(main())


def test_a_session_that_is_cancelled_before_it_began_takes_a_farewell_too() -> None:
    async def main() -> None:
        made = Sets()
        running = asyncio.create_task(made.session.run())
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait({running})
        made.session.farewell()
        assert made.record.ended == "cancelled"
        assert made.voice.closed

    run_leaping(main())


def test_a_cancelled_session_closes_everything_and_says_so() -> None:
    async def main() -> Sets:
        made = Sets()
        running = asyncio.create_task(made.session.run())
        await asyncio.sleep(0.2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return made

    made = run_leaping(main())
    assert made.record.ended == "cancelled"
    assert made.wire.closed == [1000]
    assert made.voice.closed
    assert [turn.interrupted for turn in made.record.turns] == [True]


def test_a_wire_that_breaks_ends_it_with_the_peers_code() -> None:
    def breaks(sets: Sets) -> None:
        sets.wire.broken_at_s = 0.0
        sets.session.farewell()

    assert run(breaks).record.ended == "peer_gone"


class Unspeaking(TestVoice):
    """Takes sentences and never answers, whatever its contract says."""

    def speak(self, text: str, delivery: Delivery | None = None) -> int:
        self._count += 1
        return self._count


def test_a_goodbye_that_cannot_be_spoken_holds_the_line_no_longer_than_its_deadline() -> None:
    voice = Unspeaking(0.0, lambda _: False, False)
    made = run(lambda sets: sets.session.farewell(), voice=voice)
    assert made.record.ended == "goodbye_deadline"
    assert made.record.duration_s == pytest.approx(1.0 + FAREWELL_DEADLINE_S, abs=0.6)


class Breaking(TestVoice):
    """Fails as a session, not at a sentence."""

    async def _broken(self) -> "TestVoice":
        await asyncio.sleep(0.5)
        raise TtsError("session_broken")

    async def events(self):  # type: ignore[no-untyped-def]  # an async generator of SpeechEvent
        await self._broken()
        event: SpeechEvent
        for event in ():
            yield event


def test_a_voice_that_breaks_ends_the_call_with_its_code() -> None:
    made = run(lambda _: None, after_s=0.1, voice=Breaking(0.0, lambda _: False, False))
    assert made.record.ended == "session_broken"


def test_a_voice_that_cannot_be_opened_yet_does_not_end_the_call() -> None:
    made = run(lambda sets: sets.wire.say(STOP), voice=TestVoice(0.0, lambda _: False, True))
    assert made.record.ended == "stop"


def test_without_a_greeting_nothing_is_said_first() -> None:
    made = run(lambda sets: sets.wire.say(STOP), greeting="")
    assert made.record.turns == []
    assert made.wire.sent == []


async def test_a_recorded_call_is_whole_when_the_call_is_over(tmp_path: Path) -> None:
    recording = Recording(tmp_path, "CA1", "then", ULAW_8K, ULAW_8K)
    made = Sets(recording=recording)
    running = asyncio.create_task(made.session.run())
    await asyncio.sleep(0.2)
    made.wire.say(STOP)
    assert await running == "stop"
    assert recording.path.stat().st_size > 1000


def test_an_error_of_ours_is_not_swallowed() -> None:
    class Buggy(TestVoice):
        async def open(self) -> None:
            raise ZeroDivisionError

    async def main() -> None:
        made = Sets(voice=Buggy(0.0, lambda _: False, False))
        with pytest.raises(ExceptionGroup) as caught:
            await made.session.run()
        assert caught.group_contains(ZeroDivisionError)
        assert made.wire.closed == [1000]
        assert made.record.ended == "internal_error"

    run_leaping(main())


def _media(loud: bool) -> str:
    payload = base64.b64encode(NOISE if loud else b"\xff" * 160).decode()
    return f'{{"event":"media","streamSid":"MZ1","media":{{"payload":"{payload}"}}}}'


async def _speak(sets: Sets, loud: bool, seconds: float) -> None:
    for _ in range(round(seconds * 50)):
        sets.wire.say(_media(loud))
        await asyncio.sleep(0.02)


def test_a_callers_turn_is_heard_answered_and_may_be_interrupted() -> None:
    async def main() -> Sets:
        made = Sets(greeting="")
        running = asyncio.create_task(made.session.run())
        for loud, seconds in ((True, 0.5), (False, 0.8), (True, 1.0), (False, 3.0), (True, 0.12), (False, 5.0)):
            await _speak(made, loud, seconds)
        made.wire.say(STOP)
        await running
        return made

    made = run_leaping(main())
    assert [turn.caller_text for turn in made.record.turns] == ["When?", "When?", "When?"]
    assert [turn.interrupted for turn in made.record.turns] == [True, False, False]
    assert made.record.turns[1].heard_text == "At nine in the morning."


def test_marks_and_a_full_queue_reach_the_playout() -> None:
    async def main() -> Sets:
        made = Sets()
        running = asyncio.create_task(made.session.run())
        await asyncio.sleep(0.45)
        made.wire.say('{"event":"mark","streamSid":"MZ1","mark":{"name":"1"}}')
        await asyncio.sleep(0.1)
        made.wire.say(STOP)
        await running
        return made

    assert [turn.heard_text for turn in run_leaping(main()).record.turns] == ["Hello."]
