"""Keys between the pad and the floor: what is due when, and that nothing waits or grows without end."""

import asyncio
from dataclasses import dataclass, field

from gateway.call.exchange import Exchange
from gateway.call.keying.keypad import KeyRules
from gateway.call.keying.keys import MAX_WAITING, Keys
from gateway.call.record import CallRecord
from gateway.call.turn import Happening, State
from tests.rig.clock import run_leaping

H, S = Happening, State


@dataclass
class Ears:
    speaking: bool = False
    owes_words: bool = False
    deciding: bool = False


@dataclass
class Desk:
    """One call's keys with working neighbours; must be made in a loop."""

    rules: KeyRules = KeyRules(pause_s=2.0)
    ears: Ears = field(default_factory=Ears)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.exchange = Exchange(CallRecord("c1", "twilio", "then"), lambda: 0.0)
        self.keys = Keys(
            self.rules,
            "en",
            self.exchange,
            self.ears,
            lambda: self.told.append("pressed"),
            lambda: self.told.append("paused"),
        )

    @property
    def said(self) -> str:
        return " ".join(message.text for message in self.exchange.history.messages() if message.role == "user")


def test_a_press_is_told_and_an_entry_that_is_whole_is_due() -> None:
    async def main() -> None:
        desk = Desk()
        desk.keys.press("1")
        assert (desk.told, desk.keys.typing) == (["pressed"], True)
        assert desk.keys.due(S.HEARING, pausing=False) is None
        desk.keys.press("#")
        assert desk.keys.due(S.HEARING, pausing=False) is H.KEYS
        assert desk.said == "[keys pressed: 1]"
        assert desk.keys.due(S.THINKING, pausing=False) is None

    run_leaping(main())


def test_a_pause_is_told_once_and_never_after_the_end() -> None:
    async def main() -> None:
        desk = Desk()
        desk.keys.press("1")
        await asyncio.sleep(1.5)
        desk.keys.press("2")
        await asyncio.sleep(1.9)
        assert "paused" not in desk.told
        await asyncio.sleep(0.2)
        assert desk.told == ["pressed", "pressed", "paused"]
        desk.keys.press("3")
        desk.keys.stop()
        await asyncio.sleep(10.0)
        assert desk.told.count("paused") == 1

    run_leaping(main())


def test_an_entry_waits_for_the_words_before_it() -> None:
    async def main() -> None:
        desk = Desk(ears=Ears(owes_words=True))
        desk.keys.press("1")
        desk.keys.press("#")
        assert desk.keys.due(S.HEARING, pausing=True) is None  # the silence may yet end the turn
        assert desk.keys.due(S.HEARING, pausing=False) is H.END_SILENCE
        desk.ears.owes_words, desk.ears.deciding = False, True
        assert desk.keys.due(S.HEARING, pausing=False) is None
        desk.exchange.caller_said("My number is")
        assert desk.keys.follow(H.WORDS, S.DECIDING) is H.KEYS
        assert desk.said.replace("\n", " ") == "My number is [keys pressed: 1]"

    run_leaping(main())


def test_words_that_come_in_the_middle_of_an_entry_or_of_speech_are_only_words() -> None:
    async def main() -> None:
        desk = Desk()
        assert desk.keys.follow(H.WORDS, S.DECIDING) is H.WORDS
        desk.keys.press("1")
        assert desk.keys.follow(H.NO_WORDS, S.HEARING) is H.NO_WORDS
        desk.keys.press("#")
        desk.ears.speaking = desk.ears.owes_words = True
        assert desk.keys.follow(H.WORDS, S.HEARING) is H.WORDS
        assert desk.keys.due(S.HEARING, pausing=False) is None
        desk.keys.stop()

    run_leaping(main())


def test_while_the_bot_has_the_floor_entries_wait_and_are_bounded() -> None:
    async def main() -> None:
        desk = Desk(KeyRules(max_digits=1))
        for digit in "0123456789*":
            desk.keys.press(digit)
        assert desk.keys.due(S.SPEAKING, pausing=False) is None
        assert desk.keys.follow(H.WORDS, S.SPEAKING) is H.WORDS
        assert desk.keys.due(S.LISTENING, pausing=False) is H.KEYS
        assert desk.said.count("[") == MAX_WAITING

    run_leaping(main())
