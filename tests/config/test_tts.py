"""Which worker speaks, and over what."""

import pytest

from config.errors import ConfigError
from config.sources import load
from config.tts import Tts


def tts(*overrides: str) -> Tts:
    return load("offline", None, overrides, {}).tts


def test_by_itself_the_voice_is_a_worker_behind_a_websocket() -> None:
    assert tts().provider == "websocket"


def test_sagemaker_wants_an_endpoint_and_its_region() -> None:
    full = ("tts.provider=sagemaker", "tts.sagemaker.endpoint=kokoro-a10g", "tts.sagemaker.region=eu-west-1")
    assert tts(*full).sagemaker.endpoint == "kokoro-a10g"
    for incomplete in (full[:2], (full[0], full[2])):
        with pytest.raises(ConfigError, match=r"tts\.sagemaker needs endpoint and region"):
            tts(*incomplete)


@pytest.mark.parametrize(
    "wrong",
    [
        "tts.provider=carrier_pigeon",
        "tts.sagemaker.endpoint=under_score",
        "tts.sagemaker.endpoint=a/b",
        "tts.sagemaker.variant=-x",
        "tts.sagemaker.region=eu west",
        "tts.sagemaker.endpoint_url=http://localhost:8443",
        "tts.sagemaker.endpoint_url=https://localhost:8443/path",
    ],
)
def test_what_no_endpoint_can_be_called_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(ConfigError) as caught:
        tts(wrong)
    assert wrong.partition("=")[0] in str(caught.value)


def test_an_address_of_ones_own_is_https() -> None:
    assert tts("tts.sagemaker.endpoint_url=https://vpce-1.example:8443").sagemaker.endpoint_url.endswith(":8443")
