"""Documents in XML, whatever is written into them."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.xml import document, spoken


@given(st.text(st.characters(exclude_characters="\r")))
def test_any_text_can_be_said(text: str) -> None:
    response = ElementTree.Element("Response")
    response.text = spoken(text)
    written = document(response)
    read = ElementTree.fromstring(written.body.encode("utf-8"))
    assert (read.text or "") == response.text
    assert len(response.text) == len(text)
    assert written.content_type == "text/xml"


def test_half_a_surrogate_pair_and_controls_become_spaces() -> None:
    assert spoken("a\x00b\ud800c\ufffe") == "a b c "
