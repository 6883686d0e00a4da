"""The tables of hearing are checked together."""

import pytest

from config.errors import ConfigError
from config.sources import load


def test_transcribe_needs_a_region_only_where_it_is_used() -> None:
    assert load("loadtest", None, []).stt.transcribe.region == ""
    with pytest.raises(ConfigError, match=r"stt\.transcribe\.region"):
        load("loadtest", None, ["stt.engine=transcribe"])


def test_a_code_for_a_language_we_do_not_speak_is_refused() -> None:
    with pytest.raises(ConfigError, match="languages"):
        load("loadtest", None, ['stt.transcribe.languages={ xx = "xx-XX" }'])


def test_deepgram_is_complete_by_default_and_hears_every_language_of_ours() -> None:
    deepgram = load("loadtest", None, ["stt.engine=deepgram"]).stt.deepgram
    assert deepgram.url == "wss://api.deepgram.com"
    assert set(deepgram.languages) == set(load("loadtest", None, []).stt.transcribe.languages)


@pytest.mark.parametrize(
    "url",
    ["https://a.example", "a.example", "wss://", "wss://a.example:0", "wss://me@a.example", "wss://a.example?key=1"],
)
def test_deepgrams_address_is_one_of_a_socket(url: str) -> None:
    with pytest.raises(ConfigError, match=r"stt\.deepgram\.url"):
        load("loadtest", None, [f"stt.deepgram.url={url}"])


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        (("stt.deepgram.url=ws://ears.example.com",), False),
        (("stt.deepgram.url=ws://ears.example.com", "stt.deepgram.key_env="), True),
        (("stt.deepgram.url=ws://127.0.0.1:8090",), True),
        (("stt.deepgram.url=wss://ears.example.com",), True),
    ],
)
def test_a_key_leaves_the_machine_encrypted_only(settings: tuple[str, ...], allowed: bool) -> None:
    if allowed:
        load("loadtest", None, list(settings))
    else:
        with pytest.raises(ConfigError, match="plain ws"):
            load("loadtest", None, list(settings))


def test_more_words_than_deepgram_can_be_told_are_refused() -> None:
    load("loadtest", None, [f'stt.deepgram.keyterms=["{"x" * 500}", "{"y" * 500}"]'])
    with pytest.raises(ConfigError, match="1000 letters"):
        load("loadtest", None, [f'stt.deepgram.keyterms=["{"x" * 500}", "{"y" * 501}"]'])
