"""Quotations, brackets and tags that are open at a place in the text: inside them no mark ends a sentence."""

from gateway.text.characters import OPENERS, is_cjk

# Deeper nesting than this is not prose; what is opened beyond it is not remembered.
_MAX_DEPTH = 8
_PAIRS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "“": "”",
    "‘": "’",
    "«": "»",
    "‹": "›",
    "„": "“",
    "（": "）",
    "【": "】",
    "「": "」",
    "『": "』",
    "《": "》",
    "〈": "〉",
    "〔": "〕",
    "［": "］",
    "｛": "｝",
}
_CLOSING = frozenset(_PAIRS.values()) | {">"}
# A leading apostrophe that stands for left-out letters opens no quotation.
_ELISIONS = frozenset({"tis", "twas", "em", "til", "cause", "bout", "n", "cuz", "round"})


class Enclosures:
    """Follows the characters one by one; looks at the character, its neighbours before, and nothing behind it."""

    __slots__ = ("_awaited", "_reopens", "_single_at")

    def __init__(self) -> None:
        self._awaited: list[str] = []
        self._reopens = ""  # an apostrophe that closed a quotation, until the next character proves it did not
        self._single_at = -1  # where the last single straight quote stood that may have opened a quotation

    @property
    def depth(self) -> int:
        return len(self._awaited)

    @property
    def in_tag(self) -> bool:
        return ">" in self._awaited

    def clear(self) -> None:
        """Forget everything open."""
        self._awaited.clear()
        self._reopens = ""
        self._single_at = -1

    def see(self, text: str, start: int, at: int) -> bool:
        """Take in text[at]; `start` is where the piece begins. True when it closed the outermost enclosure."""
        char = text[at]
        before = text[at - 1] if at > start else " "
        if self._reopens:
            if char.isalpha():
                self._awaited.append(self._reopens)
            self._reopens = ""
        if char.isalnum() or char == "/":
            self._open_late(char, before, at)
        elif char.isspace():
            self._forget_elision(text, at)
        elif char in "\"`'":
            return self._straight(char, before, at)
        elif char in _CLOSING and char in self._awaited:
            return self._close(char, before)
        elif char in _PAIRS and not (char == "(" and before in ":;"):  # a sad face opens no bracket
            self._open(_PAIRS[char])
        return False

    def _open(self, closing: str) -> None:
        if len(self._awaited) < _MAX_DEPTH:
            self._awaited.append(closing)

    def _open_late(self, char: str, before: str, at: int) -> None:
        """A tag or a single quote is known by the character after it."""
        if before == "<" and not char.isdigit():
            self._open(">")
        elif before == "'" and self._single_at == at - 1 and char.isalpha():
            self._open("'")

    def _forget_elision(self, text: str, at: int) -> None:
        if self._single_at >= 0 and self._awaited[-1:] == ["'"] and text[self._single_at + 1 : at].lower() in _ELISIONS:
            self._awaited.pop()
        self._single_at = -1

    def _straight(self, char: str, before: str, at: int) -> bool:
        if char in self._awaited and not (char == "'" and before.isspace()):
            return self._close(char, before)
        if before.isspace() or before in OPENERS or (is_cjk(before) and char == '"') or char == "`":
            if char == "'":
                self._single_at = at
            else:
                self._open(char)
        return False

    def _close(self, closing: str, before: str) -> bool:
        while self._awaited.pop() != closing:
            pass  # what was opened inside and never closed ends with it
        if closing in "'’" and before.isalpha():
            self._reopens = closing
        return not self._awaited
