"""What has been said: the caller's unanswered words, the model's history and the record, kept in step."""

from collections.abc import Callable

from gateway.call.record import CallRecord, TurnRecord
from gateway.llm.history import History


class Exchange:
    """The words of one call, turn by turn. `now` is seconds since the call began."""

    def __init__(self, record: CallRecord, now: Callable[[], float]) -> None:
        self.history = History()
        self.turn = TurnRecord()
        self.unanswered = False
        self._record = record
        self._now = now

    def reach(self, milestone: str) -> None:
        """Note a milestone of the turn under way."""
        self.turn.reach(milestone, self._now())

    def caller_paused(self, silence_s: float) -> None:
        """The caller fell silent `silence_s` ago; the latest pause before the commit is the end of the turn."""
        if "committed" not in self.turn.at_s:
            self.turn.at_s["caller_end"] = self._now() - silence_s

    def caller_said(self, text: str) -> None:
        """Recognised words; blank ones leave nothing behind."""
        self.reach("final")
        if text.strip():
            self.history.caller_said(text)
            self.turn.caller_text = f"{self.turn.caller_text} {text}".strip()
            self.unanswered = True

    def resumed(self) -> None:
        """The caller goes on speaking after the turn seemed over: it is measured anew, the words stay."""
        self.turn.at_s.clear()

    def replied(self, heard: str, interrupted: bool = False) -> None:
        """A reply or prompt has ended, heard as far as given. One that nobody heard leaves the question unanswered."""
        self.history.heard(heard)
        self.turn.heard_text = heard
        self.turn.interrupted = interrupted
        if heard or not interrupted:
            self.unanswered = False
            self.close()
        else:
            self.turn = TurnRecord(caller_text=self.turn.caller_text)

    def close(self) -> None:
        """Put the turn under way into the record, unless nothing happened in it, and begin the next."""
        if self.turn.caller_text or self.turn.bot_text or self.turn.failure:
            self._record.turns.append(self.turn)
        self.turn = TurnRecord()
