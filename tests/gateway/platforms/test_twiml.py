"""Answer documents are XML that says exactly what was meant."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Refused
from gateway.platforms import twiml

URL = "wss://bot.example.test/twilio/stream"
XML_TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1, max_size=60
)


def test_connect_says_where_the_stream_goes_and_nothing_follows_it() -> None:
    document = twiml.connect(URL, {"token": "one"})
    assert document.content_type == "text/xml"
    assert document.body == (
        '<?xml version="1.0" encoding="UTF-8"?><Response><Connect>'
        f'<Stream url="{URL}"><Parameter name="token" value="one" /></Stream></Connect></Response>'
    )


def test_a_platforms_own_attributes_stand_beside_the_url() -> None:
    body = twiml.connect(URL, {}, {"codec": 'a"b'}).body
    stream = ElementTree.fromstring(body.encode()).find("Connect/Stream")
    assert stream is not None
    assert stream.attrib == {"url": URL, "codec": 'a"b'}


@given(st.dictionaries(XML_TEXT, XML_TEXT, max_size=5))
def test_parameters_come_back_as_they_went_in(parameters: dict[str, str]) -> None:
    body = twiml.connect(URL, parameters).body
    read = {p.get("name"): p.get("value") for p in ElementTree.fromstring(body.encode()).iter("Parameter")}
    assert read == parameters


def test_markup_in_a_parameter_stays_text() -> None:
    body = twiml.connect(URL, {"a": '"/><Hangup/>&\n\t<'}).body
    root = ElementTree.fromstring(body.encode())
    assert [element.tag for element in root.iter()] == ["Response", "Connect", "Stream", "Parameter"]
    assert root.find("Connect/Stream/Parameter[@name='a']").get("value") == '"/><Hangup/>&\n\t<'  # type: ignore[union-attr] # it is there, or the test fails


def test_a_parameter_of_499_characters_is_carried_and_one_of_500_refused() -> None:
    assert "x" * 495 in twiml.connect(URL, {"name": "x" * 495}).body
    with pytest.raises(Refused, match="500 characters together, the limit is 499") as refused:
        twiml.connect(URL, {"name": "x" * 496})
    assert (refused.value.code, refused.value.http_status) == ("bad_parameter", 400)


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\ud800", "\ufffe"])
def test_what_xml_cannot_write_is_refused(bad: str) -> None:
    with pytest.raises(Refused, match="control character"):
        twiml.connect(URL, {"name": bad})


def test_a_parameter_needs_a_name() -> None:
    with pytest.raises(Refused):
        twiml.connect(URL, {"": "value"})


def test_a_stream_url_with_a_query_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="query"):
        twiml.connect(URL + "?token=1", {})


@pytest.mark.parametrize(("reason", "written"), [("busy", "busy"), ("draining", "rejected"), ("", "rejected")])
def test_a_rejection_is_busy_or_not_in_service(reason: str, written: str) -> None:
    assert twiml.reject(reason).body.endswith(f'<Response><Reject reason="{written}" /></Response>')


def test_a_transfer_dials_a_number_or_a_sip_address() -> None:
    assert twiml.dial("+15550100009").body.endswith("<Response><Dial>+15550100009</Dial></Response>")
    assert twiml.dial("sip:desk@example.test?a=1&b=2").body.endswith(
        "<Response><Dial><Sip>sip:desk@example.test?a=1&amp;b=2</Sip></Dial></Response>"
    )


@pytest.mark.parametrize(
    "target", ["", "+", "5", "desk", "+1555x", "<Say>hi</Say>", "sip:a b", "sip:\x00", "tel:5550100"]
)
def test_a_transfer_to_anything_else_is_refused_without_repeating_it(target: str) -> None:
    with pytest.raises(Refused) as refused:
        twiml.dial(target)
    assert refused.value.code == "bad_target"
    assert len(target) < 4 or target not in str(refused.value)


def test_a_room_opens_with_the_agent_and_closes_with_either() -> None:
    agents = ElementTree.fromstring(twiml.room("r1", agent=True, announcement="Ada & Bob\x00 <call>").body)
    assert [verb.tag for verb in agents] == ["Say", "Dial"]
    assert agents[0].text == "Ada & Bob  <call>"
    callers = ElementTree.fromstring(twiml.room("r1", agent=False).body)
    for response, opens in ((agents, "true"), (callers, "false")):
        room = response.find("Dial/Conference")
        assert room is not None
        assert room.text == "r1"
        assert (room.get("startConferenceOnEnter"), room.get("endConferenceOnExit")) == (opens, "true")
