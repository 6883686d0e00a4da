"""The form of a language's sentence rules. All words are lower case and without their final full stop."""

from dataclasses import dataclass


def words(*lists: str) -> frozenset[str]:
    """The words of white-space separated lists."""
    return frozenset(word for text in lists for word in text.split())


def listed(*lists: str) -> tuple[str, ...]:
    """The words of white-space separated lists, in order."""
    return tuple(word for text in lists for word in text.split())


# Abbreviations that a model writes in any language with Latin letters.
COMMON_TITLES = words("mr mrs ms dr prof st vs")
COMMON_CLOSING = words("etc jr sr inc ltd corp co u.s u.k u.s.a u.n a.m p.m ph.d")


@dataclass(frozen=True, slots=True)
class SentenceRules:
    """What a full stop after a word means, and what may begin a sentence.

    titles         something always follows ("Mr."), so the stop never ends the sentence
    capital_titles  titles that are plain words in small letters ("Rep. Hall", but "a sales rep.")
    before_number  the stop does not end the sentence before a number or a single letter ("No. 5", "Jan. 5")
    closing        ends the sentence before a capital ("a.m.", "Inc.", "etc."), except before `followers`
    dual           a title before a name, but the end of a name after one ("St. Mark", "Harbour St.")
    labels         a single letter after one of these is no initial ("Plan B.")
    starters       capitalised words that begin sentences and are no names: they decide after initials
    followers      capitalised words that go on after a `closing` abbreviation ("U.S. Embassy", "9 a.m. Eastern")
    speech_verbs   second word after a quotation that goes on ("... ?" Tom asked)
    quote_goes_on  scripts without case: beginnings that continue the sentence after a closed quotation
    introduced_goes_on  the same after a quotation that a colon introduced
    """

    titles: frozenset[str] = COMMON_TITLES
    capital_titles: frozenset[str] = frozenset()
    before_number: frozenset[str] = frozenset()
    closing: frozenset[str] = COMMON_CLOSING
    dual: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    followers: frozenset[str] = frozenset()
    speech_verbs: frozenset[str] = frozenset()
    quote_goes_on: tuple[str, ...] = ()
    introduced_goes_on: tuple[str, ...] = ()
