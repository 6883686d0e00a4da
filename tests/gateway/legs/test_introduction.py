"""What a start message leaves out."""

from gateway.events import CallStarted
from gateway.legs.introduction import by_query, by_webhook
from gateway.platforms.base import IncomingCall
from media.formats import ULAW_8K


def started(**values: str) -> CallStarted:
    return CallStarted("channel-1", "s1", ULAW_8K, ULAW_8K, values)


def test_the_query_tells_the_call_and_its_token_where_the_start_message_cannot() -> None:
    told = by_query(started(), {"call": "17.1", "token": "t"})
    assert (told.call_id, told.stream_id, told.custom) == ("17.1", "s1", {"call": "17.1", "token": "t"})


def test_what_the_start_message_says_itself_counts_more() -> None:
    told = by_query(started(call="17.2", token="fresh"), {"call": "17.1", "token": "stale", "x": "1"})
    assert (told.call_id, told.custom) == ("17.2", {"call": "17.2", "token": "fresh", "x": "1"})


def test_a_query_without_a_call_leaves_the_id_as_it_is() -> None:
    assert by_query(started(), {"x": "1"}).call_id == "channel-1"


def test_the_webhook_tells_id_and_numbers_and_our_parameters_are_not_the_streams_to_change() -> None:
    call = IncomingCall("CA1", "AC1", "+15550100001", "+15550100002")
    told = by_webhook(started(bot="theirs", color="red"), call, {"bot": "ours"})
    assert (told.call_id, told.caller, told.called) == ("CA1", "+15550100001", "+15550100002")
    assert told.custom == {"bot": "ours", "color": "red"}
    stream = CallStarted("c", "s", ULAW_8K, ULAW_8K, caller="100", called="200")
    assert (by_webhook(stream, call, {}).caller, by_webhook(stream, call, {}).called) == ("100", "200")
