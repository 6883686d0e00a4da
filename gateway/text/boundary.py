"""Whether a mark ends its sentence, decided from the word before it and from as little as possible after it."""

import re
from enum import Enum, auto

from gateway.text.characters import (
    CLOSERS,
    LINE_ENDS,
    OPENERS,
    POINTS_AHEAD,
    STOPS,
    UNSPACED_STOPS,
    is_cjk,
    is_emoji,
    starts_uncased,
)
from gateway.text.expectation import After, Before, core, expectation, goes_before_number
from gateway.text.languages.rules import SentenceRules

# A longer row of marks and closing quotes is no punctuation; the sentence ends there.
_MAX_TAIL_CHARS = 32
# A word longer than this decides nothing; the sentence ends.
_MAX_WORD_CHARS = 40
_ROMAN = re.compile(r"[IVXLC]+")
# Around a mark that its space is missing after: "Ready.Next", but not "ASP.NET", "a.b.Com" or "x.com/?Q".
_ENDS_PLAIN = re.compile(r"[^\s./@:_]+[^\W_A-Z]")
_CAPITALISED = re.compile(r"[^\W\d_a-z](?:[^\W\d_A-Z]+\W*|['’]\w+\W*)?")


class Verdict(Enum):
    """What a boundary knows so far."""

    MORE = auto()
    CUT = auto()
    GO_ON = auto()


