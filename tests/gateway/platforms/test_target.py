"""Numbers and SIP addresses are told apart, and from everything else."""

import pytest

from gateway.errors import Refused
from gateway.platforms.target import is_address, is_number


@pytest.mark.parametrize(
    ("target", "number"),
    [("+15550100009", True), ("15550100009", True), ("112", True), ("sip:a@b.example", False), ("sips:a@b", False)],
)
def test_a_target_is_a_number_or_a_sip_address(target: str, number: bool) -> None:
    assert is_number(target) is number
    assert is_address(target)


@pytest.mark.parametrize(
    "target",
    [
        "",
        "1",
        "+",
        "1" * 21,
        "tel:1",
        "sip:",
        "sip:a b",
        "sip:a\n",
        "sip:\u00e9",
        'sip:"',
        "+1555x",
        "sip:" + "a" * 256,
    ],
)
def test_anything_else_is_refused(target: str) -> None:
    with pytest.raises(Refused) as refused:
        is_number(target)
    assert not is_address(target)
    assert (refused.value.code, refused.value.http_status) == ("bad_target", 400)
