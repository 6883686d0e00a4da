"""The demo's own parts; the demo itself is held by the tests with real models."""

from pathlib import Path

import pytest

from config.errors import ConfigError
from config.sources import load
from gateway.commands.demo import DEMOS, bundled_callers
from gateway.commands.stack import offline_stack
from gateway.simulator.caller import load_turns


@pytest.mark.parametrize("profile", sorted(DEMOS))
def test_the_bundled_callers_can_be_played_in_order(profile: str) -> None:
    with bundled_callers(profile) as recordings:
        turns = load_turns(recordings, 8000)
        assert [turn.name for turn in turns] == [path.name for path in recordings]
    assert len(turns) >= 3
    assert all(turn.speech_end_s > turn.speech_start_s for turn in turns)


def test_the_indonesian_script_has_a_reply_for_each_of_its_callers() -> None:
    settings = load("indonesia", environ={})
    assert settings.llm.provider == "scripted"
    assert settings.bot.language == "id"
    assert len(settings.llm.scripted.replies) == len(DEMOS["indonesia"].callers)


async def test_a_stack_whose_model_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the model process ended"):
        await offline_stack(tmp_path / "missing.gguf", 0, tmp_path).__aenter__()