class Boundary:
    """Takes in the characters after a mark one by one until it knows; `end` is where the sentence would end."""

    __slots__ = ("_before", "_expects", "_in_gap", "_lacks_space", "_marks", "_next", "_rules", "_second", "end")

    def __init__(self, rules: SentenceRules, mark: str, end: int, before: Before) -> None:
        self._rules = rules
        self._before = before
        self._marks = mark
        self._expects = expectation(rules, before) if mark == "." else After.ANYTHING
        self._in_gap = False
        self._lacks_space = False
        self._next = ""
        self._second = ""
        self.end = end

    def see(self, char: str, at: int) -> Verdict:
        """Take in the next character, which stands at `at`."""
        if char in LINE_ENDS:
            return self._judge_word() if self._next else Verdict.CUT
        if self._next:
            return self._in_word(char)
        if not self._in_gap:
            return self._in_tail(char, at)
        return self._between(char, at)

    def settle(self, *, over: bool = False) -> Verdict:
        """The verdict when nothing more comes: for a while, or at all when the reply is `over`."""
        if self._next:
            whole_word = over or self._expects in (After.ANYTHING, After.NUMBER)
            return self._judge_word() if whole_word else Verdict.GO_ON
        if self._expects is After.NUMBER:
            return Verdict.CUT if self._before.first else Verdict.GO_ON  # "No." may be the whole answer
        sure = self._expects in (After.ANYTHING, After.CLOSING)
        return Verdict.CUT if sure and not self._trails_off else Verdict.GO_ON

    @property
    def _trails_off(self) -> bool:
        return "…" in self._marks or ".." in self._marks

    def _in_tail(self, char: str, at: int) -> Verdict:
        if char in STOPS or char in CLOSERS or is_emoji(char):
            if char in STOPS:
                self._marks += char
                self._expects = After.ANYTHING
            self.end = at + 1
            return Verdict.CUT if len(self._marks) > _MAX_TAIL_CHARS else Verdict.MORE
        if char.isspace():
            self._in_gap = True
            return Verdict.MORE
        cjk = is_cjk(self._before.word[-1:]) or (is_cjk(char) and char.isalpha())
        if self._marks[-1] in UNSPACED_STOPS or (self._marks[-1] in "?!" and cjk):
            return self._unspaced(char)
        return self._without_space(char)

    def _without_space(self, char: str) -> Verdict:
        if self._expects is not After.ANYTHING or not _ENDS_PLAIN.fullmatch(core(self._before.word)):
            return Verdict.GO_ON
        if char in "¿¡":
            return Verdict.CUT
        if not char.isupper():
            return Verdict.GO_ON
        self._lacks_space = True
        self._next = char
        return Verdict.MORE

    def _unspaced(self, char: str) -> Verdict:
        if (self._before.closes_quote or self._before.closes_bracket) and char not in OPENERS:
            return self._begin(char)
        return Verdict.GO_ON if char in ",;:、，；：" else Verdict.CUT

    def _between(self, char: str, at: int) -> Verdict:
        if char.isspace():
            return Verdict.MORE
        if is_emoji(char) or char in "»›":
            self.end = at + 1
            return Verdict.MORE
        if char in STOPS and self._marks[-1] not in UNSPACED_STOPS:
            self._marks += char
            self._expects = After.ANYTHING
            self.end = at + 1
            return Verdict.CUT if len(self._marks) > _MAX_TAIL_CHARS else Verdict.MORE
        if char in "¿¡" and self._expects is not After.ALWAYS_MORE and not self._trails_off:
            return Verdict.CUT
        if char in OPENERS or char in POINTS_AHEAD:
            return Verdict.MORE
        return self._begin(char)

    def _begin(self, char: str) -> Verdict:
        """The first character that counts of the next word: often enough to decide."""
        self._next = char
        if self._expects is After.ALWAYS_MORE:
            return Verdict.GO_ON
        if starts_uncased(char):
            return self._uncased_begins()
        if char.isalpha():
            if char.islower() and self._before.lower_style and self._expects is After.ANYTHING:
                return Verdict.CUT
            plain = self._expects is After.ANYTHING and not self._before.closes_quote
            return Verdict.CUT if char.isupper() and plain else Verdict.MORE
        if char.isdigit() or char in "$€£¥₹+@":
            goes_on = self._trails_off or self._expects is After.NUMBER or self._names_number
            return Verdict.GO_ON if goes_on else Verdict.CUT
        return Verdict.GO_ON

    @property
    def _names_number(self) -> bool:
        return self._expects is After.NAME and goes_before_number(self._rules, self._before)

    def _uncased_begins(self) -> Verdict:
        if self._trails_off:
            return Verdict.GO_ON
        if self._before.closes_quote or self._before.closes_bracket:
            return self._after_quote()
        return Verdict.CUT if self._expects is After.ANYTHING else Verdict.GO_ON

    def _after_quote(self) -> Verdict:
        """Without capitals, the words that usually continue a sentence decide."""
        begun = self._next
        rules = self._rules
        go_on = rules.introduced_goes_on if self._before.introduced else rules.quote_goes_on
        if any(begun.startswith(words) for words in go_on):
            return Verdict.GO_ON
        return Verdict.MORE if any(words.startswith(begun) for words in go_on) else Verdict.CUT

    def _in_word(self, char: str) -> Verdict:
        if starts_uncased(self._next[0]):
            self._next += char
            return self._after_quote()
        if not char.isspace():
            if self._second:
                self._second += char
            elif self._next.endswith(" "):
                self._second = char
            else:
                self._next += char
            return self._judge_word() if len(self._next) + len(self._second) > _MAX_WORD_CHARS else Verdict.MORE
        if self._second or not self._asks_second:
            return self._judge_word()
        if not self._next.endswith(" "):
            self._next += " "
        return Verdict.MORE

    @property
    def _asks_second(self) -> bool:
        return self._before.leads and self._before.closes_quote and bool(self._rules.speech_verbs)

    def _judge_word(self) -> Verdict:
        word = core(self._next)
        if self._lacks_space:
            return Verdict.CUT if _CAPITALISED.fullmatch(self._next) else Verdict.GO_ON
        if self._next[0].islower():
            # "iPhone" and "jo@example.com" begin sentences as they are.
            own_case = any(char.isupper() for char in word[:3]) or "@" in word
            return Verdict.CUT if own_case and self._expects is After.ANYTHING else Verdict.GO_ON
        if self._second and core(self._second).lower() in self._rules.speech_verbs:
            return Verdict.GO_ON
        known = word.lower()
        if self._expects is After.NAME:
            return Verdict.CUT if known in self._rules.starters else Verdict.GO_ON
        if self._expects is After.NUMBER and (
            len(word) == 1 and known not in self._rules.starters or _ROMAN.fullmatch(word)
        ):
            return Verdict.GO_ON
        if (
            self._expects in (After.CLOSING, After.NUMBER)
            and known in self._rules.followers | self._rules.before_number
        ):
            return Verdict.CUT if known in self._rules.starters else Verdict.GO_ON
        return Verdict.CUT
