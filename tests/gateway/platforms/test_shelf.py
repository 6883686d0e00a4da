"""A document can be fetched under its URL for a while, by nobody who does not know it."""

from gateway.platforms.base import Document
from gateway.platforms.shelf import LIFE_S, MAX_DOCUMENTS, Shelf

DOCUMENT = Document("text/xml", "<Response />")


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_document_is_found_by_its_url_more_than_once() -> None:
    shelf = Shelf("https://bot.example.test/plivo/document/", Clock())
    url = shelf.put(DOCUMENT)
    place, _, key = url.rpartition("/")
    assert place == "https://bot.example.test/plivo/document"
    assert len(key) == 48
    assert shelf.find(key) is shelf.find(key) is DOCUMENT
    assert shelf.find(key[:-1]) is None
    assert shelf.put(DOCUMENT) != url


def test_a_document_is_gone_when_its_time_is_over() -> None:
    clock = Clock()
    shelf = Shelf("https://bot.example.test", clock)
    first = shelf.put(DOCUMENT).rpartition("/")[2]
    clock.now_s += LIFE_S / 2
    second = shelf.put(DOCUMENT).rpartition("/")[2]
    clock.now_s += LIFE_S / 2
    assert shelf.find(first) is None
    assert shelf.find(second) is DOCUMENT


def test_the_oldest_gives_way_when_there_are_too_many() -> None:
    shelf = Shelf("https://bot.example.test", Clock())
    keys = [shelf.put(DOCUMENT).rpartition("/")[2] for _ in range(MAX_DOCUMENTS + 1)]
    assert shelf.find(keys[0]) is None
    assert shelf.find(keys[1]) is DOCUMENT
