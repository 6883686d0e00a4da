"""A real worker process whose engine is at fault: what its clients are told, and how the process ends."""

import asyncio
import json
from contextlib import suppress

import aiohttp
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from gateway.tts.session import SpeechTiming
from gateway.tts.websocket import WebSocketSpeech
from media.tts_wire import STREAM_PATH
from tests.rig.speech_pair import audio_of, collect, tone_of
from tests.rig.worker import running_worker, start_worker

# The tone engine, with a text at which it hangs, in a thread of its own library that the interpreter's end waits for,
# and one at which it fails.
FAULTY = """
import sys, threading
from tts_worker import tone

class Faulty(tone.ToneEngine):
    def synthesize(self, piece):
        if "hang" in piece.phonemes:
            own = threading.Thread(target=threading.Event().wait, daemon=False)
            own.start()
            own.join()
        if "fail" in piece.phonemes:
            raise MemoryError
        return super().synthesize(piece)

tone.ToneEngine = Faulty
from tts_worker.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
PROGRAM = ("-c", FAULTY)


async def answers(url: str, *texts: str) -> tuple[list[str], int | None]:
    """Ask for all texts in one session; return what each ended with, and the code the worker closed with."""
    ends: list[str] = []
    async with connect(url + STREAM_PATH) as socket:
        for text in texts:
            await socket.send(json.dumps({"text": text}))
        with suppress(ConnectionClosedError):
            async with asyncio.timeout(20):
                async for frame in socket:
                    body = json.loads(frame) if isinstance(frame, str) else {"type": "audio"}
                    if body["type"] in ("synthesis_complete", "error"):
                        ends.append(body.get("code", "complete"))
    return ends, socket.close_code


async def ping(port: int) -> tuple[int, str]:
    async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/ping") as answer:
        return answer.status, (await answer.json())["status"]


async def post(port: int, text: str) -> tuple[int, str]:
    url, body = f"http://127.0.0.1:{port}/invocations", {"text": text}
    async with aiohttp.ClientSession() as http, http.post(url, json=body) as answer:
        return answer.status, (await answer.json())["error"]


async def test_a_hung_engine_tells_everybody_and_ends_the_process() -> None:
    with running_worker("worker.hang_s=1.0", program=PROGRAM) as worker:
        first, second, posted = await asyncio.gather(
            answers(worker.url, "hang"), answers(worker.url, "Hello.", "Bye."), post(worker.port, "hang again")
        )
        assert first == (["engine_lost"], 1012)
        assert second in ((["complete", "engine_lost"], 1012), (["engine_lost"] * 2, 1012))
        assert posted == (503, "engine_lost")
        line = worker.wait_for("engine_lost")
        assert line["level"] == "error"
        assert "synthesize does not return" in line["reason"]
        assert await asyncio.to_thread(worker.process.wait, 20) == 1


async def test_a_signal_while_the_engine_is_at_work_ends_the_process_with_code_0() -> None:
    with running_worker("worker.drain_s=0.5", program=PROGRAM) as worker:
        asked = asyncio.create_task(answers(worker.url, "hang"))
        async with aiohttp.ClientSession() as http:
            while True:
                async with http.get(f"http://127.0.0.1:{worker.port}/metrics") as answer:
                    if "voicebot_worker_batch_pieces_count 1.0" in await answer.text():
                        break
        assert await asyncio.to_thread(worker.terminate, 29) == 0
        assert await asked == (["busy"], 1012)


async def test_a_call_loses_no_sentence_to_a_hung_worker() -> None:
    hung = start_worker("worker.hang_s=1.0", program=PROGRAM)
    second = None
    speech = WebSocketSpeech(hung.url, timing=SpeechTiming(give_up_s=60.0))  # the next one must start first
    try:
        session = speech.session("af_heart", "en", 1.0)
        await session.open()
        session.speak("It may hang.")
        session.speak("The next one.")
        assert await asyncio.to_thread(hung.process.wait, 20) == 1
        second = await asyncio.to_thread(start_worker, port=hung.port)
        events = await collect(session, ends=2, timeout_s=20)
        await session.close()
    finally:
        hung.kill()
        if second is not None:
            second.kill()
        await speech.close()
    assert audio_of(events, 1) == tone_of("It may hang.")
    assert audio_of(events, 2) == tone_of("The next one.")


async def test_an_engine_out_of_memory_fails_that_request_and_the_worker_goes_on() -> None:
    with running_worker(program=PROGRAM) as worker:
        for _ in range(20):
            assert await post(worker.port, "fail") == (500, "engine_failed")
        async with connect(worker.url + STREAM_PATH) as socket:
            for text in ("fail", "Hello.", "fail"):
                await socket.send(json.dumps({"text": text}))
            await socket.send(json.dumps({"type": "close"}))
            ends = [json.loads(frame)["type"] async for frame in socket if isinstance(frame, str)]
        assert [kind for kind in ends if kind in ("error", "synthesis_complete")] == [
            "error",
            "synthesis_complete",
            "error",
        ]
        assert await ping(worker.port) == (200, "ok")
