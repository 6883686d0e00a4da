"""What both Asterisk platforms share: the dial plan asks us with CURL(), a form in, one word out."""

from gateway.errors import Refused
from gateway.platforms.base import Document, IncomingCall, WebhookRequest
from gateway.platforms.basic import carries_basic
from gateway.platforms.webhook import sip_headers, webhook_fields, word


class DialPlan:
    """Base of the Asterisk platforms; `user` and `password` are what the dial plan has in CURLOPT(userpwd)."""

    def __init__(self, user: str = "", password: str = "") -> None:
        self._user = user
        self._password = password

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the request has our credentials."""
        return carries_basic(request, self._user, self._password)

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read CallId, From and To, by POST or GET; Refused (400) without a CallId."""
        fields = webhook_fields(request)
        call_id = word(fields, "CallId")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no CallId: send CallId=${UNIQUEID}", http_status=400)
        direction = "outbound" if word(fields, "Direction") == "outbound" else "inbound"
        caller, called = word(fields, "From"), word(fields, "To")
        return IncomingCall(call_id, "", caller, called, direction, sip_headers(fields))

    def reject(self, reason: str) -> Document:
        """Say "busy" where the token would be; the dial plan branches on it."""
        return answer_word(reason)

    def ended(self, request: WebhookRequest) -> str:
        """Blank: Asterisk says the end on the stream."""
        return ""


def answer_word(text: str) -> Document:
    """One word without a line's end: what CURL() returns goes into a dial plan variable as it is."""
    return Document("text/plain", text)
