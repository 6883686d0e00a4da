from pathlib import Path

import pytest

from config.errors import ConfigError
from gateway.plan.inputs import ScaleOut, read_inputs


def test_a_file_is_read_and_flags_win(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text('[calls]\nper_hour = 1200\nduration_s = 240\n[endpoint]\nname = "bot"\n')

    assert read_inputs(file, {}).calls.at_once == 80
    given = read_inputs(file, {"calls": {"peak": 30.0}, "promises": {"sessions": 8}})
    assert (given.calls.at_once, given.promises.sessions, given.endpoint.name) == (30, 8, "bot")


def test_a_turn_is_as_long_as_its_speech_and_the_bots_share_make_it() -> None:
    calls = read_inputs(
        None, {"calls": {"peak": 1, "talk_share": 0.25, "sentences_per_turn": 2, "sentence_s": 3}}
    ).calls
    assert (calls.turn_audio_s, calls.turn_s) == (6, 24)


def test_the_published_scale_out_takes_320_seconds_to_plan_with() -> None:
    assert round(ScaleOut().total_s) == 320


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[calls]\n", "calls: say how many"),
        ("[calls]\npeak = 1\nper_hour = 2\n", "calls: say how many"),
        ("[calls]\npeak = -1\n", r"calls.peak: .*greater than 0 \(given: -1\)"),
        ("[calls]\npeak = inf\n", "calls.peak"),
        ("[calls]\npeak = 1e15\n", "calls.peak: .*less than or equal to 1000000000"),
        ("[calls]\nper_hour = 1e308\n", "calls.per_hour"),
        ("[calls]\nper_hour = 1\nduration_s = 1e300\n", "calls.duration_s"),
        ("[calls]\npeak = 1\n[scale_out]\ninstance_s = 1e300\n", "scale_out.instance_s"),
        ("[calls]\npeak = 1\ntalk_share = 1.0\n", "calls.talk_share"),
        ("[calls]\npeak = 1\nspeed = 2\n", "calls.speed"),
        ('[calls]\npeak = 1\n[endpoint]\nname = "-x"\n', "endpoint.name"),
        ("calls = 3\n", "calls"),
        ("[calls\n", "is no TOML"),
    ],
)
def test_a_wrong_file_is_told_in_a_sentence(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(content)
    with pytest.raises(ConfigError, match=told) as caught:
        read_inputs(file, {})
    assert "\n" not in str(caught.value)


def test_a_table_that_is_none_and_a_missing_file_are_told(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text("calls = 3\n")
    with pytest.raises(ConfigError, match=r"write \[calls\] above its keys"):
        read_inputs(file, {"calls": {"peak": 1}})
    with pytest.raises(ConfigError, match="cannot be read"):
        read_inputs(tmp_path / "none.toml", {})
