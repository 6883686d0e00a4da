import pytest

from tts_worker.languages import ESPEAK_VOICES, LANGUAGES, resolve_language, voice_language


@pytest.mark.parametrize(
    ("tag", "voice", "language"),
    [
        ("", "af_heart", "en-us"),
        ("", "bm_george", "en-gb"),
        ("", "jf_alpha", "ja"),
        ("", "zf_xiaobei", "zh"),
        ("", "mine", "en-us"),
        ("en", "bf_emma", "en-gb"),
        ("en", "ef_dora", "en-us"),
        ("en-AU", "bf_emma", "en-gb"),
        ("en-AU", "ef_dora", "en-us"),
        ("en_GB", "af_heart", "en-gb"),
        (" ID ", "af_heart", "id"),
        ("id-ID", "af_heart", "id"),
        ("es-MX", "ef_dora", "es"),
        ("pt", "pf_dora", "pt-br"),
        ("pt-PT", "pf_dora", "pt-br"),
        ("pt", "af_heart", "pt-br"),
        ("cmn", "zf_xiaobei", "zh"),
        ("zh-Hans", "zf_xiaobei", "zh"),
        ("xx", "af_heart", None),
        ("english", "af_heart", None),
    ],
)
def test_a_tag_is_served_by_the_nearest_language_there_is(tag: str, voice: str, language: str | None) -> None:
    assert resolve_language(tag, voice) == language


def test_every_language_a_request_may_name_is_served() -> None:
    assert all(resolve_language(tag, "af_heart") in ESPEAK_VOICES for tag in LANGUAGES)


def test_the_languages_of_the_home_audience_are_there() -> None:
    assert {"en", "en-us", "en-gb", "id", "es", "fr", "hi", "it", "ja", "pt-br", "zh"} <= LANGUAGES


def test_a_voices_first_letter_is_its_language() -> None:
    assert [voice_language(f"{letter}f_x") for letter in "abefhijpz"] == [
        "en-us", "en-gb", "es", "fr", "hi", "it", "ja", "pt-br", "zh"
    ]  # fmt: skip
