"""Each failure of the SDK as one TtsError."""

import pytest

models = pytest.importorskip(
    "aws_sdk_sagemaker_runtime_http2.models", reason="the AWS SDK needs Python 3.12 and the extra `aws`"
)

from smithy_core.exceptions import CallError  # noqa: E402  # both belong to the extra
from smithy_core.response import ResponseMetadata  # noqa: E402

from gateway.errors import TtsError  # noqa: E402
from gateway.tts.sagemaker_faults import translate  # noqa: E402

UNKNOWN = "Unknown error for operation com.amazonaws.sagemakerruntimehttp2#Invoke - status: "
DENIED = "403 - id: com.amazonaws.sagemakerruntimehttp2#AccessDeniedException"
THROTTLED = "400 - id: com.amazonaws.sagemakerruntimehttp2#ThrottlingException"


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (models.ModelStreamError("closed with 1012"), "worker_lost", True),
        (models.InternalStreamFailure("sorry"), "worker_lost", True),
        (models.ModelError("m", original_status_code=503), "worker_unreachable", True),
        (models.ModelError("m", original_status_code=401), "worker_refused", False),
        (models.ModelError("m"), "worker_unreachable", True),
        (models.InternalServerError("m"), "worker_unreachable", True),
        (CallError(UNKNOWN + DENIED), "worker_refused", False),
        (CallError(UNKNOWN + "401"), "worker_refused", False),
        (CallError(UNKNOWN + THROTTLED), "busy", True),
        (CallError(UNKNOWN + "400 - reason: 400"), "worker_refused", False),
        (CallError("whatever", is_throttling_error=True), "busy", True),
        (CallError(UNKNOWN + "503"), "worker_unreachable", True),
        (CallError("nothing came back"), "worker_unreachable", True),
        (OSError("Failed to read from stream."), "worker_unreachable", True),
    ],
)  # fmt: skip
def test_an_error_says_whether_another_try_may_help(error: Exception, code: str, retryable: bool) -> None:
    fault = translate(error)
    assert (fault.code, fault.retryable) == (code, retryable)


def test_the_status_of_the_answer_counts_before_the_text() -> None:
    error = CallError("no status here")
    error.response_metadata = ResponseMetadata(http_status_code=403)
    assert not translate(error).retryable


def test_our_own_errors_pass() -> None:
    error = TtsError("no_credentials")
    assert translate(error) is error
