"""Several bots behind one gateway: each call finds its own, by webhook, by stream and when we place it."""

import asyncio
from dataclasses import dataclass, field

import pytest

from gateway.bots.bot import Bot
from gateway.call.script import Script, Timing
from gateway.errors import Refused
from gateway.legs.outbound import Wanted
from gateway.platforms.base import WebhookRequest
from gateway.platforms.control import OutboundCall
from tests.rig.call import GREETING, Rig, sound
from tests.rig.clock import run_leaping

TIMING = Timing(500, 250, 100, 60.0, 30.0, 600.0)


def bot(name: str, **rules: object) -> Bot:
    script = Script("en", f"You are {name}.", f"This is {name}.", "Sorry?", "Pardon?", "Goodbye.")
    return Bot(script, TIMING, "af_heart", 1.0, name, **rules)  # type: ignore[arg-type]  # a test's own words


def rig() -> Rig:
    return Rig(
        bots=[
            bot("sales", selectable=True, max_calls=1),
            bot("billing", numbers=("+15550100002",)),
            bot("vip", headers={"X-Tier": "vip"}),
        ]
    )


def webhook(call_id: str = "CA1", query: str = "", **fields: str) -> WebhookRequest:
    url = f"https://bot.example.com/twilio/voice{query}"
    return WebhookRequest("POST", url, {}, (("CallSid", call_id), *fields.items()))


def test_the_stream_s_parameter_chooses_the_bot_and_the_record_tells_it() -> None:
    async def main() -> None:
        house = rig()
        gateway = house.gateway()
        _, record = await house.call([sound(0.5)], gateway=gateway, parameters={"bot": "sales"})
        assert (record.bot, record.turns[0].heard_text) == ("sales", "This is sales.")
        assert record.as_json()["bot"] == "sales"
        _, record = await house.call([sound(0.5)], gateway=gateway, number=2, parameters={"bot": "billing"})
        assert (record.bot, record.turns[0].heard_text) == ("default", GREETING)
        assert b'voicebot_calls_total{bot="sales"' in gateway.telemetry.exposition()
        await gateway.stop(0.0)

    run_leaping(main())


@pytest.mark.parametrize(
    ("query", "fields", "name"),
    [
        ("", {"To": "sip:5550100002@sip.example.com"}, "billing"),
        ("", {"To": "+15550100002", "SipHeader_X-Tier": "vip"}, "vip"),
        ("?bot=sales", {"To": "+15550100002", "SipHeader_X-Tier": "vip"}, "sales"),
        ("?bot=vip", {"To": "+15550100009"}, "default"),
        ("", {"To": "+15550100009", "SipHeader_X-Tier": "VIP", "SipHeader_bot": "sales"}, "default"),
    ],
)
def test_the_webhook_chooses_the_bot_of_the_stream_that_follows(query: str, fields: dict[str, str], name: str) -> None:
    async def main() -> None:
        gateway = rig().gateway()
        document = gateway.answer(gateway.platform("twilio"), webhook("CA1", query, **fields), "wss://bot.test/stream")
        token = document.body.partition('name="token" value="')[2].partition('"')[0]
        assert gateway.calls.claim("twilio", "CA1", token).bot == name
        await gateway.stop(0.0)

    run_leaping(main())


def test_a_bot_at_its_cap_is_busy_while_others_are_not() -> None:
    async def main() -> None:
        house = rig()
        gateway = house.gateway()
        platform = gateway.platform("twilio")
        answers = [
            gateway.answer(platform, webhook(call_id, query), "wss://bot.test/stream").body
            for call_id, query in (("CA1", "?bot=sales"), ("CA2", "?bot=sales"), ("CA3", ""))
        ]
        assert ["<Reject" in answer for answer in answers] == [False, True, False]
        await gateway.stop(0.0)

    run_leaping(main())


@dataclass
class Dialler:
    calls: list[OutboundCall] = field(default_factory=list)

    async def hang_up(self, call_id: str) -> None:
        """The session ends its leg."""

    async def dial(self, call: OutboundCall) -> str:
        self.calls.append(call)
        return f"CA{len(self.calls)}"


def test_a_placed_call_has_any_bot_that_is_asked_for_or_that_of_its_number() -> None:
    async def main() -> None:
        house, dialler = rig(), Dialler()
        house.make_control = lambda: dialler  # type: ignore[assignment]  # all that is used
        gateway = house.gateway()
        platform = gateway.platform("twilio")
        for wanted, name in (
            (Wanted("+15550100009", "+15550100001", {"bot": "vip"}), "vip"),
            (Wanted("+15550100009", "+15550100002"), "billing"),
        ):
            call_id = await gateway.dial(platform, wanted, "https://bot.example.com")
            query = dialler.calls[-1].answer_url.partition("/voice")[2]
            told = webhook(call_id, query, From=wanted.caller, To=wanted.to, Direction="outbound-api")
            document = gateway.answer(platform, told, "wss://bot.test/stream")
            token = document.body.partition('name="token" value="')[2].partition('"')[0]
            assert gateway.calls.claim("twilio", call_id, token).bot == name
        with pytest.raises(Refused, match="default, sales, billing, vip") as caught:
            await gateway.dial(platform, Wanted("+1", "+2", {"bot": "nobody"}), "https://bot.example.com")
        assert caught.value.http_status == 400
        assert len(dialler.calls) == 2
        await gateway.stop(0.0)

    run_leaping(main())


def test_every_bot_s_sentences_are_prepared_at_the_start() -> None:
    async def main() -> None:
        house = rig()
        gateway = house.gateway()
        await gateway.start()
        await asyncio.sleep(10.0)
        assert [voice.spoken[0] for voice in house.voices.made] == [
            GREETING, "This is sales.", "This is billing.", "This is vip.",
        ]  # fmt: skip
        await gateway.stop(0.0)

    run_leaping(main())
