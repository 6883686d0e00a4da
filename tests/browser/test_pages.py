"""Both pages in a real Chromium, against a gateway with a worker in processes of their own."""

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from gateway.commands.stack import Stack, loadtest_stack

PLAYWRIGHT = "playwright-core@1.64.1"
HERE = Path(__file__).parent
# One package of some megabytes.
INSTALL_TIMEOUT_S = 90.0
# A call takes 15 s; the rest is for a loaded machine.
SCRIPT_TIMEOUT_S = 90.0
SILENT_DBFS = -60

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium is installed (Debian: apt install chromium)")
    return found


@pytest.fixture(scope="module")
def playwright() -> Path:
    """The folder that holds playwright-core, installed once into the user's cache."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed (Debian: apt install npm)")
    folder = platformdirs.user_cache_path("voicebot") / "tests" / PLAYWRIGHT
    if not (folder / "node_modules" / "playwright-core" / "package.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        asyncio.run(_install(npm, folder))
    return folder


async def _install(npm: str, folder: Path) -> None:
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    code, _, said = await _run(INSTALL_TIMEOUT_S, npm, "install", "--prefix", str(folder), *quiet, PLAYWRIGHT)
    if code:
        pytest.skip(f"npm could not install {PLAYWRIGHT}, which drives the browser: {said.strip()[-200:]}")


async def _run(timeout_s: float, *command: str, **environment: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        stdin=asyncio.subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    try:
        async with asyncio.timeout(timeout_s):
            out, said = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return process.returncode, out.decode(), said.decode()


class Browser:
    """Runs one of our scripts in a fresh profile and returns what it saw."""

    def __init__(self, chromium: str, playwright: Path, profile: Path) -> None:
        self._chromium = chromium
        self._playwright = playwright
        self._profile = profile

    async def run(self, script: str, *arguments: str) -> dict[str, Any]:
        code, out, said = await _run(
            SCRIPT_TIMEOUT_S,
            "node",
            str(HERE / script),
            *arguments,
            CHROMIUM=self._chromium,
            PLAYWRIGHT_DIR=str(self._playwright),
            PROFILE_DIR=str(self._profile),
        )
        assert code == 0, said
        seen: dict[str, Any] = json.loads(out)
        return seen


@pytest.fixture
def browser(chromium: str, playwright: Path, tmp_path: Path) -> Browser:
    return Browser(chromium, playwright, tmp_path / "profile")


def stack(tmp_path: Path, *overrides: str) -> Stack:
    return loadtest_stack(tmp_path / "logs", overrides)


async def test_a_recorded_caller_is_answered_and_the_call_is_seen_on_the_console(
    browser: Browser, tmp_path: Path
) -> None:
    async with stack(tmp_path) as gateway:
        seen = await browser.run("recording.mjs", gateway.url)
    assert seen["complaints"] == []
    assert seen["insecure"] is True
    live, ended = seen["live"], seen["ended"]
    assert (live["platform"], live["bot"], live["state"]) == ("softphone", "default", "on")
    assert len(seen["parts"]) == 4
    assert all(part.endswith(" ready") for part in seen["parts"])
    assert seen["wordsUnasked"] == 0
    assert seen["callerLevel"] > SILENT_DBFS + 20
    assert seen["botLevel"] > SILENT_DBFS + 20
    assert seen["turns"][-2].startswith("You ")
    assert "We open at nine in the morning" in seen["turns"][-1]
    assert seen["latency"].startswith("answered after ")
    assert (ended["call"], ended["state"]) == (live["call"], "stop")


async def test_the_microphone_is_heard_muted_and_the_operator_can_end_the_call(
    browser: Browser, tmp_path: Path
) -> None:
    async with stack(tmp_path) as gateway:
        seen = await browser.run("microphone.mjs", gateway.url)
    assert seen["complaints"] == []
    assert (seen["title"], seen["button"]) == ("Softphone", "Panggil")
    assert seen["callerLevel"] > SILENT_DBFS + 20
    assert seen["muted"] == "true"
    assert seen["mutedLevel"] == SILENT_DBFS
    assert seen["restLevel"] == SILENT_DBFS
    assert seen["overflows"] == [0, 0]


async def test_the_token_is_asked_for_kept_in_the_tab_and_a_lost_gateway_is_told(
    browser: Browser, tmp_path: Path
) -> None:
    secure = (
        "security.insecure_dev=false",
        "security.admin_token=admin-secret",
        "twilio.auth_token=twilio-secret",
        "server.public_url=https://bot.example.com",  # not the way by which the pages reach it
    )
    async with stack(tmp_path, *secure) as gateway:
        seen = await browser.run("token.mjs", gateway.url, str(gateway.pid("gateway")))
    assert seen["shownLocked"] == 0
    assert seen["insecure"] is False
    assert seen["kept"] == [0, "", ["admin-secret"]]
    assert seen["refused"] == "Calls are shown to who has the admin token."
    # The browser itself writes a line for each refused and each failed request; the pages write none.
    assert [line for line in seen["complaints"] if "Failed to load resource" not in line] == []


async def test_a_call_that_cannot_be_says_why_and_a_stopping_gateway_is_told(browser: Browser, tmp_path: Path) -> None:
    async with stack(tmp_path, "server.max_calls=1") as gateway:
        seen = await browser.run("refused.mjs", gateway.url, str(gateway.pid("gateway")))
    assert seen["noMicrophone"].startswith("The microphone cannot be used (NotAllowedError).")
    assert seen["problemGone"] is True
    assert seen["noRoom"] == "Every line is busy. Try again when a call has ended."
    assert seen["refused"] == "Refused1at_capacity 1"
