"""The doctor: one finding a thing, each with its remedy."""

import sys
from pathlib import Path

import pytest

from config.sources import load
from gateway.commands.doctor import _findings, examine
from gateway.commands.stack import free_port
from tests.rig.deepgram import KEY, deepgram_server
from tests.rig.worker import running_worker

SECURE = ("security.insecure_dev=false", "server.public_url=https://bot.example.com", "twilio.auth_token=x")


SAGEMAKER = ("tts.provider=sagemaker", "tts.sagemaker.endpoint=kokoro", "tts.sagemaker.region=eu-west-1")


async def found(*settings: str) -> dict[str, tuple[str, str]]:
    loaded = load("loadtest", None, list(settings))
    return {finding.what: (finding.state, finding.detail) for finding in [f async for f in _findings(loaded)]}


async def test_a_worker_that_answers_is_found_and_all_is_well() -> None:
    with running_worker() as worker:
        settings = load("loadtest", None, [f"tts.url={worker.url}"])
        assert await examine(settings) == 0


async def test_a_worker_that_is_away_is_named_with_the_command_that_starts_it() -> None:
    url = f"ws://127.0.0.1:{free_port()}"
    state, detail = (await found(f"tts.url={url}"))["TTS worker"]
    assert (state, url in detail, "voicebot worker" in detail) == ("wrong", True, True)


async def test_a_sagemaker_worker_that_cannot_be_asked_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aws_sdk_sagemaker_runtime_http2.client", None)
    monkeypatch.delitem(sys.modules, "gateway.tts.sagemaker", raising=False)
    state, detail = (await found(*SAGEMAKER))["TTS worker"]
    assert (state, ".[aws]" in detail) == ("wrong", True)


async def test_a_sagemaker_endpoint_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")  # whether there are keys here or not
    pytest.importorskip("aws_sdk_sagemaker_runtime_http2", reason="the AWS SDK needs Python 3.12 and the extra `aws`")
    away = f"tts.sagemaker.endpoint_url=https://localhost:{free_port()}"
    state, detail = (await found(*SAGEMAKER, away))["TTS worker"]
    assert (state, "SageMaker endpoint kokoro" in detail) == ("wrong", True)


async def test_a_model_server_that_is_away_is_named() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    findings = await found("llm.provider=openai", f"llm.openai.base_url={url}", "llm.openai.model=m")
    assert findings["language model (openai)"] == (
        "wrong",
        f"no server answers at {url}: start it (`voicebot demo` starts the bundled one) or set llm.openai.base_url",
    )


@pytest.mark.parametrize(
    ("settings", "state"),
    [((), "note"), (SECURE, "note"), ((*SECURE, "security.admin_token=secret"), "ok")],
)
async def test_security_is_told_without_secrets(settings: tuple[str, ...], state: str) -> None:
    found_state, detail = (await found(*settings))["security"]
    assert found_state == state
    assert "secret" not in detail


async def test_engines_want_their_packages_and_models(tmp_path: object) -> None:
    findings = await found("stt.engine=whisper", "worker.engine=kokoro_onnx", f"models.dir={tmp_path}")
    assert findings["model whisper-base"][0] == "wrong"
    assert "voicebot models" in findings["model whisper-base"][1]
    assert "package onnxruntime" in findings


async def test_transcribe_wants_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    settings = ("stt.engine=transcribe", "stt.transcribe.region=eu-west-1")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    assert (await found(*settings))["Amazon Transcribe (eu-west-1)"][0] == "wrong"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert (await found(*settings))["Amazon Transcribe (eu-west-1)"] == ("ok", "keys found")


async def test_deepgram_is_asked_whether_it_lets_us_in(monkeypatch: pytest.MonkeyPatch) -> None:
    async with deepgram_server() as server:
        settings = ("stt.engine=deepgram", f"stt.deepgram.url={server.url}")
        monkeypatch.delenv("DEEPGRAM_API_KEY", raising=False)
        state, detail = (await found(*settings))["Deepgram (nova-3)"]
        assert (state, "DEEPGRAM_API_KEY" in detail) == ("wrong", True)
        monkeypatch.setenv("DEEPGRAM_API_KEY", "another")
        state, detail = (await found(*settings))["Deepgram (nova-3)"]
        assert (state, server.url in detail, "another" in detail) == ("wrong", True, False)
        monkeypatch.setenv("DEEPGRAM_API_KEY", KEY)
        assert (await found(*settings))["Deepgram (nova-3)"] == ("ok", "lets us in")


TOOL = (
    "tools.find_order.description=Looks up an order.",
    "tools.find_order.url=https://api.example.com/orders",
    "tools.find_order.secret_env=FIND_ORDER_SECRET",
)
HOST = 'tool_use.allowed_hosts=["api.example.com"]'


@pytest.mark.parametrize(
    ("settings", "secret", "state", "says"),
    [
        ((HOST, 'bot.tools=["find_order"]'), "s3cret", "ok", "may ask api.example.com"),
        ((HOST,), "s3cret", "note", "no bot has it"),
        ((), "s3cret", "wrong", "tool_use.allowed_hosts"),
        ((HOST,), "", "wrong", "FIND_ORDER_SECRET is not set"),
        ((HOST, 'tools.find_order.arguments={type = "array"}'), "s3cret", "wrong", "tools.find_order.arguments"),
    ],
)
async def test_each_declared_tool_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, settings: tuple[str, ...], secret: str, state: str, says: str
) -> None:
    monkeypatch.setenv("FIND_ORDER_SECRET", secret)
    finding = (await found(*TOOL, *settings))["tool find_order"]
    assert finding[0] == state
    assert says in finding[1]
    assert "s3cret" not in finding[1]
