"""A BedrockModel at an emulator, and the scripts that most tests of it use."""

from gateway.llm.base import Deadlines, Inference
from gateway.llm.bedrock import BedrockEndpoint, BedrockModel
from gateway.llm.converse import BedrockExtras
from tests.gateway.llm.asking import dummy_session
from tests.rig.bedrock import BedrockEmulator, Script

PATIENT = Deadlines(retry_pause_s=0.02)
HELLO = Script(("Hello ", "there."))
LONG = Script(tuple(f"word{n} " for n in range(300)), gap_s=0.02)


def bedrock(
    emulator: BedrockEmulator,
    *,
    inference: Inference | None = None,
    extras: BedrockExtras | None = None,
    deadlines: Deadlines | None = None,
    max_turns: int = 8,
) -> BedrockModel:
    endpoint = BedrockEndpoint("us-east-1", emulator.url, max_turns)
    return BedrockModel("vendor.model-v1:0", endpoint, inference, extras, deadlines or PATIENT, dummy_session())
