import pytest
import urllib3.exceptions as urllib3_errors
from botocore import eventstream
from botocore import exceptions as boto
from botocore.exceptions import ClientError

from gateway.llm.base import Message
from gateway.llm.bedrock_faults import service_code, service_message, translate
from gateway.llm.faults import fault


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (boto.NoCredentialsError(), "credentials"),
        (boto.NoRegionError(), "misconfigured"),
        (boto.InvalidEndpointConfigurationError(msg="https"), "misconfigured"),
        (boto.ParamValidationError(report="x"), "invalid_request"),
        (boto.ReadTimeoutError(endpoint_url="x"), "stalled"),
        (boto.ConnectTimeoutError(endpoint_url="x"), "connect_failed"),
        (boto.EndpointConnectionError(endpoint_url="x"), "connect_failed"),
        (boto.ConnectionClosedError(endpoint_url="x"), "connection_lost"),
        (urllib3_errors.ProtocolError("x"), "connection_lost"),
        (urllib3_errors.ReadTimeoutError(None, "", "x"), "stalled"),  # type: ignore[arg-type]  # no pool is at hand
        (ConnectionResetError(), "connection_lost"),
        (eventstream.ChecksumMismatch(1, 2), "corrupt_stream"),
        (eventstream.InvalidHeadersLength(1), "corrupt_stream"),
        (ZeroDivisionError(), "internal"),
    ],
)
def test_each_family_of_exceptions_has_its_code(error: Exception, code: str) -> None:
    assert translate(error, ()).code == code


def test_an_error_of_ours_stays_itself() -> None:
    error = fault("incomplete")
    assert translate(error, ()) is error


def test_the_text_of_an_exception_is_guarded() -> None:
    error = boto.ParamValidationError(report="value: my secret number")
    assert "secret" not in str(translate(error, [Message("user", "My secret number")]))


def test_a_service_error_without_details_is_still_one() -> None:
    error = ClientError({}, "ConverseStream")
    assert service_code(error) == "invalid_request"
    assert service_message(error) == ""
