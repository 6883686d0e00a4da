"""Numbers of the command line, in range and out of it."""

import argparse

import pytest

from gateway.commands.values import count, port


@pytest.mark.parametrize(("text", "number"), [("1", 1), ("40", 40)])
def test_counts_begin_at_one(text: str, number: int) -> None:
    assert count(text) == number


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "", "x", "²", "٣"])
def test_what_is_no_count_is_named(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="at least 1"):
        count(text)


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("8080", 8080), ("65535", 65535)])
def test_ports_are_sixteen_bits(text: str, number: int) -> None:
    assert port(text) == number


@pytest.mark.parametrize("text", ["65536", "-1", "http", "", "٣"])
def test_what_is_no_port_is_named(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="TCP port"):
        port(text)
