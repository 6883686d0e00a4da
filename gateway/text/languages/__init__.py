"""What the text parts know about each language, as data: one file a language."""

from gateway.text.languages import en, es, fr, hi, id, it, ja, pt, zh
from gateway.text.languages.rules import SentenceRules
from gateway.text.languages.speech import SpeechRules

_SENTENCES: dict[str, SentenceRules] = {
    module.CODE: module.SENTENCES for module in (en, es, fr, hi, id, it, ja, pt, zh)
}
_SPEECH: dict[str, SpeechRules] = {module.CODE: module.SPEECH for module in (en, es, fr, hi, id, it, pt)}


def base_code(language: str) -> str:
    """The language of a tag: "pt-BR", "pt_br" and "pt" are all "pt"."""
    return language.replace("_", "-").split("-", 1)[0].lower()


def sentence_rules(language: str) -> SentenceRules:
    """Rules of a language tag; an unknown language gets the ones all Latin scripts share."""
    return _SENTENCES.get(base_code(language), SentenceRules())


def speech_rules(language: str) -> SpeechRules | None:
    """Speaking rules of a language tag; None for a language whose numbers the voice must read itself."""
    return _SPEECH.get(base_code(language))
