"""`voicebot`: every command explains itself, exit codes say whose fault it was, errors are one sentence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.cli import main
from gateway.commands.stack import free_port

MEASUREMENTS = ("gateway", "conversation", "tts", "worker", "transport")
COMMANDS = (
    "serve",
    "worker",
    "demo",
    "call",
    "soak",
    "bench",
    "doctor",
    "plan",
    *(f"bench {what}" for what in MEASUREMENTS),
)
SECURE = (
    "server.public_url=https://bot.example.com",
    "twilio.auth_token=x",
    "llm.provider=scripted",
    "stt.engine=energy",
)


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    try:
        code = main(arguments)
    except SystemExit as exit:  # argparse
        code = int(str(exit.code or 0))
    said = capsys.readouterr()
    return code, said.out, said.err


def one_sentence(text: str) -> bool:
    return len(text.strip().splitlines()) == 1 and "Traceback" not in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, *command.split(), "--help")
    assert code == 0
    assert f"example: voicebot {command}" in " ".join(out.split())


def test_models_explains_itself_too(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "models", "--help")
    assert (code, "voicebot models" in out) == (0, True)


@pytest.mark.parametrize("arguments", [(), ("frobnicate",), ("call",), ("bench", "nothing"), ("demo", "--port", "x")])
def test_wrong_words_are_the_operators_mistake(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ran(capsys, *arguments)
    assert code == 2
    assert "usage: voicebot" in err


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (("server.prot=80",), "server.prot"),
        (("server.port=eighty",), "server.port"),
        (("nonsense",), "nonsense"),
        (("security.insecure_dev=true",), "insecure_dev"),
        ((), "public_url"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "doctor"])
def test_a_wrong_setting_stops_the_start_with_one_sentence_that_names_it(
    command: str, settings: tuple[str, ...], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ("llm.provider=scripted", *settings)
    code, _, err = ran(capsys, command, *(part for each in base for part in ("--set", each)))
    assert code == 2
    assert named in err
    assert err.startswith(f"voicebot {command}: ")
    assert one_sentence(err)


def test_a_configuration_that_is_not_there_or_no_toml_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("[server\n")
    for arguments in (("--config", str(tmp_path / "none.toml")), ("--config", str(bad)), ("--profile", "nowhere")):
        code, _, err = ran(capsys, "serve", *arguments)
        assert (code, one_sentence(err)) == (2, True)


def test_a_taken_port_is_said_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        settings = ("server.host=127.0.0.1", f"server.port={port}", "log.level=error", *SECURE)
        code, _, err = ran(capsys, "serve", *(part for each in settings for part in ("--set", each)))
    assert code == 2
    assert str(port) in err
    assert one_sentence(err)


def _recording(tmp_path: Path) -> str:
    from media.wav import save

    path = tmp_path / "caller.wav"
    save(path, b"\x00\x10" * 8000, 8000)
    return str(path)


def test_a_call_to_nobody_fails_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"ws://127.0.0.1:{free_port()}"
    code, _, err = ran(capsys, "call", _recording(tmp_path), "--url", url, "--out", str(tmp_path / "out"))
    assert code == 1
    assert url.removeprefix("ws") in err
    assert one_sentence(err)


@pytest.mark.parametrize("arguments", [("--platform", "carrier-pigeon"), ("--url", "127.0.0.1:8080")])
def test_a_wrong_platform_or_address_is_the_operators_mistake(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = ran(capsys, "call", _recording(tmp_path), *arguments, "--out", str(tmp_path / "out"))
    assert code == 2
    assert one_sentence(err)


@pytest.mark.parametrize("file", ["missing.wav", "empty.wav"])
@pytest.mark.parametrize("command", ["call", "soak"])
def test_a_recording_that_cannot_be_played_is_the_operators_mistake(
    command: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.wav").touch()
    code, _, err = ran(capsys, command, str(tmp_path / file), "--out", str(tmp_path / "out"))
    assert code == 2
    assert file in err
    assert one_sentence(err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("soak", "--calls", "0"),
        ("soak", "--at-once", "0"),
        ("bench", "gateway", "--calls", "0"),
        ("bench", "gateway", "--turns", "-1"),
        ("bench", "tts", "--rounds", "0"),
        ("demo", "--port", "99999"),
    ],
)
def test_numbers_out_of_range_are_the_operators_mistake(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = ran(capsys, *arguments, "--out", str(tmp_path))
    assert code == 2
    assert arguments[-2] in err


def test_doctor_finds_what_is_missing_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    settings = (
        "llm.provider=scripted",
        "stt.engine=energy",
        "worker.engine=tone",
        f"tts.url=ws://127.0.0.1:{free_port()}",
    )
    code, out, _ = ran(capsys, "doctor", "--profile", "loadtest", *(p for s in settings for p in ("--set", s)))
    assert code == 1
    assert "voicebot worker" in out


def test_the_module_is_the_command() -> None:
    told = subprocess.run([sys.executable, "-m", "gateway", "--help"], capture_output=True, text=True, timeout=60)
    assert told.returncode == 0
    assert told.stdout.startswith("usage: voicebot")
    wrong = subprocess.run(
        [sys.executable, "-m", "gateway", "serve", "--set", "a.b=c"], capture_output=True, text=True, timeout=60
    )
    assert (wrong.returncode, wrong.stderr.startswith("voicebot serve: ")) == (2, True)


def test_starting_the_command_says_nothing_of_its_libraries() -> None:
    script = "import json, sys, warnings; warnings.simplefilter('always'); import gateway.app; print(json.dumps(1))"
    told = subprocess.run([sys.executable, "-W", "default", "-c", script], capture_output=True, text=True, timeout=60)
    assert json.loads(told.stdout) == 1
    assert "ffmpeg" not in told.stderr
