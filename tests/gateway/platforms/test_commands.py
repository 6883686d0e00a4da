"""Which platforms are answered by commands shows in what they can do."""

import aiohttp

from gateway.platforms.commands import Commanded, Commander
from gateway.platforms.control import TwilioControl
from gateway.platforms.telnyx import Telnyx
from gateway.platforms.telnyx_call_control import TelnyxCallControl
from gateway.platforms.telnyx_control import TelnyxControl
from gateway.platforms.twilio import Twilio


def test_only_a_platform_that_knows_when_it_rings_is_commanded() -> None:
    assert isinstance(TelnyxCallControl(""), Commanded)
    assert not isinstance(Telnyx(""), Commanded)
    assert not isinstance(Twilio(""), Commanded)


async def test_only_a_control_that_obeys_is_a_commander() -> None:
    async with aiohttp.ClientSession() as http:
        assert isinstance(TelnyxControl(http, "key"), Commander)
        assert not isinstance(TwilioControl(http, "AC1", "token"), Commander)
