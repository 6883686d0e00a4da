"""When the simulated caller speaks, frame by frame."""

from dataclasses import replace

import pytest

from gateway.simulator.caller import CallerTurn, recorded_turn
from gateway.simulator.playback import Playback
from gateway.simulator.script import CallerFrame, Manners, Script
from tests.gateway.simulator.echo import RATE_HZ, tone

MANNERS = Manners(quiet_s=0.5, greeting_s=1.0, reply_s=2.0, listen_s=5.0)
FRAME_S = 0.02


def turn(name: str, seconds: float = 0.1) -> CallerTurn:
    return recorded_turn(name, tone(seconds), RATE_HZ)


class Conversation:
    """Asks the script for frames, with the bot's audio put in at stated times."""

    def __init__(self, *turns: CallerTurn) -> None:
        self.script = Script(turns, RATE_HZ, MANNERS)
        self.playback = Playback(RATE_HZ)
        self.bot: list[tuple[float, float]] = []
        self.digits = ""

    def run(self, limit_s: float = 60.0) -> float:
        """Return when the caller hung up."""
        for number in range(round(limit_s / FRAME_S)):
            at_s = number * FRAME_S
            while self.bot and self.bot[0][0] <= at_s:
                self.playback.put(*self._speech(self.bot.pop(0)))
            frame = self.script.frame(at_s, self.playback)
            if frame is None:
                return at_s
            assert len(frame.pcm) == 320
            self.digits += frame.digits
        raise AssertionError("the caller never hung up")

    def starts(self) -> list[float]:
        return [round(spoken.start_s, 6) for spoken in self.script.spoken]

    @staticmethod
    def _speech(bot: tuple[float, float]) -> tuple[float, bytes]:
        return bot[0], tone(bot[1])


def test_without_a_greeting_the_caller_speaks_first_and_gives_up_waiting_for_a_reply() -> None:
    talk = Conversation(turn("a"))
    assert talk.run() == pytest.approx(1.0 + 0.1 + 2.0)
    assert talk.starts() == [1.0]


def test_a_greeting_is_heard_out() -> None:
    talk = Conversation(turn("a"))
    talk.bot = [(0.5, 2.0)]
    talk.run()
    assert talk.starts() == [3.0]


def test_a_short_pause_in_the_bots_speech_is_not_the_end_of_it() -> None:
    talk = Conversation(turn("a"))
    talk.bot = [(0.5, 1.0), (1.9, 1.0)]
    talk.run()
    assert talk.starts() == [3.4]


def test_each_turn_waits_for_its_reply() -> None:
    talk = Conversation(turn("a"), turn("b"))
    talk.bot = [(1.5, 1.0), (4.0, 1.0)]
    assert talk.run() == pytest.approx(5.5)
    assert talk.starts() == [1.0, 3.0]
    assert [spoken.turn.name for spoken in talk.script.spoken] == ["a", "b"]
    assert talk.script.spoken[1].end_s == pytest.approx(3.1)


def test_an_unanswered_turn_does_not_stop_the_next() -> None:
    talk = Conversation(turn("a"), turn("b"))
    talk.run()
    assert talk.starts() == [1.0, 3.1]


def test_a_bot_that_talks_for_ever_is_not_listened_to_for_ever() -> None:
    talk = Conversation(turn("a"))
    talk.bot = [(1.2, 300.0)]
    assert talk.run() == pytest.approx(1.1 + 5.0)


def test_an_interrupting_caller_speaks_into_the_reply() -> None:
    cut = CallerTurn("cut", tone(0.1), interrupt_after_s=0.4)
    talk = Conversation(turn("a"), cut)
    talk.bot = [(1.5, 3.0)]
    talk.run()
    assert talk.starts() == [1.0, 1.9]


def test_an_interrupting_caller_still_waits_for_something_to_interrupt() -> None:
    talk = Conversation(CallerTurn("cut", tone(0.1), interrupt_after_s=0.4))
    talk.run()
    assert talk.starts() == [1.0]


def test_keys_are_pressed_once_when_their_turn_comes() -> None:
    talk = Conversation(CallerTurn("dtmf:12#", digits="12#"))
    talk.run()
    assert talk.digits == "12#"


def test_keys_are_pressed_one_after_the_other_while_the_caller_speaks() -> None:
    turn = replace(recorded_turn("a", tone(1.0), RATE_HZ), digits="123", keys_after_s=0.5)
    script = Script([turn], RATE_HZ, Manners(greeting_s=0.0))
    frames = [script.frame(number * FRAME_S, Playback(RATE_HZ)) for number in range(60)]
    pressed = [(round(n * FRAME_S, 2), frame.digits) for n, frame in enumerate(frames) if frame and frame.digits]
    assert pressed == [(0.5, "1"), (0.7, "2"), (0.9, "3")]
    assert script.spoken[0].end_s == pytest.approx(1.0)


def test_speech_goes_out_whole_in_frames_and_the_last_is_filled_with_silence() -> None:
    speech = tone(0.05)
    script = Script([recorded_turn("a", speech, RATE_HZ)], RATE_HZ, Manners(greeting_s=0.0))
    frames = [script.frame(number * FRAME_S, Playback(RATE_HZ)) for number in range(4)]
    assert all(isinstance(frame, CallerFrame) for frame in frames)
    sent = b"".join(frame.pcm for frame in frames if frame)
    assert sent == speech + bytes(4 * 320 - len(speech))


def test_a_frame_shows_no_speech_in_its_repr() -> None:
    assert repr(CallerFrame(b"\x01", "5")) == "CallerFrame()"
