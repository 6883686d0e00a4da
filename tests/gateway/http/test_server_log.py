"""What the HTTP server says of itself, and not of strangers' words."""

import logging

import pytest
from aiohttp.http_exceptions import BadStatusLine

from gateway.http.server_log import server_log


def test_a_stranger_s_nonsense_is_a_short_warning_however_often_the_log_was_made(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert server_log() is server_log()
    try:
        raise BadStatusLine("GET /calls?to=+15550100001")
    except BadStatusLine as error:
        server_log().error("Error handling request from %s", "203.0.113.9", exc_info=error)
    assert caplog.record_tuples == [("gateway.http.server", logging.WARNING, "unreadable_request: BadStatusLine")]
    assert "15550100001" not in caplog.text


def test_a_fault_of_ours_keeps_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise RuntimeError("ours")
    except RuntimeError as error:
        server_log().error("Error handling request", exc_info=error)
    assert caplog.record_tuples == [("gateway.http.server", logging.ERROR, "Error handling request")]
    assert "RuntimeError: ours" in caplog.text
