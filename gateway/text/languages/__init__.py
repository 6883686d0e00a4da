"""What the text parts know about each language, as data: one file a language."""

from gateway.text.languages import en, es, fr, hi, id, it, ja, pt, zh
from gateway.text.languages.rules import SentenceRules

_SENTENCES: dict[str, SentenceRules] = {
    module.CODE: module.SENTENCES for module in (en, es, fr, hi, id, it, ja, pt, zh)
}


def base_code(language: str) -> str:
    """The language of a tag: "pt-BR", "pt_br" and "pt" are all "pt"."""
    return language.replace("_", "-").split("-", 1)[0].lower()


def sentence_rules(language: str) -> SentenceRules:
    """Rules of a language tag; an unknown language gets the ones all Latin scripts share."""
    return _SENTENCES.get(base_code(language), SentenceRules())
