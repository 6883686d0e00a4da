import io
import subprocess
from pathlib import Path

import pytest

from config.models import ModelStore
from gateway.stt.whisper_pipe import whisper_command
from gateway.stt.whisper_process import (
    WINDOWS_S,
    Decoded,
    Spoken,
    WhisperModel,
    believed_words,
    better_reading,
    candidates,
    serve,
    window_s,
)
from gateway.stt.whisper_wire import AudioJob, Transcript, decode_line, encode_job
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw
from media.transcode import Inbound
from media.wav import load

SPEECH = Path(__file__).parent / "speech"
QUESTION = "Can I bring my little brother to the lesson on Saturday?"


@pytest.mark.parametrize(
    ("duration_s", "window"), [(0.5, 12), (8.0, 12), (8.1, 20), (16.0, 20), (16.1, 30), (26.0, 30), (30.0, 30)]
)
def test_the_shortest_window_that_leaves_silence_behind_the_speech_is_chosen(duration_s: float, window: int) -> None:
    assert window_s(duration_s) == window


def test_words_the_model_is_sure_of_are_believed() -> None:
    assert believed_words(Decoded("Yes.", no_speech=0.2, avg_logprob=-0.6)) == "Yes."
    assert believed_words(Decoded("Thank you.", no_speech=0.05, avg_logprob=-0.2)) == "Thank you."


@pytest.mark.parametrize(
    "invented",
    [
        Decoded("", 0.9, -0.5),
        Decoded(" ... ", 0.3, -0.9),
        Decoded("I'm going to go to the next one.", 0.29, -1.72),
        Decoded("Beep, beep.", 0.64, -1.1),
        Decoded("you", 0.92, -0.55),
        Decoded("Thanks for watching!", 0.6, -0.4),
        Decoded("No, thank you. " * 20, 0.1, -0.1),
    ],
)
def test_what_is_made_of_noise_is_blank(invented: Decoded) -> None:
    assert believed_words(invented) == ""


class EchoModel:
    """Tells how much audio a job had; fails on a job without any."""

    def transcribe(self, job: AudioJob) -> Transcript:
        if not job.pcm:
            raise RuntimeError("no audio")
        return Transcript(f"{len(job.pcm)} bytes", job.language, 0.5)


def test_jobs_are_answered_one_by_one_and_one_that_fails_does_not_end_the_process() -> None:
    jobs = [AudioJob(7, "en", b"ab"), AudioJob(8, "en", b""), AudioJob(9, "id", b"abcd")]
    answers = io.BytesIO()
    serve(EchoModel(), io.BytesIO(b"".join(map(encode_job, jobs))), answers)
    assert [decode_line(line) for line in answers.getvalue().splitlines(keepends=True)] == [
        {"ready": True},
        {"number": 7, "text": "2 bytes", "language": "en", "language_share": 1.0, "took_s": 0.5, "sure": True},
        {"number": 8, "error": "RuntimeError('no audio')"},
        {"number": 9, "text": "4 bytes", "language": "id", "language_share": 1.0, "took_s": 0.5, "sure": True},
    ]


def telephone(name: str) -> bytes:
    inbound = Inbound(ULAW_8K, 16_000)
    return inbound.feed(pcm_to_ulaw(load(SPEECH / name, 8000))) + inbound.flush()


@pytest.fixture(scope="module")
def model() -> WhisperModel:
    return WhisperModel(str(ModelStore().locate("whisper-base")), threads=1)


@pytest.mark.models
class TestWithTheRealModel:
    @pytest.mark.parametrize("seconds_of_silence", [0, 8, 20])
    def test_a_question_over_the_telephone_is_understood_in_every_window(
        self, model: WhisperModel, seconds_of_silence: int
    ) -> None:
        pcm = telephone("question.wav") + bytes(32_000 * seconds_of_silence)
        words = model.transcribe(AudioJob(1, "en", pcm)).text.lower()
        assert "bring my little brother to the lesson on saturday" in words

    def test_the_language_is_found_when_none_is_given(self, model: WhisperModel) -> None:
        assert model.transcribe(AudioJob(1, "", telephone("question.wav"))).language == "en"

    @pytest.mark.parametrize("duration_s", [0.3, 3, 11, 29])
    def test_silence_has_no_words_in_any_window(self, model: WhisperModel, duration_s: float) -> None:
        assert model.transcribe(AudioJob(1, "en", bytes(int(16_000 * duration_s) * 2))).text == ""

    def test_speech_that_fills_its_window_is_not_repeated(self, model: WhisperModel) -> None:
        whole = telephone("question.wav")
        text = model.transcribe(AudioJob(1, "en", whole * 2)).text.lower()
        assert 1 <= text.count("saturday") <= 2
        assert window_s(len(whole * 2) / 32_000) < WINDOWS_S[-1]

    def test_the_process_says_ready_answers_and_ends_with_its_input(self) -> None:
        command = whisper_command(ModelStore().locate("whisper-base"), threads=1)
        jobs = encode_job(AudioJob(5, "en", telephone("yes.wav")))
        done = subprocess.run(command, input=jobs, stdout=subprocess.PIPE, timeout=60, check=True)
        ready, answer = (decode_line(line) for line in done.stdout.splitlines(keepends=True))
        assert ready == {"ready": True}
        assert answer["number"] == 5
        assert answer["text"].lower().startswith("yes")


@pytest.mark.parametrize(
    ("likelihoods", "known", "chosen"),
    [
        ({"en": 0.9, "id": 0.1}, ["en", "id"], [Spoken("en", 0.9)]),
        ({"en": 0.1, "id": 0.9}, ["en", "id"], [Spoken("id", 0.9)]),
        ({"en": 0.02, "id": 0.58, "ms": 0.4}, ["en", "id"], [Spoken("id", 0.58 / 0.6)]),  # no other counts
        ({"ro": 0.5, "en": 0.1, "id": 0.05}, ["en", "id", "es"], [Spoken("en"), Spoken("id")]),
        ({"ro": 0.5, "en": 0.1, "id": 0.05}, ["id", "en", "es"], [Spoken("id"), Spoken("en")]),
        ({"ms": 1.0}, ["en", "id"], [Spoken("en"), Spoken("id")]),
        ({"ms": 0.7, "en": 0.3}, [], [Spoken("ms", 0.7)]),
    ],
)
def test_a_plausible_language_is_taken_and_two_are_tried_without(
    likelihoods: dict[str, float], known: list[str], chosen: list[Spoken]
) -> None:
    assert candidates(likelihoods, known) == chosen


@pytest.mark.parametrize(("lead", "text", "language"), [(0.4, "a b", "id"), (0.1, "a b", "en"), (-0.4, "a b", "en")])
def test_of_two_readings_the_expected_stays_unless_the_other_is_likelier(lead: float, text: str, language: str) -> None:
    decoded, spoken = better_reading((Decoded("x y", 0.1, -0.8), "en"), (Decoded(text, 0.1, -0.8 + lead), "id"))
    assert (spoken.language, decoded.text) == (language, text if language == "id" else "x y")
    assert 0.0 < spoken.share < 1.0


def test_a_reading_that_repeats_itself_is_never_the_better_one() -> None:
    other = Decoded("terima kasih, " * 20, 0.1, -0.1)
    assert better_reading((Decoded("x", 0.1, -0.8), "en"), (other, "id"))[1] == Spoken("en", 1.0)
