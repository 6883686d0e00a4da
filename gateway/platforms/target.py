"""Whom a call goes to, and whom it comes from: a phone number or a SIP address."""

import re

from gateway.errors import Refused

_NUMBER = re.compile(r"\+?[0-9]{2,20}")
_SIP = re.compile(r"sips?:[^\s<>\"\x00-\x20\x7f-\uffff]{1,255}")


def is_address(text: str) -> bool:
    """Whether it is one or the other."""
    return bool(_NUMBER.fullmatch(text) or _SIP.fullmatch(text))


def is_number(target: str) -> bool:
    """Whether the target is a phone number rather than a SIP address; Refused (400) when it is neither."""
    if _NUMBER.fullmatch(target):
        return True
    if _SIP.fullmatch(target):
        return False
    raise Refused("bad_target", "a transfer goes to a phone number or a sip: address", http_status=400)
