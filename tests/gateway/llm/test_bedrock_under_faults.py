"""The real boto3 client against every fault of the emulator."""

import pytest

from gateway.errors import LlmError
from gateway.llm.base import Completed, Deadlines
from tests.gateway.llm.asking import asked, refused, text_of
from tests.gateway.llm.bedrock_model import HELLO, bedrock
from tests.rig.bedrock import BedrockEmulator, Fault, Script

FAULTS = [
    (Fault("http", "ThrottlingException", status=429), "throttled", True),
    (Fault("http", "ServiceUnavailableException", status=503), "unavailable", True),
    (Fault("http", "AccessDeniedException", status=403), "access_denied", False),
    (Fault("http", "ResourceNotFoundException", status=404), "model_not_found", False),
    (Fault("http", "ModelTimeoutException", status=408), "model_timeout", True),
    (Fault("exception", "throttlingException"), "throttled", True),
    (Fault("exception", "modelStreamErrorException"), "server_error", True),
    (Fault("exception", "internalServerException"), "server_error", True),
    (Fault("exception", "validationException"), "invalid_request", False),
    (Fault("abort"), "connection_lost", True),
    (Fault("bad_crc"), "corrupt_stream", True),
    (Fault("no_stop"), "incomplete", True),
    (Fault("stall"), "stalled", True),
]


@pytest.mark.parametrize(("fault", "code", "retryable"), FAULTS, ids=[f"{f.kind} {f.name}" for f, _, _ in FAULTS])
async def test_f59_a_fault_before_any_text_is_retried_once_when_that_may_help(
    fault: Fault, code: str, retryable: bool
) -> None:
    broken = Script(("never",), fault=fault)
    async with BedrockEmulator([broken, broken]) as emulator:
        model = bedrock(emulator, deadlines=Deadlines(read_s=0.15, retry_pause_s=0.02))
        error = await refused(model)
        assert (error.code, error.retryable) == (code, retryable)
        assert len(emulator.seen) == (2 if retryable else 1)
        await model.close()


async def test_f59_a_throttle_in_the_stream_before_any_text_is_hidden_by_the_retry() -> None:
    throttled = Script(("never",), fault=Fault("exception", "throttlingException"))
    async with BedrockEmulator([throttled, HELLO]) as emulator:
        model = bedrock(emulator)
        events, error = await asked(model)
        assert error is None
        assert text_of(events) == "Hello there."
        await model.close()


IN_THE_STREAM = [f for f in FAULTS if f[0].kind != "http"]


@pytest.mark.parametrize(
    ("fault", "code"), [(f, c) for f, c, _ in IN_THE_STREAM], ids=[f"{f.kind} {f.name}" for f, _, _ in IN_THE_STREAM]
)
async def test_f59_a_fault_after_text_is_reported_and_never_retried(fault: Fault, code: str) -> None:
    late = Fault(fault.kind, fault.name, after=3)
    async with BedrockEmulator([Script(("One ", "two ", "three ", "four"), fault=late), HELLO]) as emulator:
        model = bedrock(emulator, deadlines=Deadlines(read_s=0.15, retry_pause_s=0.02))
        events, error = await asked(model)
        assert text_of(events) == "One two three "
        assert error is not None
        assert (error.code, error.retryable) == (code, False)
        assert len(emulator.seen) == 1
        await model.close()


@pytest.mark.parametrize("kind", ["no_metadata", "late_metadata"])
async def test_a_reply_without_metadata_still_completes_soon(kind: str) -> None:
    fault = Fault("no_metadata" if kind == "no_metadata" else "late_metadata", after=2)
    async with BedrockEmulator([Script(HELLO.text, fault=fault)]) as emulator:
        model = bedrock(emulator)
        events, error = await asked(model)
        assert error is None
        assert events[-1] == Completed("end_turn")
        await model.close()


async def test_a_server_that_is_not_there_is_said_within_the_deadline() -> None:
    async with BedrockEmulator([HELLO]) as emulator:
        pass  # its port is free again
    model = bedrock(emulator)
    assert (await refused(model)).code == "connect_failed"
    await model.close()


async def test_an_error_that_quotes_the_caller_is_withheld() -> None:
    quoting = Fault("http", "ValidationException", "cannot read: what time is it?", 400)
    async with BedrockEmulator([Script(fault=quoting)]) as emulator:
        model = bedrock(emulator)
        error = await refused(model)
        assert isinstance(error, LlmError)
        assert "time" not in str(error)
        await model.close()
