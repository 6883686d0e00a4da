"""An OpenAiCompatibleModel at an emulator, and the scripts that most tests of it use."""

from gateway.llm.base import Deadlines, Inference
from gateway.llm.openai_compatible import ChatServer, OpenAiCompatibleModel
from tests.rig.openai import ChatEmulator, ChatScript, chunk, said

PATIENT = Deadlines(retry_pause_s=0.02)
HELLO = ChatScript(said("Hello ", "there."))
LONG = ChatScript([chunk({"content": f"word{n} "}) for n in range(300)], gap_s=0.02)


def chat(
    emulator: ChatEmulator,
    *,
    inference: Inference | None = None,
    deadlines: Deadlines | None = None,
    max_turns: int = 8,
) -> OpenAiCompatibleModel:
    return OpenAiCompatibleModel(
        ChatServer(emulator.url, "tiny", "k-123", max_turns=max_turns), inference, deadlines or PATIENT
    )
