"""A recogniser over a service, and everything it says."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.errors import SttError
from gateway.stt.base import Final, SttEvent
from gateway.stt.cloud.base import CloudService
from gateway.stt.cloud.recogniser import CloudRecogniser
from gateway.stt.vad import VoiceActivity
from media.level import rms_dbfs
from tests.rig.waiting import until

Said = list[SttEvent | SttError]


def loudness() -> VoiceActivity:
    """Sound is judged by loudness: tones are no voice."""
    return VoiceActivity(rms_dbfs, start_threshold=-40.0, end_threshold=-46.0, frame_samples=320)


@asynccontextmanager
async def listening(service: CloudService, language: str = "en") -> AsyncIterator[tuple[CloudRecogniser, Said]]:
    ears = CloudRecogniser(service, loudness(), language)
    said: Said = []

    async def read() -> None:
        while True:
            try:
                async for event in ears.events():
                    said.append(event)
                return
            except SttError as error:
                said.append(error)

    reader = asyncio.create_task(read())
    await ears.open()
    try:
        yield ears, said
    finally:
        await ears.close()
        await reader


def finals(said: Said) -> list[str]:
    return [event.text for event in said if isinstance(event, Final)]


async def answered(said: Said, commits: int = 1) -> None:
    """Wait until so many commits have their words."""
    await until(lambda: len(finals(said)) >= commits)
