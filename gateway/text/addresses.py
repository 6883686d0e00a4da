"""E-mail and web addresses and file names: read part by part."""

import re

from gateway.text.languages.speech import SpeechRules
from gateway.text.numerals import short_number
from gateway.text.passage import Passage, Rule

_TLDS = "com|org|net|io|co|id|uk|de|fr|es|it|br|in|gov|edu|info|app|dev|ai|me|tv|us|ca|au|eu|biz|shop|store|online"
_EMAIL = re.compile(r"[A-Za-z0-9][\w.+-]*@[A-Za-z0-9][\w-]*(?:\.[A-Za-z0-9][\w-]*)+")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"'，。]*[^\s<>\"'.,;:!?)\]}*_，。]", re.IGNORECASE)
_DOMAIN = re.compile(
    rf"(?<![\w@.])[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:{_TLDS})(?![\w-])(?:/[^\s<>\"']*[^\s<>\"'.,;:!?)\]])?"
)
_FILE = re.compile(r"(?<![\w.])[A-Za-z][\w-]+(?:\.[a-z][a-z0-9]{1,4})+(?!\w)")
_PARTS = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
# A longer part without vowels is left to the voice.
_MAX_SPELLED_CHARS = 4
_VOWELS = re.compile(r"[aeiouyáéíóúàèìòùâêîôûãõ]")
_READ_PARTS = frozenset(
    {"com", "org", "net", "info", "gov", "co", "app", "me", "biz", "my", "go", "ac", "or", "no", "is"}
)


def rules(speech: SpeechRules) -> list[Rule]:
    """The surest first: an e-mail address contains a domain, a domain looks like a file name."""
    addresses = _Addresses(speech)
    return [
        Rule(_EMAIL, addresses.email),
        Rule(_URL, addresses.web),
        Rule(_DOMAIN, addresses.web),
        Rule(_FILE, addresses.file),
    ]


class _Addresses:
    """Says addresses in one language."""

    def __init__(self, speech: SpeechRules) -> None:
        self._speech = speech
        names = {".": "dot", "@": "at", "-": "dash", "_": "underscore", "/": "slash", "+": "plus", "?": "question"}
        names |= {"=": "equals", "&": "and", "#": "hash", "%": "percent", ":": "colon"}
        self._names = {mark: speech.signs[name] for mark, name in names.items()}

    def email(self, match: re.Match[str], _: Passage) -> str:
        return self._address(match[0])

    def web(self, match: re.Match[str], _: Passage) -> str:
        return self._address(re.sub(r"^https?://", "", match[0], flags=re.IGNORECASE).rstrip("/"))

    def file(self, match: re.Match[str], passage: Passage) -> str | None:
        known = match[0].lower()
        abbreviated = known in self._speech.abbreviations or f"{known}." in self._speech.abbreviations
        return None if abbreviated else self.web(match, passage)

    def _address(self, text: str) -> str:
        host = re.split(r"[/?]", text.lower().rpartition("@")[2], maxsplit=1)[0]
        ending = host.rpartition(".")[2]
        said = [self._part(part, ending) for part in _PARTS.findall(text.lower())]
        return " ".join(word for word in said if word)

    def _part(self, part: str, ending: str) -> str:
        """A number, a sign, a word, or letters where it cannot be read as one, as few countries' endings can."""
        if part.isdecimal():
            return short_number(self._speech, part)
        if not part.isalpha():
            return self._names.get(part, "")
        country = part == ending and len(part) == 2
        if part in _READ_PARTS or (country and part == self._speech.code and part in ("es", "it")):
            return part
        if not country and len(part) > 1 and _VOWELS.search(part):
            return part
        return " ".join(part.upper()) if len(part) <= _MAX_SPELLED_CHARS else part
