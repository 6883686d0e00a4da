"""Measures what SageMaker's stream adds to the first audio on loopback: `python -m tests.bench.sagemaker [SENTENCES]`.

One worker with the tone engine, asked in turn over its WebSocket and through the emulated service with the real SDK.
The emulator runs in the same process and is Python: the real service's time is not in these numbers.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from gateway.tts.base import SpeechAudio, SpeechDone
from gateway.tts.sagemaker import SageMakerEndpoint, SageMakerSpeech
from gateway.tts.session import PersistentSession
from gateway.tts.websocket import WebSocketSpeech
from tests.rig.certificates import AUTHORITY, write_certificates
from tests.rig.sagemaker import Sidecar, serving
from tests.rig.worker import running_worker

OPENINGS = 15
# Between sentences: back to back, the two ways would delay each other.
PAUSE_S = 0.05


async def first_audio_ms(session: PersistentSession, text: str) -> float:
    began_s, first_s = time.perf_counter(), 0.0
    session.speak(text)
    async for event in session.events():
        if isinstance(event, SpeechAudio) and not first_s:
            first_s = time.perf_counter()
        if isinstance(event, SpeechDone):
            break
    return (first_s - began_s) * 1000


async def opening_ms(factory: WebSocketSpeech | SageMakerSpeech) -> float:
    session = factory.session("af_heart", "en", 1.0)
    began_s = time.perf_counter()
    await session.open()
    took_s = time.perf_counter() - began_s
    await session.close()
    return took_s * 1000


async def measure(certificates: Path, sentences: int) -> None:
    with running_worker() as worker:
        async with serving(Sidecar(worker.url), certificates) as service:
            ways: dict[str, WebSocketSpeech | SageMakerSpeech] = {
                "websocket": WebSocketSpeech(worker.url),
                "sagemaker": SageMakerSpeech(SageMakerEndpoint("voice", "eu-west-1", url=service.url)),
            }
            openings = {name: [await opening_ms(factory) for _ in range(OPENINGS)] for name, factory in ways.items()}
            sessions = {name: factory.session("af_heart", "en", 1.0) for name, factory in ways.items()}
            firsts: dict[str, list[float]] = {name: [] for name in ways}
            for session in sessions.values():
                await session.open()
            for n in range(sentences):
                for name, session in sessions.items():
                    firsts[name].append(await first_audio_ms(session, f"Good morning, how can I help you? {n}"))
                    await asyncio.sleep(PAUSE_S)
            for session in sessions.values():
                await session.close()
    for name in ways:
        cuts = statistics.quantiles(firsts[name], n=20)
        print(
            f"{name}: first audio p50 {statistics.median(firsts[name]):.1f} ms, p95 {cuts[-1]:.1f} ms; "
            f"opening p50 {statistics.median(openings[name]):.0f} ms"
        )
    ratio = statistics.median(firsts["sagemaker"]) / statistics.median(firsts["websocket"])
    print(f"sagemaker / websocket, first audio p50: {ratio:.2f}")


def main() -> None:
    sentences = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    with tempfile.TemporaryDirectory() as folder:
        write_certificates(Path(folder))
        os.environ["SSL_CERT_FILE"] = str(Path(folder) / AUTHORITY)  # before the SDK's first client
        os.environ |= {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example"}
        asyncio.run(measure(Path(folder), sentences))


if __name__ == "__main__":
    main()
