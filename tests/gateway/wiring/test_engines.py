"""Each choice of engine makes its part, and what cannot be built is the operator's to mend."""

import sys
from pathlib import Path

import pytest

from config.errors import ConfigError
from config.sources import load
from gateway.llm.bedrock import BedrockModel
from gateway.llm.openai_compatible import OpenAiCompatibleModel
from gateway.llm.scripted import ScriptedModel
from gateway.stt.cloud.recogniser import CloudRecognisers
from gateway.stt.energy import EnergyRecognisers
from gateway.tts.websocket import WebSocketSpeech
from gateway.wiring.engines import build_ears, build_model, build_voice


def loadtest(*settings: str):  # type: ignore[no-untyped-def]  # Settings, which only entry points may name
    return load("loadtest", None, list(settings))


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        (("llm.provider=scripted",), ScriptedModel),
        (
            ("llm.provider=openai", "llm.openai.base_url=http://127.0.0.1:1/v1", "llm.openai.model=m"),
            OpenAiCompatibleModel,
        ),
        (
            (
                "llm.provider=bedrock",
                "llm.bedrock.model_id=m",
                "llm.bedrock.region=eu-west-1",
                "llm.bedrock.guardrail_id=g",
            ),
            BedrockModel,
        ),
    ],
)
async def test_each_provider_makes_its_model(settings: tuple[str, ...], kind: type) -> None:
    model = build_model(loadtest(*settings).llm)
    assert isinstance(model, kind)
    await model.close()


SAGEMAKER = ("tts.provider=sagemaker", "tts.sagemaker.endpoint=kokoro", "tts.sagemaker.region=eu-west-1")


async def test_a_worker_is_reached_over_a_websocket_unless_sagemaker_is_asked_for() -> None:
    voice = build_voice(loadtest().tts)
    assert isinstance(voice, WebSocketSpeech)
    await voice.close()
    pytest.importorskip("aws_sdk_sagemaker_runtime_http2", reason="the AWS SDK needs Python 3.12 and the extra `aws`")
    voice = build_voice(loadtest(*SAGEMAKER).tts)
    assert type(voice).__name__ == "SageMakerSpeech"
    assert voice.session("af_heart", "en", 1.0).rate_hz == 24_000
    await voice.close()


def test_sagemaker_without_its_sdk_is_the_operators_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aws_sdk_sagemaker_runtime_http2.client", None)
    monkeypatch.delitem(sys.modules, "gateway.tts.sagemaker", raising=False)
    with pytest.raises(ConfigError, match=r"\.\[aws\]"):
        build_voice(loadtest(*SAGEMAKER).tts)


def test_loudness_needs_no_model() -> None:
    assert isinstance(build_ears(loadtest().stt, ""), EnergyRecognisers)


def test_a_recogniser_whose_model_is_missing_is_the_operators_to_mend(tmp_path: Path) -> None:
    settings = loadtest("stt.engine=whisper", f"models.dir={tmp_path}")
    with pytest.raises(ConfigError):
        build_ears(settings.stt, settings.models.dir)


def test_transcribe_is_asked_where_it_is_chosen() -> None:
    ears = build_ears(loadtest("stt.engine=transcribe", "stt.transcribe.region=ap-southeast-1").stt, "")
    assert isinstance(ears, CloudRecognisers)


def test_deepgram_is_asked_where_it_is_chosen_with_a_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loadtest("stt.engine=deepgram", "stt.deepgram.key_env=EARS_KEY")
    monkeypatch.setenv("EARS_KEY", "a key")
    assert isinstance(build_ears(settings.stt, ""), CloudRecognisers)
    for wrong in ("", " ", "a\nkey", "a key…"):
        monkeypatch.setenv("EARS_KEY", wrong)
        with pytest.raises(ConfigError, match="EARS_KEY"):
            build_ears(settings.stt, "")


def test_a_deepgram_of_ones_own_needs_no_key() -> None:
    settings = loadtest("stt.engine=deepgram", "stt.deepgram.key_env=", "stt.deepgram.url=ws://ears.example.com:8090")
    assert isinstance(build_ears(settings.stt, ""), CloudRecognisers)
