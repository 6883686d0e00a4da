"""The error tree: stable codes, the stage, and what people and policies need."""

import pytest

from gateway.errors import LlmError, PeerFault, Refused, StageError, SttError, TtsError, VoicebotError


@pytest.mark.parametrize(
    ("kind", "stage"),
    [(PeerFault, "platform"), (Refused, "admission"), (SttError, "stt"), (LlmError, "llm"), (TtsError, "tts")],
)
def test_each_says_stage_code_and_detail(kind: type[VoicebotError], stage: str) -> None:
    error = kind("a_code", "and why")
    assert (error.code, error.detail, error.retryable) == ("a_code", "and why", False)
    assert str(error) == f"{stage}: a_code: and why"
    assert str(kind("a_code")) == f"{stage}: a_code"


def test_a_refusal_knows_its_http_status() -> None:
    assert Refused("no").http_status == 403
    assert (Refused("full", http_status=503, retryable=True).http_status, Refused("x", retryable=True).retryable) == (
        503,
        True,
    )


def test_stages_share_a_parent_that_peers_and_refusals_do_not() -> None:
    assert all(issubclass(kind, StageError) for kind in (SttError, LlmError, TtsError))
    assert not any(issubclass(kind, StageError) for kind in (PeerFault, Refused))
