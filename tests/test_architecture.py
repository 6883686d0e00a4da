"""Who may import whom (CONTRIBUTING.md, "The house"): a rule that is not checked does not exist."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("config", "deploy", "gateway", "media", "tts_worker")
STDLIB = sys.stdlib_module_names | {"audioop"}


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def offenders(paths: list[Path], forbidden: tuple[str, ...]) -> list[str]:
    return sorted(
        {f"{path.relative_to(ROOT)} imports {m}" for path in paths for m in imports(path) if within(m, *forbidden)}
    )


def test_media_imports_nothing_but_sound() -> None:
    allowed = {"numpy", "soxr", "pydub", "media"}
    found = {
        f"{path.name} imports {module}"
        for path in sources("media")
        for module in imports(path)
        if module.partition(".")[0] not in allowed | STDLIB
    }
    assert found == set()
    assert offenders(sources("media"), ("asyncio", "logging", "time", "threading")) == []


def test_gateway_and_worker_never_import_each_other() -> None:
    assert offenders(sources("gateway"), ("tts_worker",)) == []
    assert offenders(sources("tts_worker"), ("gateway",)) == []


def test_config_imports_nothing_of_ours() -> None:
    assert offenders(sources("config"), ("gateway", "media", "tts_worker")) == []


def test_deployment_and_software_meet_in_files_only() -> None:
    assert offenders(sources("deploy"), ("config", "gateway", "media", "tts_worker")) == []
    assert offenders(sources("config", "gateway", "media", "tts_worker"), ("deploy", "aws_cdk")) == []


def test_only_entry_points_read_configuration() -> None:
    entries = {
        *sources("gateway/wiring"),
        *(ROOT / "gateway" / name for name in ("__main__.py", "cli.py", "app.py")),
        *(ROOT / "gateway/commands" / name for name in ("bench.py", "demo.py", "doctor.py")),
        *(ROOT / "tts_worker" / name for name in ("__main__.py", "app.py", "ray_serve.py")),
    }
    # Errors and the model store's paths are plain values; settings and their sources are not.
    readers = [path for path in sources("gateway", "tts_worker") if path not in entries]
    assert offenders(readers, ("config.settings", "config.sources", "config.logs")) == []


@pytest.mark.parametrize("place", ["gateway/platforms", "gateway/text"])
def test_pure_rooms_are_synchronous(place: str) -> None:
    paths = [path for path in sources(place) if not path.stem.endswith("control")]
    assert offenders(paths, ("asyncio", "aiohttp")) == []


def test_the_turn_table_knows_no_loop() -> None:
    assert offenders([ROOT / "gateway/call/turn.py"], ("asyncio", "aiohttp", "time")) == []


@pytest.mark.parametrize("stage", ["stt", "llm", "tts", "text"])
def test_stages_know_neither_platforms_nor_each_other(stage: str) -> None:
    others = [f"gateway.{other}" for other in ("stt", "llm", "tts", "text") if other != stage]
    assert (
        offenders(sources(f"gateway/{stage}"), (*others, "gateway.platforms", "gateway.call", "gateway.simulator"))
        == []
    )


def test_the_session_sees_base_protocols_only() -> None:
    known = offenders(
        [ROOT / "gateway/call/session.py"], ("gateway.stt", "gateway.llm", "gateway.tts", "gateway.platforms")
    )
    assert [line for line in known if ".base" not in line and not line.endswith((".stt", ".llm", ".tts"))] == []


def test_heavy_libraries_live_in_the_files_of_their_engine() -> None:
    torch_engine = ("kokoro_torch.py", "batch.py", "ragged.py")
    homes_of = {
        "torch": torch_engine,
        "kokoro": torch_engine,
        "onnxruntime": ("kokoro_onnx.py", "smart_turn.py"),
        "ray": ("ray_serve.py",),
    }
    for library, homes in homes_of.items():
        paths = [path for path in sources(*OURS) if path.name not in homes]
        assert offenders(paths, (library,)) == []


def test_the_worker_app_imports_without_a_model_library() -> None:
    script = "import sys, tts_worker.app; sys.exit(bool({'torch', 'onnxruntime', 'kokoro', 'ray'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, timeout=60).returncode == 0


def test_the_simulator_shares_no_code_with_the_platforms() -> None:
    assert offenders(sources("gateway/simulator"), ("gateway.platforms", "gateway.events", "gateway.call")) == []


def has_its_test(path: Path) -> bool:
    """A mirror tests/<folder>/test_<file>.py, or several by topic: test_<file>_<topic>.py."""
    folder = ROOT / "tests" / path.relative_to(ROOT).parent
    name = f"test_{path.stem.strip('_')}"
    return (folder / f"{name}.py").is_file() or any(folder.glob(f"{name}_*.py"))


def test_every_source_file_has_its_test_file() -> None:
    # Protocols and frozen data have no behaviour of their own.
    declarations = {
        "__init__.py",
        "base.py",
        "engines.py",
        "errors.py",
        "events.py",
        "dialect.py",
        "script.py",
        "settings.py",
    }
    # The insides of chunker and speakable are covered by their tables, through their two doors.
    behind_doors = {p for p in sources("gateway/text") if p.name not in ("chunker.py", "speakable.py")}
    # Halves of another file, split for their length; its test drives them through it.
    halves = {
        "gateway/commands/bench.py": "tests/gateway/test_cli.py",
        "gateway/commands/flags.py": "tests/gateway/test_cli.py",
        "tts_worker/utterance.py": "tests/tts_worker/test_session.py",
    }
    assert all((ROOT / test).is_file() for test in halves.values())
    missing = [
        str(path.relative_to(ROOT))
        for path in sources(*OURS)
        if path.name not in declarations
        and path not in behind_doors
        and str(path.relative_to(ROOT)) not in halves
        and not has_its_test(path)
    ]
    assert missing == []


def test_files_stay_readable() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in sources(*OURS)
        if (lines := path.read_text("utf-8").count("\n")) > 250
    }
    assert long == {}
