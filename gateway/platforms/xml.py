"""What the answer documents in XML have in common: what may stand in them, and how they are written."""

import re
from xml.etree import ElementTree

from gateway.platforms.base import Document

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def spoken(text: str) -> str:
    """A text to be said, with a space for each character that XML cannot hold."""
    return NOT_XML.sub(" ", text)


def document(response: ElementTree.Element, content_type: str = "text/xml") -> Document:
    """The document with its declaration."""
    body = ElementTree.tostring(response, encoding="unicode")
    return Document(content_type, f'<?xml version="1.0" encoding="UTF-8"?>{body}')
