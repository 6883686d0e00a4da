"""A call that we placed, until it is known who has answered: the bot holds its greeting, and then does what fits.

A person is greeted. A machine is hung up on, or told a message once it records. A fax machine is hung up on. The
judgement is answering.py's; here are the looks at the line, several a second, and the acts.
"""

import asyncio

import structlog

from gateway.call.answering import SECOND_THOUGHTS_S, AnsweredBy, Answering
from gateway.call.departure import Departure
from gateway.call.floor import Floor
from gateway.call.hearing.listener import Listener
from gateway.call.record import CallRecord
from gateway.call.script import HANG_UP, TALK, Script
from gateway.call.thinking.reply import Replies
from gateway.call.turn import Happening, State
from gateway.events import CallStarted
from media.beep import DETECTOR_RATE_HZ, ToneDetector
from media.transcode import Inbound

log = structlog.get_logger(__name__)

# A person waits for the greeting; a look costs nothing.
LOOK_EVERY_S = 0.05
MESSAGE_LEFT = "message_left"


class Screening:
    """One call's. `run` is a task of the call where it is `wanted`, and returns when there is nothing more to find out.

    Not wanted is it for inbound calls, and where the bot talks to anybody.
    """

    def __init__(
        self,
        script: Script,
        started: CallStarted,
        listener: Listener,
        floor: Floor,
        replies: Replies,
        departure: Departure,
        record: CallRecord,
    ) -> None:
        self.wanted = started.outbound and script.machine != TALK
        self._answering = Answering(script.answering)
        self._script = script
        self._inbound = Inbound(started.format_in, DETECTOR_RATE_HZ)
        self._tones = ToneDetector()
        self._listener = listener
        self._floor = floor
        self._replies = replies
        self._departure = departure
        self._record = record
        self._greeted = False
        self._guessed = False  # the message was begun without a sign that it is recorded

    def take(self, payload: bytes) -> None:
        """Listen to the audio of the wire for beeps."""
        if not self.wanted:
            return
        for tone in self._tones.feed(self._inbound.feed(payload)):
            self._answering.heard(tone)

    def told(self, answered_by: AnsweredBy, *, announced: bool = False) -> None:
        """The platform knows who has answered; `announced`: and that the machine has finished its announcement."""
        self._answering.told(answered_by, announced=announced)
        self._record.answered_by = answered_by.value

    def begin(self) -> None:
        """Hold the greeting: to be called before anything of the call is heard, and `run` with it."""
        self._floor.happen(Happening.SCREEN)

    async def run(self) -> None:
        """Look until the person has been greeted for a while, or the machine has what it is to get."""
        now = asyncio.get_running_loop().time
        began_s = now()
        while self._floor.state not in (State.CLOSING, State.OVER):
            at_s = now() - began_s
            if self._floor.state is not State.SCREENING and self._answering.answered_by is None:
                self._answering.told(AnsweredBy.HUMAN)  # who presses keys is no machine
                self._greeted = True
            silence_s = self._listener.silence_ms / 1000
            self._answering.look(at_s, self._listener.speaking, silence_s, self._tones.sounding_s)
            self._act(at_s)
            if self._greeted and at_s >= SECOND_THOUGHTS_S:
                return
            await asyncio.sleep(LOOK_EVERY_S)
        while self._guessed and self._floor.state is State.CLOSING:
            if self._answering.recording:  # it beeps only now: what it has missed is said again
                self._leave_message()
            await asyncio.sleep(LOOK_EVERY_S)

    def _act(self, at_s: float) -> None:
        answered_by = self._answering.answered_by
        if answered_by is None:
            return
        if self._record.answered_by != answered_by:
            self._record.answered_by = answered_by.value
            log.info("answered", by=answered_by.value, after_s=round(at_s, 2))
        match answered_by:
            case AnsweredBy.HUMAN:
                self._greet()
            case AnsweredBy.FAX:
                self._hang_up(answered_by)
            case AnsweredBy.MACHINE if self._script.machine == HANG_UP:
                self._hang_up(answered_by)
            case AnsweredBy.MACHINE if self._answering.may_speak(at_s):
                self._departure.goodbye = MESSAGE_LEFT
                self._leave_message()
                self._floor.happen(Happening.PARTING)

    def _greet(self) -> None:
        """Begin the conversation, unless the caller is speaking just now."""
        if self._greeted or self._listener.speaking:
            return
        self._greeted = True
        if self._script.greeting:
            self._floor.greet()
        else:
            self._floor.happen(Happening.MERE_SOUND)

    def _leave_message(self) -> None:
        self._guessed = not self._answering.recording
        self._replies.prompt(self._script.message, protected=True)

    def _hang_up(self, answered_by: AnsweredBy) -> None:
        self._departure.goodbye = answered_by.value
        self._floor.happen(Happening.PARTING)
        self._departure.leave_soon()
