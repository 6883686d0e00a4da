"""What is shared is closed once, prosody included, where there is one."""

import pytest

from gateway.bench.scripted_voice import ScriptedVoices
from gateway.llm.scripted import ScriptedModel
from gateway.parts import Parts
from gateway.stt.energy import EnergyRecognisers
from tests.rig.prosody import ToldProsody


@pytest.mark.parametrize("prosody", [None, ToldProsody()])
async def test_engines_are_closed_with_and_without_prosody(prosody: ToldProsody | None) -> None:
    parts = Parts(EnergyRecognisers(["Hello."]), ScriptedModel(["Hello."]), ScriptedVoices(), {}, {}, prosody=prosody)
    await parts.close()
    assert prosody is None or prosody.closed
