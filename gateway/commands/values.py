"""Numbers as the command line takes them; what is out of range is the operator's mistake."""

import argparse


def count(text: str) -> int:
    """A whole number of at least 1."""
    if not (text.isascii() and text.isdecimal()) or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is no whole number of at least 1")
    return int(text)


def port(text: str) -> int:
    """A TCP port; 0 stands for any that is free."""
    if not (text.isascii() and text.isdecimal()) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is no TCP port (0 to 65535)")
    return int(text)
