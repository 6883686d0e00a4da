"""What a sound over the bot's voice means, by the words recognised in it.

A recogniser hears three kinds of words there that are no turn: those of a listener ("mm-hm"), those of the bot itself,
come back through a loudspeaker (F-44), and those it invents for a cough.
"""

import re
from difflib import SequenceMatcher
from enum import Enum, auto

from gateway.call.hearing.habits import habits_of

_WORD = re.compile(r"[^\s.,;:?!¿¡…。？！।、，\"“”]+")
# Recognisers describe what is no speech: "[BLANK_AUDIO]", "(coughing)", "*sighs*", "♪".
_DESCRIBED = re.compile(r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|♪")
# What Whisper makes of a click or a breath.
_INVENTED = frozenset(("you", "the", "so", "thanks for watching", "thank you for watching", "thank you", "."))
# "Yeah, okay, right, yes" is agreement; with more words there is something in it.
_LONGEST_BACKCHANNEL_WORDS = 4
# Whoever interrupts in less says something that the recogniser is sure of.
_LONGEST_HUM_MS = 850
# Languages whose words are not spaced.
_UNSPACED = ("ja", "zh")
# A mis-heard echo still shares most of its letters with what was said.
_ECHO_SHARE = 0.7
# Shorter runs of equal letters are chance.
_ECHO_RUN_CHARS = 3
# Of more words only the last are compared, which takes milliseconds; those before were judged as they came.
_COMPARED_WORDS = 40
# Words of the bot besides as many as the echo has: it is late, and the account of what was heard is a word off.
_ECHO_MARGIN_WORDS = 6


class Meaning(Enum):
    NOTHING = auto()
    BACKCHANNEL = auto()
    ECHO = auto()
    WORDS = auto()


def meaning(words: str, languages: tuple[str, ...], sounding: str, *, waiting: bool = False) -> Meaning:
    """Judge words recognised while the bot speaks, or thinks (`waiting`).

    `languages` are those that the caller may speak: whoever is answered in one may well agree in another. `sounding`
    is what the bot has said aloud up to about now. One who waits and asks whether anybody is there has no
    new question (F-68).
    """
    said = [word.lower() for word in _WORD.findall(_DESCRIBED.sub(" ", words))]
    text = " ".join(said)
    if not any(char.isalnum() for char in text) or text in _INVENTED:
        return Meaning.NOTHING
    agrees = any(habits_of(language).backchannels.issuperset(said) for language in languages)
    if len(said) <= _LONGEST_BACKCHANNEL_WORDS and agrees:
        return Meaning.BACKCHANNEL
    if waiting and is_attention(text, languages):
        return Meaning.BACKCHANNEL
    return Meaning.ECHO if is_echo(text, sounding) else Meaning.WORDS


def is_hum(words: str, languages: tuple[str, ...], sound_ms: int, *, sure: bool) -> bool:
    """Whether words that the recogniser may not be sure of may be its reading of a hum.

    Not those by which people do interrupt ("wait", "hello?"), nor what answers in a word ("correct", "7").
    """
    if sure or sound_ms >= _LONGEST_HUM_MS or is_attention(words, languages):
        return False
    said = " ".join(_WORD.findall(words.lower()))
    answers = any(said in habits_of(language).answers for language in languages)
    interrupts = any(_has_interjection(said, language) for language in languages)
    return not (answers or interrupts or any(char.isdigit() for char in said))


def _has_interjection(words: str, language: str) -> bool:
    interjections = habits_of(language).interjections
    if language.startswith(_UNSPACED):
        return any(interjection in words for interjection in interjections)
    return not interjections.isdisjoint(_WORD.findall(words))


def is_attention(words: str, languages: tuple[str, ...]) -> bool:
    """Whether the words only ask whether anybody is there."""
    said = " ".join(word.lower() for word in _WORD.findall(words))
    return any(said in habits_of(language).attention for language in languages)


def is_echo(words: str, sounding: str) -> bool:
    """Whether the words are, nearly, some that the bot has just said."""
    latest = words.split()[-_COMPARED_WORDS:]
    heard = "".join(_WORD.findall(" ".join(latest).lower()))
    tail = "".join(_WORD.findall(sounding.lower())[-(len(latest) + _ECHO_MARGIN_WORDS) :])
    if not heard or not tail:
        return False
    blocks = SequenceMatcher(None, heard, tail, autojunk=False).get_matching_blocks()
    shared = sum(block.size for block in blocks if block.size >= min(_ECHO_RUN_CHARS, len(heard)))
    return shared >= _ECHO_SHARE * len(heard)
