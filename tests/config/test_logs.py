"""Logs: JSON lines, the call bound once, personal fields redacted."""

import io
import json
import logging
from typing import Literal

import pytest
import structlog

from config import logs


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_json_with_the_call_that_was_bound_once() -> None:
    stream = io.StringIO()
    logs.set_up("info", "auto", words=False, stream=stream)
    structlog.contextvars.bind_contextvars(call="c1")
    structlog.get_logger().info("call_started", platform="twilio")
    (line,) = lines(stream)
    assert (line["event"], line["call"], line["platform"], line["level"]) == ("call_started", "c1", "twilio", "info")


def test_personal_fields_are_redacted_unless_allowed() -> None:
    for allowed, seen in ((False, logs.REDACTED), (True, "my number is 5")):
        structlog.reset_defaults()
        stream = io.StringIO()
        logs.set_up("info", "json", words=allowed, stream=stream)
        structlog.get_logger().info("turn", words="my number is 5")
        assert lines(stream)[0]["words"] == seen


def test_lines_below_the_level_are_dropped() -> None:
    stream = io.StringIO()
    logs.set_up("warning", "json", words=False, stream=stream)
    structlog.get_logger().info("quiet")
    assert stream.getvalue() == ""


def test_a_library_that_warns_is_heard_as_json_too() -> None:
    stream = io.StringIO()
    logs.set_up("info", "json", words=False, stream=stream)
    logging.getLogger("somelib").warning("odd thing")
    logging.getLogger("somelib").info("chatter")
    (line,) = lines(stream)
    assert line["event"] == "odd thing"


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_traceback_never_shows_what_variables_held(form: Literal["json", "console"]) -> None:
    stream = io.StringIO()
    logs.set_up("info", form, words=False, stream=stream)
    said = "my number is five"
    try:
        raise KeyError(len(said))
    except KeyError:
        logging.getLogger("somelib").exception("broken")
        structlog.get_logger().exception("broken_too")
    assert "KeyError" in stream.getvalue()
    assert said not in stream.getvalue().replace('said = "my number is five"', "")


def test_the_console_format_is_for_people() -> None:
    stream = io.StringIO()
    logs.set_up("info", "console", words=False, stream=stream)
    structlog.get_logger().info("hello_there")
    assert "hello_there" in stream.getvalue()
    assert not stream.getvalue().startswith("{")
