"""The caller's keys in a call: presses in, entries out in order with what was spoken, and when the turn is over.

An entry follows the words that were spoken before it. Those may not be recognised yet: then it waits for them, and
goes to the exchange right behind them.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

import structlog

from gateway.call.exchange import Exchange
from gateway.call.keying.keypad import Keypad, KeyRules, as_recorded, as_turn
from gateway.call.turn import Happening, State

log = structlog.get_logger(__name__)

# Entries that wait for the end of a prompt which must not be interrupted. Whoever keys in more is not reading along.
MAX_WAITING = 8

_CALLER_HAS_THE_FLOOR = frozenset((State.LISTENING, State.HEARING, State.DECIDING))


class Ears(Protocol):
    """What is to be known of the caller's voice."""

    @property
    def speaking(self) -> bool: ...

    @property
    def owes_words(self) -> bool:
        """Whether a sound has not been committed or discarded yet."""
        ...

    @property
    def deciding(self) -> bool:
        """Whether committed words have not come yet."""
        ...


class Keys:
    """Belongs to one call. The floor asks `follow` and `due` what is to happen because of them.

    `pressed` is called at every press, `paused` when a pause has ended an entry.
    """

    def __init__(
        self,
        rules: KeyRules,
        language: str,
        exchange: Exchange,
        ears: Ears,
        pressed: Callable[[], None],
        paused: Callable[[], None],
    ) -> None:
        self._keypad = Keypad(rules)
        self._rules = rules
        self.language = language
        self._exchange = exchange
        self._ears = ears
        self._pressed = pressed
        self._paused = paused
        self._waiting: list[str] = []  # whole entries that are not said yet
        self._timer: asyncio.TimerHandle | None = None
        self._pressed_s = 0.0
        self.interrupt = rules.interrupts

    @property
    def typing(self) -> bool:
        """Whether the caller is in the middle of an entry."""
        return self._keypad.typing

    def press(self, digit: str) -> None:
        """Take a key that the platform reported."""
        self._take(digit, in_band=False)

    def heard(self, digit: str) -> None:
        """Take a key that was found in the audio."""
        self._take(digit, in_band=True)

    def _take(self, digit: str, *, in_band: bool) -> None:
        now_s = asyncio.get_running_loop().time()
        if not self._keypad.is_new(digit, now_s, in_band=in_band) or self._keypad.confirms(digit, now_s):
            return
        self._pressed_s = now_s
        self._keep(self._keypad.press(digit, now_s))
        self._wait()
        self._pressed()

    def follow(self, happening: Happening, state: State) -> Happening:
        """Say the whole entries behind words that have just come: with them the turn is over."""
        came = happening in (Happening.WORDS, Happening.NO_WORDS)
        if not came or not self._waiting or state not in _CALLER_HAS_THE_FLOOR:
            return happening
        if self.typing or self._ears.owes_words:
            return happening  # there is more to come
        self._say()
        return Happening.KEYS

    def due(self, state: State, *, pausing: bool) -> Happening | None:
        """What is to happen now, as far as the keys know. `pausing`: the silence that may end the turn runs."""
        if not self._waiting or self.typing or self._ears.speaking or pausing:
            return None
        if state not in (State.LISTENING, State.HEARING):
            return None
        if self._ears.owes_words:
            return Happening.END_SILENCE
        if self._ears.deciding:
            return None
        self._exchange.caller_paused(asyncio.get_running_loop().time() - self._pressed_s)
        self._exchange.committed()
        self._say()
        return Happening.KEYS

    def stop(self) -> None:
        """The call is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        self.stop()
        if self._keypad.typing:
            self._timer = asyncio.get_running_loop().call_at(self._keypad.due_s, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._keep(self._keypad.ring(asyncio.get_running_loop().time()))
        self._paused()

    def _keep(self, entry: str) -> None:
        if entry and len(self._waiting) < MAX_WAITING:
            self._waiting.append(entry)

    def _say(self) -> None:
        entries, self._waiting = self._waiting, []
        log.info("keys_pressed", count=sum(map(len, entries)))
        for entry in entries:
            shown = as_turn if self._rules.recorded else as_recorded
            self._exchange.caller_said(as_turn(entry, self.language), shown(entry, self.language))
