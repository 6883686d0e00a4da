"""The language of a call: which one the caller is answered in, and when that changes.

A bot that speaks several languages begins in its own and goes over to another when the caller clearly speaks it, and
back in the same way. A word that many languages share, or a name, changes nothing.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import structlog

from gateway.call.hearing.habits import habits_of
from gateway.call.prompts import Prompts
from gateway.call.script import Script
from gateway.stt.base import Final, Polyglot, Recogniser

log = structlog.get_logger(__name__)

# The recogniser must be as sure of the language; one that is wrong costs the caller a whole reply.
CHANGE_SHARE = 0.8
# So many different words that are no mere assent or greeting: "okay", "halo, ya" and a first and last name are fewer.
CHANGE_WORDS = 3
# Where words are not spaced, so many letters count as one.
_LETTERS_A_WORD = 2
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Tongue:
    """How the bot speaks one language."""

    script: Script
    prompts: Prompts


class Tongues:
    """Of one call, the bot's own first. `change` is told each one that the bot is to go on in."""

    def __init__(self, tongues: Sequence[Tongue], ears: Recogniser, change: Callable[[Tongue], None]) -> None:
        self._tongues = {tongue.script.language: tongue for tongue in tongues}
        self._ears = ears
        self._change = change
        self.language = tongues[0].script.language

    def heard(self, final: Final) -> None:
        """The caller said this: go over to its language where it is another one, and sure."""
        language = final.language
        if language == self.language or language not in self._tongues or final.language_share < CHANGE_SHARE:
            return
        if telling_words(final.text, self.language, language) < CHANGE_WORDS:
            return
        self.language = language
        log.info("language_changed", language=language, share=round(final.language_share, 2))
        if isinstance(self._ears, Polyglot):
            self._ears.expect(language)
        self._change(self._tongues[language])


def telling_words(text: str, *languages: str) -> int:
    """How many different words of a text tell its language: without the assent and the hello of these languages."""
    said = " ".join(_WORD.findall(_UNSPACED.sub(" ", text))).lower().replace("’", "'")
    for language in languages:
        said = _courtesies(language).sub(" ", said)
    return len(set(said.split())) + len(_UNSPACED.findall(text)) // _LETTERS_A_WORD


@cache
def _courtesies(language: str) -> re.Pattern[str]:
    """Assent and hello, as whole phrases: the "is it" of "that's it" is a question's, too."""
    habits = habits_of(language)
    phrases = sorted(habits.backchannels | habits.answers | habits.attention, key=len, reverse=True)
    return re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, phrases))})(?!\S)")
