"""The visible text behind a model's markdown, with the place of every character in the source."""

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Blocks are recognised here, line by line: a reply comes in sentences, and a sentence alone is no document
# ("2026. A good year" is no list that starts at 2026, four spaces are no code). Inline marks need the library.
_INLINE = MarkdownIt("commonmark").enable("strikethrough")
_FENCE = re.compile(r"\s*(?:```|~~~).*")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}|\s*\|?(?:\s*:?-{2,}:?\s*\|?)+\s*")
_LEAD = re.compile(r"\s*(?:>(?!\s?\d)\s?)*\s*(?:#{1,6}\s+|[-*+•·‣◦–—]\s+(?:\[[ xX]\]\s+)?)?")
_NUMBERED = re.compile(r"\s*(\d{1,3})([.)])\s+(?=\S)")
# A code to be dialled, *123*1#: its stars emphasise nothing.
SERVICE_CODE = r"(?<![\w*#])\*\d+(?:\*\d+)*#(?![\w*#])"
_SERVICE_CODE = re.compile(SERVICE_CODE)
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TABLE_ROW = re.compile(r"\s*\|.*\|\s*")


@dataclass(frozen=True, slots=True)
class Visible:
    """The text to be read, and for each of its characters the index in the source."""

    text: str
    origins: tuple[int, ...]


def visible(source: str) -> Visible:
    """Strip markdown, HTML tags and layout; every line that was one ends in a pause."""
    chars: list[tuple[str, int]] = []
    start = 0
    for line in source.splitlines(keepends=True):
        chars += _line(line.rstrip("\r\n"), start)
        start += len(line)
        if start < len(source):
            chars.append(("\n", start - 1))
    return Visible("".join(char for char, _ in chars), tuple(at for _, at in chars))


def _line(line: str, start: int) -> list[tuple[str, int]]:
    if _FENCE.fullmatch(line) or _RULE.fullmatch(line):
        return []
    lead = _LEAD.match(line)
    skip = lead.end() if lead and lead.end() < len(line) else 0
    body = line[skip:]
    head: list[tuple[str, int]] = []
    numbered = _NUMBERED.match(body)
    if numbered:  # the number is said and a pause follows
        head = [(char, start + skip + numbered.start(1) + at) for at, char in enumerate(numbered[1])]
        head += [(",", start + skip + numbered.start(2)), (" ", start + skip + numbered.end(2))]
        skip += numbered.end()
        body = line[skip:]
    found = [(char, start + skip + at) for char, at in _visible(body)]
    if _TABLE_ROW.fullmatch(line):
        found = [("," if char == "|" else char, at) for char, at in found]
    return head + found


def _visible(body: str) -> list[tuple[str, int]]:
    chars: list[tuple[str, int]] = []
    at = 0
    for code in _SERVICE_CODE.finditer(body):
        chars += [(char, at + place) for char, place in _inline(body[at : code.start()])]
        chars += [(char, place) for place, char in enumerate(code[0], code.start())]
        at = code.end()
    return chars + [(char, at + place) for char, place in _inline(body[at:])]


def _inline(body: str) -> list[tuple[str, int]]:
    parsed = _INLINE.parseInline(body)
    children = parsed[0].children or [] if parsed else []
    walk = _Walk(body)
    for token in children:
        walk.token(token)
    return walk.chars


class _Walk:
    """Follows the parsed inline tokens through their source, to know where each character stands."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._at = 0
        self._autolink = False
        self.chars: list[tuple[str, int]] = []

    def token(self, token: Token) -> None:
        match token.type:
            case "text" | "text_special":
                self._text(token.content)
            case "code_inline":
                self._at = self._find(token.content)
                self._text(token.content)
                self._at = self._find(token.markup) + len(token.markup)
            case "html_inline":
                if _LINE_BREAK.fullmatch(token.content):
                    self.chars.append(("\n", self._at))
                self._at = self._find(token.content) + len(token.content)
            case "link_open":
                self._autolink = token.markup == "autolink"
                self._at += 1
            case "link_close":
                self._past_target()
            case "image":
                self._at += 2
                self._text(token.content)
                self._past_target()
            case "softbreak" | "hardbreak":
                self.chars.append((" ", self._at))
            case _:
                self._at += len(token.markup)

    def _find(self, content: str) -> int:
        return max(self._body.find(content, self._at), self._at)

    def _text(self, content: str) -> None:
        """Escapes and entities are shorter in the content than in the source."""
        for char in content:
            at = self._at
            if self._body[at : at + 1] == char:
                self._at += 1
            elif self._body[at : at + 1] == "\\":
                self._at += 2
            elif self._body[at : at + 1] == "&":
                self._at = self._find(";") + 1
            else:
                at = self._find(char)
                self._at = at + 1
            self.chars.append((char, min(at, len(self._body) - 1)))

    def _past_target(self) -> None:
        """Past "](address)" or ">": the address is not read."""
        self._at += 1
        if self._autolink or self._body[self._at : self._at + 1] != "(":
            self._autolink = False
            return
        depth = 0
        while self._at < len(self._body):
            char = self._body[self._at]
            depth += (char == "(") - (char == ")")
            self._at += 1
            if depth == 0:
                return
