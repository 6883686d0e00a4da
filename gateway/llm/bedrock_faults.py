"""What boto3 raises, as an LlmError. Four families: service errors, SDK errors, transport errors, corrupt frames."""

from collections.abc import Sequence

import urllib3.exceptions as urllib3_errors
from botocore import eventstream
from botocore import exceptions as boto

from gateway.errors import LlmError
from gateway.llm.base import Message
from gateway.llm.converse import code_of_exception
from gateway.llm.faults import fault, guarded_detail

_CREDENTIALS = (
    boto.NoCredentialsError,
    boto.PartialCredentialsError,
    boto.CredentialRetrievalError,
    boto.TokenRetrievalError,
    boto.SSOError,
    boto.RefreshWithMFAUnsupportedError,
    boto.MetadataRetrievalError,
)
_UNREACHABLE = (boto.ConnectTimeoutError, boto.EndpointConnectionError, boto.ProxyConnectionError, boto.SSLError)
# The first match counts. In the stream a dropped socket is urllib3's error, not the SDK's.
_CODES: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
    (_CREDENTIALS, "credentials"),
    ((boto.ParamValidationError,), "invalid_request"),
    ((boto.ReadTimeoutError, urllib3_errors.ReadTimeoutError), "stalled"),
    (_UNREACHABLE, "connect_failed"),
    ((boto.HTTPClientError, boto.ResponseStreamingError), "connection_lost"),
    ((urllib3_errors.HTTPError, OSError), "connection_lost"),
    ((eventstream.ParserError,), "corrupt_stream"),
    # What is left of the SDK's errors is about settings: region, profile, endpoint.
    ((boto.BotoCoreError,), "misconfigured"),
)


def translate(error: Exception, conversation: Sequence[Message]) -> LlmError:
    """The error to raise in place of `error`; an exception nobody foresaw is `internal`."""
    if isinstance(error, LlmError):
        return error
    if isinstance(error, boto.ClientError):
        return fault(service_code(error), guarded_detail(service_message(error), conversation))
    code = next((code for kinds, code in _CODES if isinstance(error, kinds)), "internal")
    return fault(code, guarded_detail(f"{type(error).__name__}: {error}", conversation))


def service_code(error: boto.ClientError) -> str:
    """The stable code: errors in the stream are named in lowerCamel and carry no useful status (F-59)."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    return code_of_exception(error.response.get("Error", {}).get("Code", ""), status)


def service_message(error: boto.ClientError) -> str:
    """What the service says went wrong."""
    return error.response.get("Error", {}).get("Message", "")
