"""Requests of the application as a REST API reads them."""

import pytest

from gateway.simulator.carrier.base import RestRequest, matched
from gateway.simulator.failure import CallFailed


def test_a_request_has_its_path_and_its_fields() -> None:
    form = RestRequest("POST", "https://api.example.test/calls/1?x=2", body=b"To=%2B1555&Url=")
    assert (form.path, form.form) == ("/calls/1", {"To": "+1555", "Url": ""})
    assert RestRequest("POST", "https://api.example.test", body=b'{"a": 1}').fields == {"a": 1}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"a=1"])
def test_a_body_without_a_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(CallFailed, match="bad_request"):
        _ = RestRequest("POST", "https://api.example.test/calls", body=body).fields


def test_the_calls_id_stands_in_the_path() -> None:
    pattern = "/calls(?:/([^/]+))?"
    assert matched(pattern, RestRequest("GET", "https://api.example.test/calls/v3%3A1")) == "v3:1"
    assert matched(pattern, RestRequest("GET", "https://api.example.test/calls")) == ""
    with pytest.raises(CallFailed, match="bad_request"):
        matched(pattern, RestRequest("GET", "https://api.example.test/rooms"))
