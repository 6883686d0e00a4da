"""The stable codes of an LlmError, and how HTTP statuses and servers' texts become one.

| code | meaning | may the same request succeed |
|---|---|---|
| throttled | the provider's rate limit | yes |
| unavailable, server_error | the provider is down or failed | yes |
| model_timeout | the provider gave up waiting for its model | yes |
| first_token_timeout, reply_timeout | our own deadlines | yes, no |
| stalled | the reply began and then no byte came for the read timeout | yes |
| connect_failed, connection_lost, corrupt_stream, incomplete | the transport or the stream broke | yes |
| malformed_output | the provider says that its model wrote nonsense | yes |
| tool_arguments_invalid, tool_arguments_too_long | a tool call that must not be run | yes, no |
| empty_reply | a whole reply without a word that can be spoken, and without a tool | no |
| busy | every concurrent turn is taken, cancelled ones that still drain included | yes |
| invalid_request, access_denied, model_not_found, credentials, misconfigured, closed | it would fail again | no |
| internal | a bug of ours | no |

Once a word of the reply was delivered `retryable` is False whatever the code: nobody hears a sentence twice (F-59).
"""

import re
from collections.abc import Iterator, Sequence

from gateway.errors import LlmError
from gateway.llm.base import Message

RETRYABLE = frozenset(
    {
        "busy",
        "connect_failed",
        "connection_lost",
        "corrupt_stream",
        "first_token_timeout",
        "incomplete",
        "malformed_output",
        "model_timeout",
        "server_error",
        "stalled",
        "throttled",
        "tool_arguments_invalid",
        "unavailable",
    }
)
_BY_STATUS = {
    400: "invalid_request",
    401: "access_denied",
    403: "access_denied",
    404: "model_not_found",
    408: "model_timeout",
    413: "invalid_request",
    422: "invalid_request",
    424: "server_error",
    429: "throttled",
    503: "unavailable",
    504: "model_timeout",
    529: "unavailable",
}
# Enough to recognise the cause; a server may send a page of HTML.
MAX_DETAIL_CHARS = 300
# Letters and digits compared; shorter texts ("yes", "no") occur in any sentence and give nobody away. Servers cut what
# they quote, at both ends: so many in a row are no chance, and neither is a number.
_QUOTE_MIN_CHARS = 6
_QUOTE_CHARS = 14
_NUMBER = re.compile(r"\d{4,}")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|[nrtbf\"/])")


class FieldRefused(LlmError):
    """The model does not take an optional field (F-70); the same request may be made at once without it."""

    def __init__(self, field: str) -> None:
        super().__init__("invalid_request", f"the model refuses {field}", retryable=True)


def fault(code: str, detail: str = "", *, delivered: bool = False) -> LlmError:
    """The error for a stable code; `delivered`: some of the reply has already been handed on."""
    return LlmError(code, detail, retryable=code in RETRYABLE and not delivered)


def code_of_status(status: int) -> str:
    """The stable code for an HTTP status that is not a success."""
    return _BY_STATUS.get(status, "server_error" if status >= 500 else "invalid_request")


def guarded_detail(text: str, conversation: Sequence[Message]) -> str:
    """A server's message cut to a bound, or a note in its place when it quotes what was said: details are logged."""
    detail = text[:MAX_DETAIL_CHARS]
    seen = _bare(detail)
    said = [bare for m in conversation for words in _words_of(m) if len(bare := _bare(words)) >= _QUOTE_MIN_CHARS]
    runs = {seen[at : at + _QUOTE_CHARS] for at in range(len(seen) - _QUOTE_CHARS + 1)} | set(_NUMBER.findall(seen))
    if any(words in seen or any(run in words for run in runs) for words in said):
        return "(withheld: the server's message quotes the conversation)"
    return detail


def _words_of(message: Message) -> Iterator[str]:
    yield message.text
    yield from (result.text for result in message.tool_results)
    yield from (str(value) for call in message.tool_calls for value in call.arguments.values())


def _bare(text: str) -> str:
    """Letters and digits alone, out of JSON's escapes."""
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else " ", text)
    return "".join(c for c in plain.casefold() if c.isalnum())
