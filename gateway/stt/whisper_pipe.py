"""The gateway's end of the pipes to a Whisper process."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gateway.errors import SttError
from gateway.stt.whisper_engine import WorkerLost
from gateway.stt.whisper_wire import MAX_LINE_BYTES, AudioJob, Transcript, WireFault, decode_line, encode_job

# A cold disk and a busy machine; loading takes 1 to 2 s as a rule.
LOAD_DEADLINE_S = 60.0
# The process ends when its input does, after the job under way; it is killed when that takes longer.
_STOP_GRACE_S = 1.0


def whisper_command(model_dir: Path, threads: int) -> list[str]:
    """Return the command that runs whisper_process."""
    module = ["-m", "gateway.stt.whisper_process"]
    return [sys.executable, *module, "--model", str(model_dir), "--threads", str(threads)]


class PipeWorker:
    """A running process that has said it is ready."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._number = 0

    @classmethod
    async def start(cls, command: Sequence[str], load_deadline_s: float = LOAD_DEADLINE_S) -> "PipeWorker":
        """Run the command and wait until it is ready; WorkerLost when it does not come up."""
        try:
            # A session of its own: Ctrl-C in the terminal is the gateway's to handle.
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, limit=MAX_LINE_BYTES, start_new_session=True
            )
        except OSError as error:
            raise WorkerLost("stt_process_missing", repr(error)) from error
        worker = cls(process)
        try:
            async with asyncio.timeout(load_deadline_s):
                first = await worker._line()
            if "error" in first:
                raise WorkerLost("stt_load_failed", str(first["error"]))
            if first.get("ready") is not True:
                raise WorkerLost("stt_protocol", "the process did not begin with ready")
        except TimeoutError as error:
            await worker.stop()
            raise WorkerLost("stt_load_timeout", f"the model was not loaded within {load_deadline_s:.0f} s") from error
        except BaseException:
            await worker.stop()
            raise
        return worker

    async def transcribe(self, language: str, pcm: bytes) -> Transcript:
        self._number += 1
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(encode_job(AudioJob(self._number, language, pcm)))
            await self._process.stdin.drain()
        except WireFault as error:
            raise SttError("stt_bad_audio", str(error)) from error
        except OSError as error:
            raise WorkerLost("stt_process_died", repr(error)) from error
        answer = await self._line()
        if answer.get("number") != self._number:
            raise WorkerLost("stt_protocol", "the process answered another job")
        if "error" in answer:
            raise SttError("stt_job_failed", str(answer["error"]), retryable=True)
        return _transcript(answer)

    async def stop(self) -> None:
        """End the process and wait for it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_GRACE_S):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
            if not line:
                raise WorkerLost("stt_process_died", "the process closed its output")
            return decode_line(line)
        except ValueError as error:  # not a line of ours, or longer than the limit
            raise WorkerLost("stt_protocol", str(error)) from error


def _transcript(answer: dict[str, Any]) -> Transcript:
    try:
        took_s, share, sure = float(answer["took_s"]), float(answer["language_share"]), bool(answer["sure"])
        return Transcript(str(answer["text"]), str(answer["language"]), took_s, share, sure)
    except (KeyError, TypeError, ValueError) as error:
        raise WorkerLost("stt_protocol", f"the answer lacks {error}") from error
