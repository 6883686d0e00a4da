"""One call's leg at the platform: what can be done to it, on its stream where the platform can, else by REST."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import structlog

from gateway.call.departure import moving_already
from gateway.call.line import Line
from gateway.errors import PeerFault, Refused
from gateway.events import CallStarted, HangUp, SendDigits, Transfer
from gateway.legs.handover import Handovers, Invitation
from gateway.platforms.base import Platform
from gateway.platforms.control import CallControl

log = structlog.get_logger(__name__)

DIGITS = frozenset("0123456789*#ABCD")
# An extension or a card number; longer is nobody's wish.
MAX_DIGITS = 32


@runtime_checkable
class KeyPad(Protocol):
    """A control that can press keys too."""

    async def send_digits(self, call_id: str, digits: str) -> None:
        """Play DTMF into the call; raises as CallControl does."""
        ...


class Leg:
    """Of a call that is on. Refused (400) where the platform, or the account configured, cannot do what is asked."""

    def __init__(
        self,
        platform: Platform,
        started: CallStarted,
        line: Line,
        control: CallControl | None,
        handovers: Handovers | None = None,
    ) -> None:
        self.platform = platform
        self.play_keys: Callable[[str], None] | None = None  # into the bot's audio, as tones
        self.call_id = started.call_id
        self._line = line
        self._control = control
        self._handovers = handovers
        self._our_number = started.caller if started.outbound else started.called
        self._is_moving = False

    @property
    def abilities(self) -> frozenset[str]:
        """Which of `transfer`, `warm_transfer` and `send_digits` will not be refused for want of a way."""
        can, rest = self.platform.capabilities, self.platform.capabilities.rest
        by_rest = isinstance(self._control, KeyPad) and "send_digits" in rest
        ways = {
            "transfer": can.transfer_on_stream or (self._control is not None and "transfer" in rest),
            "warm_transfer": self._control is not None and "warm_transfer" in rest,
            "send_digits": can.digits_out_on_stream or can.digits_out_in_band or by_rest,
        }
        return frozenset(name for name, possible in ways.items() if possible)

    async def hang_up(self) -> None:
        """End the leg by REST, where that is how. Never raises: what the stream can do is done by closing it."""
        if self._control is None or "hang_up" not in self.platform.capabilities.rest:
            return
        try:
            await self._control.hang_up(self.call_id)
        except PeerFault as fault:  # closing the stream ends the leg too, where nothing follows it in the document
            log.error("hang_up_failed", code=fault.code, error=str(fault))

    async def transfer(self, target: str, *, warm: bool = False, announce: str = "", our_number: str = "") -> None:
        """Move the caller to a number or SIP address; the stream ends. PeerFault when the API fails.

        `warm` calls the target first, for as long as that rings, and raises as Handovers.hand_over does; the caller
        stays here meanwhile. `announce` is said to who answers. `our_number` is for calls whose numbers are not known.
        While one move is under way, every other is Refused (409), also to the same target.
        """
        if self._is_moving or (self._handovers is not None and self._handovers.is_on(self.call_id)):
            raise moving_already()
        self._is_moving = True
        try:
            if warm and self._handovers is not None:
                invitation = Invitation(target, our_number or self._our_number, announce)
                await self._handovers.hand_over(self.platform, self.call_id, invitation)
            else:
                await self._move(target)
        finally:
            self._is_moving = False

    async def send_digits(self, digits: str) -> None:
        """Play DTMF into the call. PeerFault when the API fails."""
        if not digits or len(digits) > MAX_DIGITS or not DIGITS.issuperset(digits):
            raise Refused("bad_digits", f"1 to {MAX_DIGITS} of 0-9 * # A-D", http_status=400)
        capabilities = self.platform.capabilities
        if capabilities.digits_out_on_stream:
            await self._line.send(SendDigits(digits))
        elif isinstance(self._control, KeyPad) and "send_digits" in capabilities.rest:
            await self._control.send_digits(self.call_id, digits)
        elif capabilities.digits_out_in_band and self.play_keys is not None:
            self.play_keys(digits)
        else:
            raise Refused("cannot_send_digits", f"{self.platform.name} cannot press keys", http_status=400)

    async def over(self, reason: str) -> None:
        """The platform said elsewhere that the call has ended."""
        await self._line.over(reason)

    async def _move(self, target: str) -> None:
        capabilities = self.platform.capabilities
        if capabilities.transfer_on_stream:
            await self._line.send(Transfer(target))
        elif self._control is not None and "transfer" in capabilities.rest:
            await self._control.transfer(self.call_id, target)
            if capabilities.transfer_by_hanging_up:
                await self._line.send(HangUp("transfer"))
        else:
            raise Refused("cannot_transfer", f"{self.platform.name} cannot move this call", http_status=400)
