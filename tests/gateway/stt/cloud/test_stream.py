"""One stream under the leaping clock: what it is sent and when, and how often another one is tried."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gateway.errors import SttError
from gateway.stt.cloud.base import CloudService, Result
from gateway.stt.cloud.stream import (
    CHUNK_MS,
    KEEP_ALIVE_S,
    LONGEST_PAUSE_S,
    MAX_FAILURES,
    REPLAY_S,
    SILENT_AFTER_S,
    CloudStream,
)
from tests.rig.clock import run_leaping
from tests.rig.cloud import MemoryDeepgram, MemoryStream
from tests.rig.deepgram import BYTES_PER_S, Ears
from tests.rig.tones import silence, spoken

FLUSH, KEEP_ALIVE = MemoryDeepgram.flush, MemoryDeepgram.keep_alive
AWAY = SttError("deepgram_unreachable", "nobody", retryable=True)


class Line:
    """A stream of its own, and what it told."""

    def __init__(self, service: CloudService) -> None:
        self.results: list[Result] = []
        self.restarts: list[float] = []
        self.down: list[SttError] = []
        self.stream = CloudStream(service, "en", self.results.extend, self.restarts.append, self.down.append)

    async def feed(self, pcm: bytes, every_s: float = 0.02) -> None:
        """In true time, frame by frame."""
        for at in range(0, len(pcm), round(BYTES_PER_S * every_s)):
            self.stream.feed(pcm[at : at + round(BYTES_PER_S * every_s)])
            await asyncio.sleep(every_s)

    @property
    def words(self) -> list[str]:
        return [item.text for result in self.results if result.final for item in result.items]


@asynccontextmanager
async def line_to(service: CloudService) -> AsyncIterator[Line]:
    line = Line(service)
    line.stream.start()
    yield line
    await line.stream.close()


def test_sound_travels_in_short_messages_and_whole() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with line_to(service) as line:
            pcm = spoken("what time do you open") + silence(110)
            await line.feed(pcm)
            line.stream.flush()
            await asyncio.sleep(0.2)
        (stream,) = service.streams
        assert b"".join(stream.audio) == pcm
        assert max(map(len, stream.audio)) == BYTES_PER_S * CHUNK_MS // 1000
        assert line.words == ["what", "time", "do", "you", "open"]

    run_leaping(call())


def test_half_a_sample_waits_for_its_other_half() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with line_to(service) as line:
            pcm = spoken("yes") + silence(200)
            for begin, end in ((0, 1001), (1001, 5001), (5001, len(pcm))):
                line.stream.feed(pcm[begin:end])
                line.stream.flush()
                await asyncio.sleep(0.05)
        (stream,) = service.streams
        assert [len(message) % 2 for message in stream.audio] == [0] * len(stream.audio)
        assert b"".join(stream.audio) == pcm

    run_leaping(call())


def test_a_flush_follows_the_sound_it_is_for_and_is_asked_for_once() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with line_to(service) as line:
            line.stream.feed(spoken("yes") + silence(30))
            line.stream.flush()
            line.stream.flush()
            await asyncio.sleep(0.05)
            line.stream.flush()  # of nothing new
            await asyncio.sleep(0.2)
            assert [kind for kind, _ in service.streams[0].controls] == [FLUSH]
            assert line.words == ["yes"]

    run_leaping(call())


def test_f76_a_muted_phone_is_bridged_by_a_message_every_few_seconds_and_no_sound() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with line_to(service) as line:
            await line.feed(spoken("yes"))
            await asyncio.sleep(120.0)
            await line.feed(spoken("open") + silence(400))
            await asyncio.sleep(0.2)
        (stream,) = service.streams
        assert b"".join(stream.audio)[: len(spoken("yes"))] == spoken("yes")
        assert len(b"".join(stream.audio)) <= len(spoken("yes") + spoken("open") + silence(400))
        kept = [at_s for kind, at_s in stream.controls if kind == KEEP_ALIVE]
        assert len(kept) == 29
        assert {round(later - at_s, 6) for at_s, later in zip(kept, kept[1:], strict=False)} == {KEEP_ALIVE_S}
        assert line.words == ["yes", "open"]
        # The second word's time is of the caller's sound: nothing was said or sent for two minutes.
        assert line.results[-1].items[0].start_s == pytest.approx(len(spoken("yes")) / BYTES_PER_S, abs=0.03)

    run_leaping(call())


def test_a_phone_that_is_muted_from_the_first_moment_has_its_stream_begun_with_silence() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with line_to(service) as line:
            await asyncio.sleep(60.0)
            await line.feed(spoken("yes") + silence(380))
            await asyncio.sleep(0.2)
            assert line.words == ["yes"]
            assert line.results[-1].items[0].start_s == pytest.approx(0.0, abs=0.03)
        (stream,) = service.streams
        assert not any(stream.audio[0])
        assert len(b"".join(stream.audio)) == len(silence(CHUNK_MS) + spoken("yes") + silence(380))

    run_leaping(call())


def test_f77_a_new_stream_hears_again_what_is_not_final() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with line_to(service) as line:
            await line.feed(spoken("what time"))
            service.streams[0].end("NET-0000")
            await asyncio.sleep(1.0)
        assert line.restarts == [0.0, 0.0]
        assert b"".join(service.streams[1].audio) == spoken("what time")
        assert line.words == ["what", "time"]

    run_leaping(call())


def test_what_is_final_is_not_heard_again() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with line_to(service) as line:
            await line.feed(spoken("what time do you open") + silence(1000))
            final_s = line.results[-1].end_s
            line.stream.keep_from(final_s)
            await line.feed(spoken("yes"))
            service.streams[0].end("NET-0000")
            await asyncio.sleep(1.0)
        assert line.restarts == [0.0, pytest.approx(final_s)]
        assert line.words == ["what", "time", "do", "you", "open", "yes"]

    run_leaping(call())


def test_a_caller_who_waits_long_for_a_stream_has_the_last_of_it_heard() -> None:
    async def call() -> None:
        service = MemoryDeepgram(refusals=[AWAY] * 7)
        async with line_to(service) as line:
            await line.feed(silence(13_000) + silence(30_000))
        assert sum(map(len, service.streams[0].audio)) >= (43 - 13 - 1) * BYTES_PER_S
        assert line.stream.fed_s == pytest.approx(43.0)

    run_leaping(call())


def test_f77_streams_are_tried_at_growing_distances_and_not_for_ever() -> None:
    async def call() -> None:
        service = MemoryDeepgram(refusals=[AWAY] * 100)
        async with line_to(service) as line:
            await asyncio.sleep(60.0)
        pauses = [round(b - a, 6) for a, b in zip(service.asked_at_s, service.asked_at_s[1:], strict=False)]
        assert pauses == [0.2, 0.4, 0.8, 1.6, 3.0, 3.0, 3.0]
        assert line.down == [AWAY]
        assert line.stream.down is AWAY

    run_leaping(call())


def test_f77_streams_that_break_before_a_word_are_given_up_though_they_say_something() -> None:
    class Breaking(MemoryDeepgram):
        async def connect(self, language: str) -> MemoryStream:
            await super().connect(language)
            asyncio.get_running_loop().call_later(4.0, self.streams[-1].end, "NET-0000")  # behind a blank result
            return self.streams[-1]

    async def call() -> None:
        service = Breaking()
        async with line_to(service) as line:
            await line.feed(silence(90_000))
        assert any(not result.items for result in line.results)
        assert len(service.streams) == MAX_FAILURES
        assert [error.code for error in line.down] == ["deepgram_lost"]

    run_leaping(call())


def test_f77_streams_that_brought_words_are_replaced_as_often_as_it_takes() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with line_to(service) as line:
            for count in range(1, MAX_FAILURES + 4):
                await line.feed(spoken("yes") + silence(500))
                line.stream.keep_from(line.stream.fed_s)
                service.streams[-1].end("NET-0000")
                await asyncio.sleep(0.5)
                assert len(service.streams) == count + 1
        assert line.down == []

    run_leaping(call())


def test_a_stream_that_says_nothing_of_speech_is_replaced_and_each_next_one_is_given_more_time() -> None:
    async def call() -> None:
        service = MemoryDeepgram(mute=True)
        async with line_to(service) as line:
            line.stream.speech(0.0)
            await line.feed(spoken("what time do you open") * 12)
        waits = [round(b - a) for a, b in zip(service.asked_at_s, service.asked_at_s[1:], strict=False)]
        assert waits[:2] == [4, 8]

    run_leaping(call())


def test_a_stream_is_not_blamed_for_the_time_when_there_was_none() -> None:
    async def call() -> None:
        service = MemoryDeepgram(mute=True, refusals=[AWAY] * 5)
        async with line_to(service) as line:
            line.stream.speech(0.0)
            await line.feed(spoken("what time do you open") * 12)
        up_s, next_s = service.asked_at_s[5:7]
        assert up_s > 4.0
        assert next_s - up_s == pytest.approx(SILENT_AFTER_S + LONGEST_PAUSE_S, abs=0.1)

    run_leaping(call())


def test_a_peer_that_takes_no_sound_is_left_before_sound_is_lost() -> None:
    class Stuck(MemoryStream):
        async def send(self, message: bytes | str) -> None:
            if len(self.audio) >= 10:
                await asyncio.Event().wait()  # its window is full
            await super().send(message)

    class StuckDeepgram(MemoryDeepgram):
        async def connect(self, language: str) -> MemoryStream:
            kind = MemoryStream if self.streams else Stuck
            self.streams.append(kind(Ears(self.endpointing_ms), self.answer_s, self.idle_s, self.mute))
            return self.streams[-1]

    async def call() -> None:
        service = StuckDeepgram(idle_s=1000.0, mute=True)
        async with line_to(service) as line:
            await line.feed(silence((REPLAY_S + 3) * 1000))
            await line.feed(silence(15_000))  # of which the next one has nothing to say
            assert len(service.streams) == 2
            line.stream.speech(line.stream.fed_s)
            await line.feed(spoken("what time do you open") * 5)  # of this it should have
            assert len(service.streams) == 3
        assert len(b"".join(service.streams[1].audio)) > (REPLAY_S - 1) * BYTES_PER_S

    run_leaping(call())


def test_closing_while_no_stream_can_be_had_leaves_nothing_running() -> None:
    async def call() -> None:
        async with line_to(MemoryDeepgram(refusals=[AWAY] * 3)) as line:
            line.stream.feed(spoken("yes"))
            await asyncio.sleep(0.1)
        await line.stream.close()

    run_leaping(call())
