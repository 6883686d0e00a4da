"""How this side ends the call: it hangs up once the goodbye was heard, or moves the caller to somebody else."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from gateway.call.ending import CallOver
from gateway.call.line import Line
from gateway.call.playout import Playout
from gateway.call.turn import Happening
from gateway.errors import Refused, VoicebotError
from gateway.events import HangUp

# The goodbye's last mark may be this late before we hang up all the same (F-10).
GOODBYE_GRACE_S = 1.0
# Platforms that are told on the stream to hang up end it in their own way, within a round trip or two.
HANG_UP_GRACE_S = 1.0
# A platform that moves a caller ends our stream within a second or two; one that does not is left.
TRANSFER_GRACE_S = 5.0
# Some end the stream before their API has answered that it is done; the record waits for the truth so long.
ANSWER_WITHIN_S = 0.8
GOODBYE = "goodbye"
TRANSFERRED = "transferred"


class Leg(Protocol):
    """What can be done to the call at its platform."""

    @property
    def abilities(self) -> frozenset[str]:
        """Which of transfer, warm_transfer and send_digits the platform can do."""
        ...

    async def hang_up(self) -> None:
        """End it by REST, where that is how; never raises."""
        ...

    async def transfer(self, target: str, *, warm: bool = False, announce: str = "") -> None:
        """Move the caller, warm once the target has answered and heard `announce`; Refused when nobody does and while
        another move is under way, PeerFault when the API fails.
        """
        ...

    async def send_digits(self, digits: str) -> None:
        """Press keys; raises as transfer does."""
        ...


class Departure:
    """Ends the call's task group with CallOver, from tasks of its own."""

    def __init__(
        self,
        line: Line,
        leg: Leg,
        playout: Playout,
        spawn: Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]],
        happen: Callable[[Happening], None],
    ) -> None:
        self._line = line
        self._leg = leg
        self._playout = playout
        self._spawn = spawn
        self._happen = happen
        self.goodbye = GOODBYE  # why we leave, when we do
        self._reason = ""  # ours, once the platform has done what we asked for
        self._moving: asyncio.Future[None] | None = None
        self._wanted: tuple[str, str | None] = ("", None)  # the target and the announcement of that move

    def leave_soon(self) -> None:
        """The goodbye has sounded by our clock: end the leg. A leg that has been moved is no longer ours to end."""
        if not self._reason:
            self._spawn(self._leave(), "leave")

    async def transfer(self, target: str, announce: str | None = None) -> None:
        """Move the caller to a number or SIP address; returns once that is under way, and the call is about to end.

        With an announcement the target is called first and told that. Refused when nobody answers there, or PeerFault
        when the API fails: the call goes on. Cancelling calls off who is still being called; a move that is under way
        cannot be taken back: whoever asks for the same one shares its outcome, for another one it is Refused.
        """
        if self._moving is not None and not self._moving.done():
            if (target, announce) != self._wanted:
                raise moving_already()
            await asyncio.shield(self._moving)
            return
        self._wanted = target, announce
        self._moving = moving = asyncio.get_running_loop().create_future()
        move = self._spawn(self._move(target, announce, moving), "transfer")
        try:
            await asyncio.shield(moving)
        except asyncio.CancelledError:
            if announce is not None and not moving.done():
                move.cancel()
                moving.cancel()
            raise

    async def reason(self, told: str) -> str:
        """Why the call ended, when the platform has ended its stream and `told` us why."""
        if self._moving is not None and not self._moving.done():
            await asyncio.wait({self._moving}, timeout=ANSWER_WITHIN_S)
        return self._reason or told

    async def _leave(self) -> None:
        await self._playout.marks.confirmed(GOODBYE_GRACE_S)
        self._reason = self.goodbye
        await self._line.send(HangUp(self._reason))
        await self._leg.hang_up()
        if self._line.codec.capabilities.hang_up_on_stream:
            await asyncio.sleep(HANG_UP_GRACE_S)  # `hear` ends the call sooner, when the stream has ended
        raise CallOver(self._reason)

    async def _move(self, target: str, announce: str | None, moving: asyncio.Future[None]) -> None:
        try:
            await self._leg.transfer(target, warm=announce is not None, announce=announce or "")
        except VoicebotError as error:
            moving.set_exception(error)
            moving.exception()  # nobody may be waiting any more
            return
        self._reason = TRANSFERRED
        self._happen(Happening.PARTING)
        moving.set_result(None)
        await asyncio.sleep(TRANSFER_GRACE_S)  # `hear` ends the call sooner, when the stream has ended
        raise CallOver(TRANSFERRED)


def moving_already() -> Refused:
    """For who would move a caller while another move is under way: the outcome of that one would not be theirs."""
    detail = "the caller is being moved already, or somebody is being called to take them; first see what comes of it"
    return Refused("transfer_is_on", detail, http_status=409, retryable=True)
