"""What the SageMaker runtime's failures mean for a call: one TtsError each."""

import re

from aws_sdk_sagemaker_runtime_http2.models import InternalStreamFailure, ModelError, ModelStreamError
from smithy_core.exceptions import CallError

from gateway.errors import TtsError

# Wrong keys, rights, endpoint name or request: another try has the same answer.
_HOPELESS_STATUS = frozenset({400, 401, 403, 404})
# Errors the SDK has no class for leave their traces in its text alone, throttling (HTTP 400) among them.
_STATUS_IN_TEXT = re.compile(r"status: (\d{3})\b")
_NAME_IN_TEXT = re.compile(r"\bid: \S*?(\w+)(?:\s|$)")
_THROTTLED = re.compile(r"throttl|too ?many ?requests|rate ?exceeded", re.IGNORECASE)


def translate(error: Exception) -> TtsError:
    """Return the TtsError for whatever the SDK raised; `retryable` says whether another connection may do better."""
    if isinstance(error, TtsError):
        return error
    if isinstance(error, ModelStreamError | InternalStreamFailure):
        return TtsError("worker_lost", f"{type(error).__name__}: {_named(error)}", retryable=True)
    if isinstance(error, CallError):
        return _translate_answer(error)
    return TtsError("worker_unreachable", f"{type(error).__name__}: {error}", retryable=True)


def _translate_answer(error: CallError) -> TtsError:
    status, name = _status_of(error), _named(error)
    if error.is_throttling_error or _THROTTLED.search(name):
        return TtsError("busy", f"SageMaker throttles: {name}", retryable=True)
    if isinstance(error, ModelError):
        # The worker's answer at the upgrade: a wrong path or token stays wrong, 503 is a full or starting worker.
        status = error.original_status_code or 0
        name = f"the container answered {status}: {error.original_message}"
    if status in _HOPELESS_STATUS:
        return TtsError("worker_refused", f"HTTP {status}: {name}")
    return TtsError("worker_unreachable", f"HTTP {status or '?'}: {name}", retryable=True)


def _status_of(error: CallError) -> int:
    """The HTTP status, 0 when there was no answer."""
    if error.response_metadata.http_status_code:
        return int(error.response_metadata.http_status_code)
    found = _STATUS_IN_TEXT.search(error.message)
    return int(found[1]) if found else 0


def _named(error: CallError) -> str:
    """The error's own name and text, in one line."""
    found = _NAME_IN_TEXT.search(error.message)
    code = getattr(error, "error_code", None) or (found[1] if found else "")
    name = type(error).__name__ if type(error) is not CallError else ""
    return " ".join(part for part in (name, code, error.message) if part)
