"""How long a silence ends the caller's turn, from what has been said so far.

No fixed time is right: after a whole sentence people expect an answer within a breath, and after "my number is five
five five" or "I'd like to, um" they are not done, however long they think.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto

from gateway.call.hearing.habits import Habits, habits_of, words

_SENTENCE_ENDS = ".?!。？！।"
_GOES_ON = re.compile(r"(\.\.|…|[,;:\-–—、，])\s*$")
_QUESTION = re.compile(r"[^.!?]*\?\s*$")
_WORD = re.compile(r"[^\s.,;:?!…。？！।、，\"“”()]+")
# Digits as recognisers group them: "555-12", "0812 345", "4,1". The last group of a text, with what belongs to it.
_DIGIT_RUN = re.compile(r"\+?\d[\d\s\-.,()/]*$")
_SPELT = re.compile(r"\b[^\W\d_][\s.,\-]+[^\W\d_]\.?\s*$")
_ADDRESS = re.compile(r"\S@\S+\.\w{2,}[.?!]?$|\b(?:dot|punto|point|ponto|titik)\s+\w{2,}[.?!]?$", re.IGNORECASE)
_ADDRESS_BEGUN = re.compile(r"@|\b(?:at|arroba|arobase|chiocciola)\s+\w+[.?!]?$", re.IGNORECASE)
_LIKE = re.compile(r"\b(?:as in|like in|for|wie|comme|come|como)\s+\w+[.,]?$", re.IGNORECASE)
_MAIL = re.compile(r"e-?mail|surel|correo|courriel|メール|邮箱", re.IGNORECASE)
_DIGIT_WORDS = words(
    "zero oh one two three four five six seven eight nine nol kosong satu dua tiga empat lima enam tujuh delapan"
    " sembilan cero uno dos tres cuatro cinco seis siete ocho nueve zéro un deux trois quatre cinq sept huit neuf"
    " due tre quattro cinque sei sette otto nove um dois três quatro sete oito"
)
# Only the end of what was said tells; half a minute of speech is about as long, and searched within milliseconds.
_TELLING_CHARS = 500
# Fewer digits are a time, a price, a number of people; from here on they are being dictated.
_DICTATED_DIGITS = 3
# Phone numbers of most countries have at least so many; whoever has said them all is done, or says more at once.
_WHOLE_NUMBER_DIGITS = 10
# An open end waits so far from the unknown towards the unfinished: 900 ms, which most hesitations do not reach.
_OPEN_SHARE = 0.6


class Completeness(Enum):
    """What the words say about whether more will come."""

    COMPLETE = auto()
    UNKNOWN = auto()  # no words yet, or none that tell
    OPEN = auto()  # nothing dangles, and no mark says that it is the end: most often it is
    UNFINISHED = auto()


@dataclass(frozen=True, slots=True)
class Patience:
    """The silences that end a turn. A pause inside a sentence is often 600 ms, seldom over a second."""

    complete_ms: int = 350
    unknown_ms: int = 600
    unfinished_ms: int = 1100

    def silence_ms(self, completeness: Completeness, *, punctuates: bool = False, sounds_open: bool = False) -> int:
        """`punctuates`: the recogniser marks the end of a whole sentence, so that one without a mark has not ended.

        `sounds_open`: the voice is not that of one who is done, and words that look whole may be half a sentence.
        """
        match completeness:
            case Completeness.COMPLETE if not sounds_open:
                return self.complete_ms
            case Completeness.UNKNOWN:
                return self.unknown_ms
            case Completeness.OPEN if not punctuates:
                return round(self.unknown_ms + _OPEN_SHARE * (self.unfinished_ms - self.unknown_ms))
            case _:
                return self.unfinished_ms


def completeness(text: str, language: str, *, asked: str = "") -> Completeness:
    """Judge the caller's words so far.

    `asked` is what the bot said last: one who was asked for a number or a spelling is about to dictate.
    """
    habits = habits_of(language)
    text, asked = text[-_TELLING_CHARS:], asked[-_TELLING_CHARS:]
    said = [word.lower() for word in _WORD.findall(text)]
    if not said:  # letters one by one are often heard as none
        return Completeness.UNFINISHED if _is_asked_to_dictate(asked, habits) else Completeness.UNKNOWN
    dictating = bool(habits.dictation.intersection(_WORD.findall(f"{asked} {text}".lower())))
    if _is_unfinished(text.strip(), said, habits, dictating):
        return Completeness.UNFINISHED
    if _ADDRESS.search(text.strip()) or " ".join(said) in habits.answers:
        return Completeness.COMPLETE
    if text.rstrip(' "”»').endswith(tuple(_SENTENCE_ENDS)):
        digits = dictating and text.rstrip(". ")[-1:].isdigit()
        return Completeness.UNKNOWN if digits or _is_asked_to_dictate(asked, habits) else Completeness.COMPLETE
    return Completeness.OPEN


def _is_asked_to_dictate(asked: str, habits: Habits) -> bool:
    """Whether the bot's last sentence asks for it: recognisers make whole sentences of half an address."""
    question = _QUESTION.search(asked)
    return question is not None and bool(habits.dictation.intersection(_WORD.findall(question[0].lower())))


def _is_unfinished(text: str, said: list[str], habits: Habits, dictating: bool) -> bool:
    if _GOES_ON.search(text):
        return True
    if " ".join(said) in habits.answers:
        return False
    if text.endswith("?"):
        return said[-1] in habits.unasked
    if _dangles(said[-1], habits) or (said[-1] in habits.unmarked and not text.endswith(tuple(_SENTENCE_ENDS))):
        return True
    return _is_partial_number(text, said, dictating) or _is_partial_spelling(text, dictating)


def _dangles(last: str, habits: Habits) -> bool:
    if last in habits.dangling:
        return True
    # Where words are not spaced, the last "word" is the whole sentence.
    return not last.isascii() and any(len(w) > 1 and last.endswith(w) and not w.isascii() for w in habits.dangling)


def _is_partial_number(text: str, said: list[str], dictating: bool) -> bool:
    run = _DIGIT_RUN.search(text.rstrip(".,!"))
    digits = sum(char.isdigit() for char in run[0]) if run else 0
    if not digits:
        for word in reversed(said):
            if word not in _DIGIT_WORDS:
                break
            digits += 1
    grouped = run is None or any(char in " -" for char in run[0].strip())
    if digits >= _WHOLE_NUMBER_DIGITS:
        return False
    return digits > 0 and (dictating or (digits >= _DICTATED_DIGITS and grouped))


def _is_partial_spelling(text: str, dictating: bool) -> bool:
    if _ADDRESS.search(text):
        return False
    if _SPELT.search(text):
        return True
    if dictating and _LIKE.search(text):
        return True
    return bool(_ADDRESS_BEGUN.search(text)) and (dictating or "@" in text or bool(_MAIL.search(text)))
