"""Against real processes: small scripts that speak the protocol, well or badly."""

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from gateway.errors import SttError
from gateway.stt.whisper_engine import WorkerLost
from gateway.stt.whisper_pipe import PipeWorker, whisper_command
from gateway.stt.whisper_wire import MAX_AUDIO_BYTES, Transcript

_SERVE = """
import sys
from gateway.stt.whisper_process import serve
from gateway.stt.whisper_wire import Transcript
class Model:
    def transcribe(self, job):
        if job.language == "boom":
            raise RuntimeError("cannot")
        return Transcript(f"{len(job.pcm)} bytes of {job.language}", "en", 0.1)
serve(Model(), sys.stdin.buffer, sys.stdout.buffer)
"""
_READY = "import sys, time; print('{\"ready\":true}', flush=True); "


def script(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def lost_code(worker: PipeWorker) -> str:
    with pytest.raises(WorkerLost) as caught:
        await worker.transcribe("en", b"ab")
    await worker.stop()
    return caught.value.code


async def test_jobs_are_answered_by_the_process() -> None:
    worker = await PipeWorker.start(script(_SERVE))
    assert await worker.transcribe("en", b"abcd") == Transcript("4 bytes of en", "en", 0.1)
    assert await worker.transcribe("id", bytes(MAX_AUDIO_BYTES)) == Transcript("960000 bytes of id", "en", 0.1)
    await worker.stop()


async def test_a_job_that_fails_leaves_the_worker_usable() -> None:
    worker = await PipeWorker.start(script(_SERVE))
    with pytest.raises(SttError, match="cannot") as caught:
        await worker.transcribe("boom", b"ab")
    assert (caught.value.code, caught.value.retryable) == ("stt_job_failed", True)
    with pytest.raises(SttError) as refused:
        await worker.transcribe("en", bytes(MAX_AUDIO_BYTES + 1))
    assert refused.value.code == "stt_bad_audio"
    assert (await worker.transcribe("en", b"ab")).text == "2 bytes of en"
    await worker.stop()


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("sys.stdin.buffer.read(8)", "stt_process_died"),
        ("sys.stdin.buffer.read(8); print('what?', flush=True)", "stt_protocol"),
        ("sys.stdin.buffer.read(8); print('{\"number\":99}', flush=True)", "stt_protocol"),
        ("sys.stdin.buffer.read(8); print('{\"number\":1}', flush=True)", "stt_protocol"),
        ("sys.stdin.buffer.read(8); print('x' * 200_000, flush=True); time.sleep(5)", "stt_protocol"),
    ],
)
async def test_a_process_that_dies_or_babbles_is_lost(code: str, wanted: str) -> None:
    worker = await PipeWorker.start(script(_READY + code))
    assert await lost_code(worker) == wanted


async def test_a_process_that_is_gone_before_the_job_is_lost() -> None:
    worker = await PipeWorker.start(script(_READY))
    await asyncio.sleep(0.2)
    assert await lost_code(worker) == "stt_process_died"


@pytest.mark.parametrize("code", ["pass", "print('{}')", "print('hello')"])
async def test_a_process_that_does_not_come_up_is_lost(code: str) -> None:
    with pytest.raises(WorkerLost):
        await PipeWorker.start(script(code))


async def test_a_model_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost) as caught:
        await PipeWorker.start(whisper_command(tmp_path, threads=1))
    assert caught.value.code == "stt_load_failed"
    assert "model.bin" in caught.value.detail


async def test_a_model_that_takes_too_long_to_load_is_lost() -> None:
    with pytest.raises(WorkerLost) as caught:
        await PipeWorker.start(script("import sys; sys.stdin.read()"), load_deadline_s=0.2)
    assert caught.value.code == "stt_load_timeout"


async def test_a_command_that_does_not_exist_is_lost(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost) as caught:
        await PipeWorker.start([str(tmp_path / "missing")])
    assert caught.value.code == "stt_process_missing"


async def test_a_process_that_ignores_the_end_of_its_input_is_killed() -> None:
    worker = await PipeWorker.start(script(_READY + "time.sleep(60)"))
    async with asyncio.timeout(5):
        await worker.stop()


async def test_starting_that_is_given_up_leaves_no_process() -> None:
    before = {child.pid for child in psutil.Process().children()}
    starting = asyncio.create_task(PipeWorker.start(script("import time; time.sleep(60)")))
    await asyncio.sleep(0.3)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert {child.pid for child in psutil.Process().children()} <= before


def test_the_command_runs_the_process_module_with_this_interpreter() -> None:
    command = whisper_command(Path("models/base"), threads=3)
    assert command[0] == sys.executable
    assert command[1:] == ["-m", "gateway.stt.whisper_process", "--model", "models/base", "--threads", "3"]
