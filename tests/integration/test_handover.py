"""A warm transfer over real sockets: operator, Twilio's REST API and its signed webhooks, a caller on the stream."""

import asyncio
from xml.etree import ElementTree

import pytest
from aiohttp import ClientSession
from yarl import URL

from gateway.platforms.control import TwilioControl
from gateway.simulator.run import Target, place_call
from gateway.simulator.script import Manners
from gateway.simulator.twilio import sign
from tests.conformance.served import ADMIN_TOKEN, SECRETS, serving
from tests.rig.call import sound
from tests.rig.twilio_rest import TwilioRest
from tests.rig.waiting import until

OPERATOR = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
WANTED = {"to": "+15550100009", "warm": True, "announce": "Ada asks about an invoice."}
# The caller listens to the bot for as long as the test takes, and leaves then.
PATIENT = Manners(quiet_s=0.4, greeting_s=4.0, reply_s=4.0)


async def tell(http: ClientSession, target: Target, url: str, form: dict[str, str]) -> tuple[int, str]:
    """A signed webhook of Twilio."""
    headers = sign(SECRETS["twilio"], url, form)
    async with http.post(URL(target.reachable(url), encoded=True), data=form, headers=headers) as response:
        return response.status, await response.text()


@pytest.mark.parametrize("answers", [True, False])
async def test_an_agent_is_called_and_then_the_caller_moved_or_not(answers: bool) -> None:
    rest = TwilioRest()
    async with rest.serving(), ClientSession() as http:
        control = TwilioControl(http, rest.account_sid, rest.auth_token, base_url=rest.base_url)
        async with serving({"twilio": control}) as (gateway, target):
            secured = Target(target.url, SECRETS["twilio"], target.public_url, ADMIN_TOKEN)
            held = asyncio.create_task(place_call([sound(0.4)], secured, "twilio", manners=PATIENT))
            await until(lambda: gateway.calls.count == 1)
            (record,) = gateway.calls.records()
            rest.add_call(record.call_id)
            url = f"{target.url}/calls/{record.call_id}/transfer"
            asked = asyncio.create_task(http.post(url, json=WANTED, headers=OPERATOR).__aenter__())
            await until(lambda: bool(rest.requests))
            ((_, order),) = rest.requests
            assert (order["To"], order["From"]) == ("+15550100009", "+15550100002")
            agent = {"CallSid": "CA2", "From": "+15550100002", "To": "+15550100009"}
            assert not asked.done()
            if answers:
                status, document = await tell(http, target, order["Url"], {**agent, "CallStatus": "in-progress"})
                assert status == 200
                assert ElementTree.fromstring(document)[0].text == WANTED["announce"]
            else:
                status, _ = await tell(http, target, order["StatusCallback"], {**agent, "CallStatus": "no-answer"})
                assert status == 204
            response = await asyncio.wait_for(asked, 5.0)
            assert response.status == (202 if answers else 409)
            moved = rest.calls[record.call_id].get("twiml", "")
            assert ("<Conference" in moved) is answers
            assert gateway.calls.count == 1  # until Twilio ends the stream
            await held
