"""Settings: every way of saying a value, and one clear sentence for every way of saying it wrong."""

from pathlib import Path

import pytest

from config.errors import ConfigError
from config.settings import Settings
from config.sources import load, load_worker


def offline(*overrides: str, environ: dict[str, str] | None = None, file: Path | None = None) -> Settings:
    return load("offline", file, overrides, environ or {})


def test_the_offline_profile_starts_with_no_further_setting() -> None:
    settings = offline()
    assert settings.security.insecure_dev
    assert settings.server.host == "127.0.0.1"


def test_the_loadtest_profile_starts_with_no_further_setting() -> None:
    assert load("loadtest", environ={}).worker.engine == "tone"


def test_later_sources_win_over_earlier_ones(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[server]\nport = 1111\nmax_calls = 7\n[bot]\nvoice = "am_adam"\n')
    settings = offline(
        "server.port=3333", environ={"VOICEBOT_SERVER__PORT": "2222", "VOICEBOT_BOT__SPEED": "1.5"}, file=file
    )
    assert (settings.server.port, settings.server.max_calls) == (3333, 7)
    assert (settings.bot.voice, settings.bot.speed) == ("am_adam", 1.5)


def test_a_secret_of_digits_only_stays_a_text() -> None:
    settings = offline("security.admin_token=007", environ={"VOICEBOT_TWILIO__AUTH_TOKEN": "12345678"})
    assert settings.twilio.auth_token == "12345678"
    assert settings.security.admin_token == "007"


def test_lists_and_tables_can_be_set_as_toml() -> None:
    settings = offline('stt.canned_words=["a", "b"]', "llm.bedrock.additional_fields={top_k = 5}")
    assert settings.stt.canned_words == ("a", "b")
    assert settings.llm.bedrock.additional_fields == {"top_k": 5}


def test_a_later_open_table_replaces_the_earlier_one() -> None:
    assert offline("llm.openai.extra={top_k = 5}").llm.openai.extra == {"top_k": 5}


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("server.prot=1", "there is no setting server.prot; did you mean server.port?"),
        ("sever.port=1", "there is no setting sever; did you mean server?"),
        ("server=1", "server is a section"),
        ("server.port", "expected section.key=value"),
        ("server.port=abc", "server.port: "),
        ("server.port=70000", "server.port: "),
        ("bot.language=xx", "bot.language: "),
        ("tts.url=http://x", "tts.url: "),
        ("server.public_url=bot.example.com", "server.public_url: give scheme and host only"),
        (
            "chan_websocket.media_url=10.0.0.4:8088",
            "chan_websocket.media_url: give the address under which Asterisk waits",
        ),
        ("tts.provider=sagemaker", "tts.sagemaker needs endpoint and region"),
        ("tts.sagemaker.endpoint=a_b", "tts.sagemaker.endpoint: "),
        ("server.host=0.0.0.0", "insecure_dev"),
        ("security.insecure_dev=false", "server.public_url is empty"),
        ("worker.host=0.0.0.0", "worker.token is empty"),
        ("llm.openai.model=", "llm.openai needs base_url and model"),
        ("llm.provider=bedrock", "llm.bedrock.model_id is empty"),
    ],
)
def test_a_wrong_override_is_one_sentence_that_names_the_key(override: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        offline(override)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_secret_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        offline("security.token_ttl_s=-99")
    assert "-99" not in str(caught.value)


def test_an_unknown_environment_variable_is_refused() -> None:
    with pytest.raises(ConfigError, match="VOICEBOT_SERVER__PROT"):
        offline(environ={"VOICEBOT_SERVER__PROT": "1"})


def test_an_environment_variable_without_its_two_underscores_is_told_so() -> None:
    with pytest.raises(ConfigError, match="VOICEBOT_TWILIO_AUTH_TOKEN: two underscores"):
        offline(environ={"VOICEBOT_TWILIO_AUTH_TOKEN": "secret"})


@pytest.mark.parametrize(
    ("content", "says"), [("[server\n", "not valid TOML"), ("[nosuch]\na=1\n", "there is no setting nosuch")]
)
def test_a_broken_file_is_named(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "broken.toml"
    file.write_text(content)
    with pytest.raises(ConfigError, match=says) as caught:
        offline(file=file)
    assert "broken.toml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        offline(file=tmp_path / "none.toml")


def test_an_unknown_profile_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="aws, bots, indonesia, loadtest, offline"):
        load("ofline", environ={})


def test_the_secure_default_needs_the_token_that_signs() -> None:
    with pytest.raises(ConfigError, match="TWILIO__AUTH_TOKEN"):
        load("", None, ["llm.bedrock.model_id=m", "server.public_url=https://bot.example.test"], {})


def test_the_worker_reads_its_own_tables_only() -> None:
    settings = load_worker(overrides=["worker.engine=tone", "worker.port=0"], environ={})
    assert (settings.worker.engine, settings.worker.port) == ("tone", 0)


def test_every_key_of_the_defaults_has_a_comment_with_its_reason() -> None:
    text = (Path(__file__).parents[2] / "config" / "default.toml").read_text("utf-8")
    bare = [line for line in text.splitlines() if "=" in line.split("#")[0] and "# " not in line]
    assert bare == []
