"""The calls of one account: rung, answered, led through their documents and into rooms, told of, and over.

Time is the running loop's. The platform's words are a Carrier's; how its requests reach the application is `ask`'s.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gateway.simulator.carrier.base import (
    Call,
    Carrier,
    End,
    Enter,
    HangUp,
    LeaveStream,
    Move,
    Place,
    RestReply,
    RestRequest,
    Say,
    State,
    Step,
)
from gateway.simulator.carrier.rooms import Rooms
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook

# An announcement in a synthetic voice: about 16 characters a second.
CHAR_S = 0.06
# Who hears nothing for so long has been forgotten.
PATIENCE_S = 600.0

Ask = Callable[[Webhook], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Phone:
    """Whoever is called: picks up or declines after `after_s`; never, where that is longer than it rings."""

    after_s: float = 4.0
    busy: bool = False
    # The platform neither stops ringing nor tells of it.
    lost: bool = False


@dataclass(slots=True)
class Leg:
    """A call as the switch knows it."""

    call: Call
    is_up: bool = False
    over: State | None = None
    told: list[str] = field(default_factory=list)  # announcements
    leave_stream: Callable[[], Awaitable[None]] | None = None  # while it is on one
    script: asyncio.Task[None] | None = None  # what it is being led through
    dropped: asyncio.Event = field(default_factory=asyncio.Event)  # out of its room by others


class Switch:
    """`phones` answer by their numbers."""

    def __init__(self, carrier: Carrier, ask: Ask, phones: Mapping[str, Phone]) -> None:
        self._carrier = carrier
        self._ask = ask
        self._phones = phones
        self._running: set[asyncio.Task[None]] = set()
        self.legs: dict[str, Leg] = {}
        self.rooms = Rooms()

    def connected(self, call: Call, leave_stream: Callable[[], Awaitable[None]]) -> None:
        """A call that came in has been answered with a stream."""
        self.legs[call.call_id] = Leg(call, is_up=True, leave_stream=leave_stream)

    async def rest(self, request: RestRequest) -> RestReply:
        """Serve one request of the application."""
        wish = self._carrier.wish(request)
        if isinstance(wish, Place):
            call_id = f"placed-{len(self.legs)}"
            call = Call(call_id, wish.caller, wish.called, wish.answer_url, wish.status_url, outbound=True)
            leg = self.legs[call_id] = Leg(call)
            leg.script = self._run(self._ring(leg, self._phone(wish.called), wish.ring_s))
            return self._carrier.granted(wish, call_id)
        known = self.legs.get(wish.call_id)
        if known is None or known.over is not None or (isinstance(wish, Move) and not known.is_up):
            return self._carrier.gone()
        if isinstance(wish, End):
            self._end(known, State.COMPLETED if known.is_up else State.CANCELLED)
        else:
            self._run(self._move(known, wish))
        return self._carrier.granted(wish, wish.call_id)

    def hang_up(self, call_id: str) -> None:
        """Whoever is on the phone hangs up; nothing happens when the call is over."""
        if self.legs[call_id].over is None:
            self._end(self.legs[call_id], State.COMPLETED)

    async def settled(self) -> None:
        """Wait for all that is on its way; a call that rings for ever is given up. CallFailed for one that stays on."""
        for leg in self.legs.values():
            if leg.script is not None and not leg.is_up:
                leg.script.cancel()
        while self._running:
            done, _ = await asyncio.wait(self._running, timeout=PATIENCE_S)
            if not done:
                alone = [leg.call.call_id for leg in self.legs.values() if leg.over is None]
                raise CallFailed("left_behind", f"still on the phone: {', '.join(alone)}")
            for task in done:
                if not task.cancelled():
                    task.result()

    def _phone(self, number: str) -> Phone:
        if number not in self._phones:
            raise CallFailed("bad_request", "a call to a number that there is not")
        return self._phones[number]

    async def _ring(self, leg: Leg, phone: Phone, ring_s: float) -> None:
        await self._tell(leg, State.RINGING)
        if phone.lost:
            await asyncio.Event().wait()
        if phone.after_s > ring_s:
            await asyncio.sleep(ring_s)
            self._end(leg, State.NO_ANSWER)
            return
        await asyncio.sleep(phone.after_s)
        if phone.busy:
            self._end(leg, State.BUSY)
            return
        leg.is_up = True
        await self._tell(leg, State.ANSWERED)
        await self._follow(leg, self._carrier.steps(await self._ask(self._carrier.answered(leg.call))))

    async def _move(self, leg: Leg, wish: Move) -> None:
        document = wish.document if isinstance(wish.document, Reply) else await self._ask(wish.document)
        if leg.over is not None:
            return
        if leg.script is not None:
            leg.script.cancel()
        if not self._carrier.stream_goes_on:
            await _off_stream(leg)
        leg.script = self._run(self._follow(leg, self._carrier.steps(document)))

    async def _follow(self, leg: Leg, steps: Sequence[Step]) -> None:
        """A call whose document has come to its end is over."""
        for step in steps:
            match step:
                case Say(text):
                    leg.told.append(text)
                    await asyncio.sleep(len(text) * CHAR_S)
                case Enter():
                    self.rooms.enter(leg.call.call_id, step)
                    await leg.dropped.wait()
                case LeaveStream():
                    await _off_stream(leg)
                case HangUp():
                    break
        self._end(leg, State.COMPLETED)

    def _end(self, leg: Leg, state: State) -> None:
        leg.over = state
        if leg.script is not None and leg.script is not asyncio.current_task():
            leg.script.cancel()
        for other in self.rooms.leave(leg.call.call_id):
            self.legs[other].dropped.set()
        self._run(_off_stream(leg))
        self._run(self._tell(leg, state))

    async def _tell(self, leg: Leg, state: State) -> None:
        webhook = self._carrier.told(leg.call, state) if leg.call.status_url else None
        if webhook is not None:
            await self._ask(webhook)

    def _run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name="switch")
        self._running.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[None]) -> None:
        # What failed is kept for `settled` to raise.
        if task.cancelled() or task.exception() is None:
            self._running.discard(task)


async def _off_stream(leg: Leg) -> None:
    leave, leg.leave_stream = leg.leave_stream, None
    if leave is not None:
        await leave()
