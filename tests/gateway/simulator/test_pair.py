"""Both ends of Twilio's wire, joined through memory: each must have understood the other."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.events import (
    CallEnded,
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Digit,
    Event,
    MarkReached,
    PeerError,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import WebhookRequest
from gateway.platforms.twilio import Twilio, TwilioCodec
from gateway.simulator import twilio as wire
from gateway.simulator.dialect import BotAudio, BotClear, BotMark
from gateway.simulator.twilio import TwilioDialect, TwilioIds
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw, ulaw_to_pcm

IDS = TwilioIds.numbered("pair")
PARAMETER = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1)


def joined(parameters: dict[str, str] | None = None) -> tuple[TwilioCodec, TwilioDialect, list[Event]]:
    codec, dialect = TwilioCodec(), TwilioDialect(IDS, parameters or {})
    return codec, dialect, [event for message in dialect.opening() for event in codec.receive(message)]


def test_the_start_is_understood() -> None:
    _, _, events = joined({"token": "one"})
    assert events == [CallStarted(IDS.call, IDS.stream, ULAW_8K, ULAW_8K, {"token": "one"})]


@given(
    st.lists(
        st.one_of(
            st.binary(min_size=1, max_size=400).map(CallerAudio),
            st.sampled_from("0123456789*#").map(Digit),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).map(MarkReached),
        )
    )
)
def test_all_the_platform_says_is_understood(said: list[CallerAudio | Digit | MarkReached]) -> None:
    codec, dialect, _ = joined()
    heard: list[Event] = []
    for event in said:
        match event:
            case CallerAudio(payload):
                messages = dialect.audio(ulaw_to_pcm(payload))
            case Digit(digit):
                messages = dialect.digit(digit)
            case MarkReached(name):
                messages = dialect.mark(name)
        heard += [event for message in messages for event in codec.receive(message)]
    # µ-law has two zeros, 0x7F and 0xFF; through PCM both are 0xFF.
    normal = [CallerAudio(pcm_to_ulaw(ulaw_to_pcm(e.payload))) if isinstance(e, CallerAudio) else e for e in said]
    assert heard == normal
    assert [event for message in dialect.stop() for event in codec.receive(message)] == [CallEnded("stop")]


@given(
    st.lists(
        st.one_of(
            st.binary(min_size=1, max_size=400).map(SendAudio),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).map(SendMark),
            st.just(ClearOutput()),
        )
    )
)
def test_all_the_bot_commands_is_understood(commands: list[Command]) -> None:
    codec, dialect, _ = joined()
    for command in commands:
        (message,) = codec.encode(command)
        match command:
            case SendAudio(payload):
                assert dialect.receive(message) == BotAudio(ulaw_to_pcm(payload))
            case SendMark(name):
                assert dialect.receive(message) == BotMark(name)
            case _:
                assert dialect.receive(message) == BotClear()


@settings(max_examples=50)
@given(PARAMETER, st.dictionaries(PARAMETER.filter(lambda name: name != "token"), PARAMETER, max_size=4))
def test_token_and_parameters_travel_from_the_answer_to_the_start(token: str, parameters: dict[str, str]) -> None:
    platform = Twilio("secret")
    document = platform.answer("wss://bot.example.test/twilio/stream", token, parameters)
    order = wire.read_answer(document.body)
    _, _, events = joined(dict(order.parameters))
    (started,) = events
    assert isinstance(started, CallStarted)
    assert started.custom == {**parameters, "token": token}


def test_the_platforms_signatures_are_accepted_for_its_url_only() -> None:
    platform = Twilio("secret")
    form = wire.voice_form(IDS, "+15550100001", "+15550100002")
    url = "https://bot.example.test/twilio/voice"
    headers = {name.lower(): value for name, value in wire.sign("secret", url, form).items()}
    request = WebhookRequest("POST", url, headers, tuple(form.items()))
    assert platform.verify(request)
    assert platform.incoming(request).call_id == IDS.call
    stream_url = "wss://bot.example.test/twilio/stream"
    headers = {name.lower(): value for name, value in wire.sign("secret", stream_url).items()}
    assert platform.verify(WebhookRequest("GET", stream_url, headers))
    assert not platform.verify(WebhookRequest("GET", stream_url.replace("wss", "https"), headers))


def test_nothing_said_by_one_side_is_an_error_to_the_other() -> None:
    codec, dialect, events = joined()
    for message in [*dialect.audio(bytes(320)), *dialect.digit("#"), *dialect.mark("m"), *dialect.stop()]:
        events += codec.receive(message)
    assert not [event for event in events if isinstance(event, PeerError)]
