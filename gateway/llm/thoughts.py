"""Some models think aloud inside the text, between tags: none of it may be spoken.

Seen from Nova (`<thinking>`, when it has tools) and from open models behind servers that do not split it off
(`<think>`).
"""

_TAGS = {"<think>": "</think>", "<thinking>": "</thinking>"}


class ThoughtFilter:
    """Takes the text of a reply in any pieces and returns what is to be spoken, without leading space."""

    def __init__(self) -> None:
        self._held = ""
        self._until: str | None = None
        self._begun = False

    def feed(self, text: str) -> str:
        """Return what can be spoken so far, often nothing; the beginning of a possible tag is held back."""
        self._held += text
        ready: list[str] = []
        while self._step(ready):
            pass
        return self._lead("".join(ready))

    def flush(self) -> str:
        """Return the rest; a thought that never ended is dropped."""
        rest = "" if self._until else self._held
        self._held, self._until = "", None
        return self._lead(rest)

    def _step(self, ready: list[str]) -> bool:
        """Move past the next tag; False when more text is needed."""
        if self._until is not None:
            _, found, after = self._held.partition(self._until)
            self._held = after if found else self._held[-(len(self._until) - 1) :]
            if found:
                self._until = None
            return bool(found)
        opening = self._held.find("<")
        if opening < 0:
            ready.append(self._held)
            self._held = ""
            return False
        ready.append(self._held[:opening])
        self._held = self._held[opening:]
        return self._at_bracket(ready)

    def _at_bracket(self, ready: list[str]) -> bool:
        for tag, end in _TAGS.items():
            if self._held.startswith(tag):
                self._held, self._until = self._held[len(tag) :], end
                return True
        if any(tag.startswith(self._held) for tag in _TAGS):
            return False
        ready.append("<")
        self._held = self._held[1:]
        return True

    def _lead(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text
