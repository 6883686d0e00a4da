"""The contract's records: what they keep out of logs."""

from gateway.platforms.base import Capabilities, Document, IncomingCall, WebhookRequest


def test_numbers_tokens_and_bodies_stay_out_of_reprs() -> None:
    request = WebhookRequest("POST", "https://h.test/v", {"a": "s3cret"}, (("From", "s3cret"),), b"s3cret")
    records = (request, IncomingCall("CA1", caller="s3cret", called="s3cret"), Document("text/xml", "s3cret"))
    assert all("s3cret" not in repr(record) for record in records)


def test_a_platform_that_says_nothing_of_itself_is_like_twilio() -> None:
    can = Capabilities()
    assert (can.frame_ms, can.marks, can.marks_returned_on_clear, can.clear) == (20, True, True, True)
    assert not can.hang_up_on_stream
