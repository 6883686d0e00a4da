"""Plivo's documents say exactly what was meant, and parameters come back as they went in."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Refused
from gateway.platforms import plivo_xml

URL = "wss://bot.example.test/plivo/stream"
NAMES = st.from_regex(r"[A-Za-z0-9_]{1,12}", fullmatch=True).filter(lambda name: not name.endswith("_hex"))


def test_a_stream_runs_alone_both_ways_and_nothing_follows_it() -> None:
    document = plivo_xml.stream(URL, "audio/x-mulaw;rate=8000", "token=one")
    assert document.content_type == "text/xml"
    assert document.body == (
        '<?xml version="1.0" encoding="UTF-8"?><Response><Stream bidirectional="true" keepCallAlive="true" '
        f'audioTrack="inbound" contentType="audio/x-mulaw;rate=8000" extraHeaders="token=one">{URL}</Stream></Response>'
    )
    assert "token" not in repr(document)


@given(st.dictionaries(NAMES, st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=5))
@pytest.mark.parametrize("separator", [",", ";"])
def test_parameters_come_back_as_they_went_in(separator: str, parameters: dict[str, str]) -> None:
    written = plivo_xml.packed(parameters, separator)
    assert all(c.isascii() and (c.isalnum() or c in f"_={separator}") for c in written)
    assert plivo_xml.unpacked(written) == parameters


def test_plain_values_stay_plain_and_others_travel_in_hex() -> None:
    assert plivo_xml.packed({"token": "a1", "bot": "sales-desk"}, ",") == "token=a1,bot_hex=73616c65732d6465736b"


@pytest.mark.parametrize("name", ["", "a b", "a=b", "a,b", "ä", "x_hex"])
def test_a_name_that_cannot_be_carried_is_refused(name: str) -> None:
    with pytest.raises(Refused) as refused:
        plivo_xml.packed({name: "1"}, ",")
    assert (refused.value.code, refused.value.http_status) == ("bad_parameter", 400)


def test_512_bytes_are_carried_and_one_more_is_refused() -> None:
    assert len(plivo_xml.packed({"a": "x" * 510}, ",")) == 512
    with pytest.raises(Refused, match="the limit is 512"):
        plivo_xml.packed({"a": "x" * 511}, ",")


@pytest.mark.parametrize("written", ["", ";;", "nonsense", " , "])
def test_what_is_no_pair_is_passed_over(written: str) -> None:
    assert plivo_xml.unpacked(written) == {}


@pytest.mark.parametrize("value", ["zz", "f", "ff", "c3"])
def test_hex_that_is_not_ours_stays_as_it_came(value: str) -> None:
    assert plivo_xml.read_pair("n_hex", value) == ("n_hex", value)


@pytest.mark.parametrize(("reason", "written"), [("busy", "busy"), ("draining", "rejected")])
def test_a_rejection_is_busy_or_not(reason: str, written: str) -> None:
    assert plivo_xml.reject(reason).body.endswith(f'<Response><Hangup reason="{written}" /></Response>')


def test_a_transfer_dials_a_number_or_a_sip_address() -> None:
    assert plivo_xml.dial("+15550100009").body.endswith("<Dial><Number>+15550100009</Number></Dial></Response>")
    root = ElementTree.fromstring(plivo_xml.dial("sip:desk@example.test?a=1&b=2").body.encode())
    assert root.findtext("Dial/User") == "sip:desk@example.test?a=1&b=2"
    with pytest.raises(Refused):
        plivo_xml.dial("<Speak>hi</Speak>")


def test_a_room_opens_with_the_agent_and_closes_with_either() -> None:
    agents = ElementTree.fromstring(plivo_xml.room("r1", agent=True, announcement="Ada & Bob\x00").body)
    assert [(verb.tag, verb.text) for verb in agents] == [("Speak", "Ada & Bob "), ("Conference", "r1")]
    assert agents[1].attrib == {"startConferenceOnEnter": "true", "endConferenceOnExit": "true"}
    callers = ElementTree.fromstring(plivo_xml.room("r1", agent=False).body)
    assert [(verb.tag, verb.get("startConferenceOnEnter")) for verb in callers] == [("Conference", "false")]
