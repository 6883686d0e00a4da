"""What has been said: the caller's unanswered words, the model's history and the record, kept in step."""

from collections.abc import Callable

from gateway.call.record import CallRecord, ToolRecord, TurnRecord
from gateway.llm.history import History


class Exchange:
    """The words of one call, turn by turn. `now` is seconds since the call began."""

    def __init__(self, record: CallRecord, now: Callable[[], float]) -> None:
        self.history = History()
        self.turn = TurnRecord()
        # The caller has said something that no reply has been asked for, or whose reply was given up unheard.
        self.unanswered = False
        self._record = record
        self._now = now
        self._paused_s = 0.0
        self._meanwhile = ""  # said while a reply to what came before is under way

    def reach(self, milestone: str) -> None:
        """Note a milestone of the turn under way."""
        self.turn.reach(milestone, self._now())

    def caller_paused(self, silence_s: float) -> None:
        """The caller fell silent `silence_s` ago; the latest pause before the commit is the end of the turn."""
        self._paused_s = self._now() - silence_s

    def committed(self) -> None:
        """The caller's turn is over. One that seemed over before, and went on, is measured anew."""
        self.turn.at_s = {"caller_end": self._paused_s, "committed": self._now()}

    def caller_said(self, text: str, shown: str | None = None) -> None:
        """Recognised words, or keys; blank ones leave nothing behind. `shown` stands for them in the record."""
        if not self.history.replying:
            self.reach("final")
        if not text.strip():
            return
        self.history.caller_said(text)
        self.unanswered = True
        text = text if shown is None else shown
        if self.history.replying:
            self._meanwhile = f"{self._meanwhile} {text}".strip()
        else:
            self.turn.caller_text = f"{self.turn.caller_text} {text}".strip()

    def begin_reply(self) -> None:
        """A reply to everything unanswered, or a prompt, is under way, until `replied`."""
        self.history.begin_reply()
        self.unanswered = False

    def replied(self, heard: str, interrupted: bool = False) -> None:
        """A reply or prompt has ended, heard as far as given. One that nobody heard leaves the question unanswered."""
        self.history.heard(heard)
        self.turn.heard_text = heard
        self.turn.interrupted = interrupted
        meanwhile, self._meanwhile = self._meanwhile, ""
        if heard or not interrupted:
            self.close()
            self.turn.caller_text = meanwhile
        else:
            asked = f"{self.turn.caller_text} {meanwhile}".strip()
            self.turn = TurnRecord(caller_text=asked, failure=self.turn.failure)
            self.unanswered = bool(asked)

    def tool_ran(self, name: str, outcome: str, duration_s: float) -> None:
        """A tool has ended just now, or was given up."""
        self._record.tools.append(ToolRecord(name, outcome, self._now() - duration_s, duration_s))

    def close(self) -> None:
        """Put the turn under way into the record, unless nothing happened in it, and begin the next."""
        if self.turn.caller_text or self.turn.bot_text or self.turn.failure:
            self._record.turns.append(self.turn)
        self.turn = TurnRecord()
