"""Documents for platforms that fetch them by URL, instead of taking them in the request that moves a call."""

import secrets
from collections.abc import Callable

from gateway.platforms.base import Document

# A platform fetches within a second or two, and once more when the first answer was lost.
LIFE_S = 60.0
# A transfer a call at most; one beyond this makes the oldest give way.
MAX_DOCUMENTS = 1000
_KEY_BYTES = 24

# Keeps a document where the platform can fetch it, and returns its URL.
Publish = Callable[[Document], str]


class Shelf:
    """Documents by an unguessable key. `url` is what stands before the key; `now` is monotonic seconds."""

    def __init__(self, url: str, now: Callable[[], float]) -> None:
        self._url = url.rstrip("/")
        self._now = now
        self._documents: dict[str, tuple[float, Document]] = {}  # in order of their age

    def put(self, document: Document) -> str:
        """Keep the document for LIFE_S and return its URL; this is a Publish."""
        self._expire()
        if len(self._documents) >= MAX_DOCUMENTS:
            del self._documents[next(iter(self._documents))]
        key = secrets.token_hex(_KEY_BYTES)
        self._documents[key] = (self._now() + LIFE_S, document)
        return f"{self._url}/{key}"

    def find(self, key: str) -> Document | None:
        """Return the document, as often as it is asked for; None when it is unknown or too old."""
        self._expire()
        kept = self._documents.get(key)
        return kept[1] if kept else None

    def _expire(self) -> None:
        while self._documents and next(iter(self._documents.values()))[0] <= self._now():
            del self._documents[next(iter(self._documents))]
