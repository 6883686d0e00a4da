"""Recording callers through a speech session, and the recordings the project has."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.errors import TtsError
from gateway.simulator.caller import load_turns
from gateway.simulator.record import CALLERS, Line, main, missing_lines, record, record_missing
from gateway.tts.base import Delivery, SpeechAudio, SpeechBegan, SpeechDone, SpeechEvent, SpeechFailed, SpeechSession
from media import wav
from tests.gateway.simulator.echo import tone
from tests.rig.clock import run_leaping

RATE_HZ = 24_000


class Events:
    """Replays events; then it hangs, or ends."""

    def __init__(self, events: list[SpeechEvent], hangs: bool) -> None:
        self._events = list(events)
        self._hangs = hangs

    def __aiter__(self) -> AsyncIterator[SpeechEvent]:
        return self

    async def __anext__(self) -> SpeechEvent:
        if self._events:
            return self._events.pop(0)
        if self._hangs:
            await asyncio.sleep(3600)
        raise StopAsyncIteration


class Voice:
    """A speech session that says a second of tone, or other events; it knows whether it was closed."""

    rate_hz = RATE_HZ

    def __init__(self, events: list[SpeechEvent] | None = None, hangs: bool = True) -> None:
        second = tone(1.0) * 3  # three seconds of samples at 8 kHz are one at 24 kHz
        first, rest = SpeechAudio(1, second[:4063]), SpeechAudio(1, second[4063:])
        said: list[SpeechEvent] = [SpeechBegan(1), first, rest, SpeechDone(1, RATE_HZ)]
        self._events = said if events is None else events
        self._hangs = hangs
        self.said: list[str] = []
        self.closed = False

    async def open(self) -> None:
        pass

    def speak(self, text: str, delivery: Delivery | None = None) -> int:
        self.said.append(text)
        return len(self.said)

    def cancel(self) -> None:
        raise NotImplementedError

    def events(self) -> AsyncIterator[SpeechEvent]:
        return Events(self._events, self._hangs)

    async def close(self) -> None:
        self.closed = True


class Voices:
    """Hands out one voice and remembers what was asked for."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self.asked: list[tuple[str, str, float]] = []

    def session(self, voice: str, language: str, speed: float) -> SpeechSession:
        self.asked.append((voice, language, speed))
        return self.voice

    async def ready(self) -> bool:
        return True

    async def close(self) -> None:
        pass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    manifest = {
        "there.wav": {"text": "Hello.", "voice": "af_bella"},
        "new.wav": {"text": "Bye.", "voice": "bm_lewis", "speed": 0.85, "language": "en-gb"},
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    wav.save(tmp_path / "there.wav", tone(0.1), 8000)
    return tmp_path


def test_only_what_is_missing_is_recorded(folder: Path) -> None:
    assert missing_lines(folder) == [Line(folder / "new.wav", "Bye.", "bm_lewis", 0.85, "en-gb")]


def test_a_line_is_spoken_and_written_at_the_telephones_rate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voices = Voices(Voice())
    run_leaping(record_missing(folder, voices))
    assert voices.voice.said == ["Bye."]
    assert voices.asked == [("bm_lewis", "en-gb", 0.85)]
    assert voices.voice.closed
    assert len(wav.load(folder / "new.wav", 8000)) == 16_000
    assert capsys.readouterr().out == "new.wav: 1.0 s, bm_lewis\n"
    assert missing_lines(folder) == []


@pytest.mark.parametrize(
    ("voice", "code"),
    [
        (Voice([SpeechFailed(1, "unknown_voice")]), "unknown_voice"),
        (Voice([SpeechBegan(1)]), "too_slow"),
        (Voice([SpeechBegan(1)], hangs=False), "session_ended"),
    ],
)
def test_a_line_that_is_not_spoken_leaves_no_file_and_no_session(folder: Path, voice: Voice, code: str) -> None:
    with pytest.raises(TtsError) as failed:
        run_leaping(record(missing_lines(folder)[0], Voices(voice)))
    assert failed.value.code == code
    assert voice.closed
    assert not (folder / "new.wav").exists()


def test_with_nothing_missing_no_worker_is_needed(folder: Path) -> None:
    wav.save(folder / "new.wav", tone(0.1), 8000)
    assert main(["--url", "ws://127.0.0.1:1", "--folder", str(folder)]) == 0


def test_a_folder_without_manifest_is_told_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--url", "ws://127.0.0.1:1", "--folder", str(tmp_path)]) == 1
    assert "could not be made" in capsys.readouterr().err


@pytest.mark.parametrize(("folder", "voices"), [(CALLERS, 4), (CALLERS.with_name("callers_id"), 1)])
def test_every_recorded_caller_is_there_with_words_and_speech(folder: Path, voices: int) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert sorted(manifest) == sorted(path.name for path in folder.glob("*.wav"))
    assert len({entry["voice"] for entry in manifest.values()}) >= voices
    for turn in load_turns([folder / name for name in manifest], 8000):
        assert turn.text == manifest[turn.name]["text"]
        assert 0.5 < turn.speech_end_s - turn.speech_start_s < 6.0
        assert (folder / turn.name).stat().st_size < 100_000


def test_a_line_without_a_language_is_english(folder: Path) -> None:
    (folder / "there.wav").unlink()
    assert [line.language for line in missing_lines(folder)] == ["en", "en-gb"]
