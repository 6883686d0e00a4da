"""Which bot a call finds: the rules in their order, numbers in every notation, and nothing for a caller to forge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from gateway.bots.bot import Bot
from gateway.bots.routing import Dialled, Routing, plain, told_by
from gateway.call.script import Script, Timing
from gateway.errors import Refused
from gateway.platforms.base import IncomingCall, WebhookRequest

SCRIPT = Script("en", "Be brief.", "Hello.", "Sorry?", "Pardon?", "Goodbye.")
TIMING = Timing(500, 250, 100, 60.0, 30.0, 600.0)


def bot(
    name: str = "default",
    numbers: tuple[str, ...] = (),
    headers: dict[str, str] | None = None,
    selectable: bool = False,
) -> Bot:
    return Bot(SCRIPT, TIMING, "af_heart", 1.0, name, numbers=numbers, headers=headers or {}, selectable=selectable)


ROUTING = Routing(
    bot(),
    [
        bot("jakarta", ("+62 21 5550 100",)),
        bot("texas", ("+1 (415) 555-0100", "700")),
        bot("rome", ("+39 06 1234 5678",)),
        bot("billing", ("sip:billing@pbx.example.com",), {"X-Department": "billing"}),
        bot("sales", selectable=True),
    ],
)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("+62215550100", "jakarta"),
        ("62215550100", "jakarta"),
        ("0062215550100", "jakarta"),
        ("0215550100", "jakarta"),
        ("(021) 5550-100", "jakarta"),
        ("tel:+62-21-5550-100", "jakarta"),
        ("+62 21\u20115550\u2011100", "jakarta"),
        ("\u202a+62215550100\u202c", "jakarta"),
        ("sip:%2B62215550100@sip.example.com", "jakarta"),
        ("sip:+62215550100@sip.example.com;user=phone", "jakarta"),
        ("sips:0215550100;phone-context=+62@example.com:5061", "jakarta"),
        ('"Front desk" <sip:+62215550100@example.com>', "jakarta"),
        ("4155550100", "texas"),
        ("01114155550100", "texas"),
        ("700", "texas"),
        ("sip:700@10.0.0.1:5060", "texas"),
        ("+390612345678", "rome"),
        ("0612345678", "rome"),
        ("SIP:Billing@other.example.com", "billing"),
        ("billing", "billing"),
        ("1700", "default"),
        ("+62215550101", "default"),
        ("5550100", "default"),  # seven digits fit two of them
        ("anonymous", "default"),
        ("", "default"),
        ("+", "default"),
        ("<sip:>", "default"),
    ],
)
def test_a_number_is_known_in_every_notation(written: str, name: str) -> None:
    assert ROUTING.choose(Dialled(written)).name == name


def test_a_number_that_fits_two_bots_goes_to_the_default_and_is_logged_without_its_digits() -> None:
    with capture_logs() as logs:
        assert ROUTING.choose(Dialled("5550100")).name == "default"
    assert [entry["event"] for entry in logs] == ["number_is_ambiguous"]
    assert "5550100" not in str(logs)


@given(st.text(max_size=60))
def test_whatever_was_dialled_some_bot_answers(written: str) -> None:
    assert ROUTING.choose(Dialled(written)) in ROUTING.all
    assert plain(plain(written)) == plain(written)


def test_what_names_a_bot_first_decides() -> None:
    number, header, parameter = "+62215550100", {"x-department": "billing"}, {"bot": "sales"}
    assert ROUTING.choose(Dialled(number, parameter, header), "texas").name == "texas"
    assert ROUTING.choose(Dialled(number, parameter, header)).name == "sales"
    assert ROUTING.choose(Dialled(number, {}, header)).name == "billing"
    assert ROUTING.choose(Dialled(number)).name == "jakarta"
    assert ROUTING.choose(Dialled()).name == "default"


@pytest.mark.parametrize("name", ["jakarta", "default", "no-such-bot"])
def test_a_parameter_chooses_no_bot_that_is_not_selectable(name: str) -> None:
    with capture_logs() as logs:
        assert ROUTING.choose(Dialled("700", {"bot": name})).name == "texas"
    assert logs[0]["event"] == "bot_not_chosen"
    assert "no-such-bot" not in str(logs)


def test_a_header_chooses_only_the_bot_that_declares_it_with_its_value() -> None:
    assert ROUTING.choose(Dialled(headers={"x-department": "sales"})).name == "default"
    assert ROUTING.choose(Dialled(headers={"bot": "sales", "x-bot": "billing"})).name == "default"


def test_two_bots_cannot_answer_the_same_calls() -> None:
    with pytest.raises(ValueError, match="one and two both answer the number 0215550100"):
        Routing(bot(), [bot("one", ("+62215550100",)), bot("two", ("0215550100",))])
    with pytest.raises(ValueError, match="one and two both answer the header x-a"):
        Routing(bot(), [bot("one", headers={"X-A": "1"}), bot("two", headers={"x-a": "1"})])
    Routing(bot(), [bot("one", ("+62215550100", "0215550100")), bot("two", ("+65215550199",))])


def test_a_bot_is_had_by_its_name_or_refused_with_those_there_are() -> None:
    assert ROUTING.named("rome").name == "rome"
    with pytest.raises(Refused, match="default, jakarta") as caught:
        ROUTING.named("roma")
    assert (caught.value.http_status, caught.value.code) == (400, "unknown_bot")


def test_a_webhook_tells_the_dialled_number_the_query_and_the_headers() -> None:
    request = WebhookRequest("POST", "https://bot.test/twilio/voice?bot=sales", {}, (("bot", "forged"), ("a", "1")))
    call = IncomingCall("CA1", caller="+1", called="+2", headers={"x-a": "1"})
    told = told_by(request, call)
    assert (told.number, told.headers) == ("+2", {"x-a": "1"})
    assert told.parameters == {"bot": "sales", "a": "1"}


def test_a_call_that_we_placed_is_for_the_bot_of_the_number_it_was_placed_from() -> None:
    call = IncomingCall("CA1", caller="+62215550100", called="+14155550100", direction="outbound")
    assert ROUTING.choose(told_by(WebhookRequest("POST", "https://bot.test/", {}), call)).name == "jakarta"


def test_no_number_stands_in_a_repr() -> None:
    assert "555" not in repr(Dialled("+62215550100", {"a": "555"}, {"b": "555"}))
    assert "5550" not in repr(ROUTING.named("jakarta"))
