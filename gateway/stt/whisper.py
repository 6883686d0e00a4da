"""Recognition with Whisper while the caller still speaks.

During speech there are partials, as many as the engine has time for. As soon as speech fades, everything since the last
commit is transcribed in advance; if that turns out to be a pause, and the end of the turn, these are the final words.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gateway.errors import SttError
from gateway.stt.base import Partial, SpeechPaused, SpeechStarted, SttEvent
from gateway.stt.commits import Commits
from gateway.stt.event_queue import EventQueue
from gateway.stt.silero import FRAME_SAMPLES, SileroScore, load_silero
from gateway.stt.utterance import LONGEST_PIECE_S, PREROLL_S, CallerAudio, Piece, Utterance, to_s, to_samples
from gateway.stt.vad import VoiceActivity
from gateway.stt.whisper_engine import WhisperEngine, Worker
from gateway.stt.whisper_jobs import Job, Purpose
from gateway.stt.whisper_pipe import PipeWorker, whisper_command
from gateway.stt.whisper_wire import Transcript

# New audio that makes another partial worth its time. What is under way when speech ends delays the final words, and
# nobody needs the words of one who speaks on.
_PARTIAL_EVERY_S = 1.0
# What is read in less speech may be no words at all: of half a second of "uh-huh" it makes "We're home.", and is sure.
_READABLE_S = 0.65


@dataclass(slots=True, eq=False)
class _Ahead:
    """Open speech since `begin`, being transcribed up to `upto`; 0 until the engine has taken it up."""

    begin: int
    job: Job | None = None
    upto: int = 0
    outcome: Transcript | SttError | None = None
    pause: Piece | None = None  # the pause that turned out to be covered


class WhisperRecogniser:
    """One call's ears. Used from the loop's thread only."""

    partials = True

    def __init__(self, engine: WhisperEngine, activity: VoiceActivity, *languages: str) -> None:
        """`languages` are codes, the expected one first; "auto" is any."""
        self._engine = engine
        self._activity = activity
        self._languages = [] if languages == ("auto",) else list(languages)
        self._events = EventQueue()
        self._audio = CallerAudio()
        self._said = Utterance()
        self._commits = Commits(self._events)
        # Audio before it has been transcribed for good, or forgotten.
        self._floor = 0
        self._partial_from: int | None = None
        self._ahead: _Ahead | None = None
        self._fading = False

    async def open(self) -> None:
        """Begin to load the model, unless it is loaded; audio is kept meanwhile. SttError when the engine is down."""
        self._engine.start()
        if self._engine.down:
            raise SttError("stt_engine_down", "the Whisper process fails again and again")

    def feed(self, pcm: bytes) -> None:
        self._audio.append(pcm)
        for transition in self._activity.feed(pcm):
            self._events.put(transition)
            match transition:
                case SpeechStarted(at_s):
                    self._started(at_s)
                case SpeechPaused(at_s):
                    self._paused(at_s)
        if self._said.begin is not None:
            self._follow()

    def commit(self) -> None:
        """End the utterance. A piece that failed in advance is tried again now."""
        said = self._take_utterance()
        self._commits.add(said)
        for piece in said.pieces:
            if piece.outcome is None and piece.job is not None:
                self._engine.hasten(piece.job)
            elif not isinstance(piece.outcome, Transcript):
                self._transcribe(said, piece, Purpose.FINAL)
        self._commits.settle()

    def discard(self) -> None:
        self._take_utterance()
        self._engine.drop(self, finals=False)

    def expect(self, language: str) -> None:
        self._languages.sort(key=lambda known: known != language)  # stable: the others keep their order

    def events(self) -> AsyncIterator[SttEvent]:
        """A retryable SttError stands for one Final; iterate anew to go on."""
        return self._events

    async def close(self) -> None:
        self._commits.forget()
        self._engine.drop(self, finals=True)
        self._events.close()
        await asyncio.sleep(0)  # lets the reader see the end

    def _started(self, at_s: float) -> None:
        closed = self._said.resume(to_samples(at_s), self._floor)
        if closed is not None:
            self._floor = closed.end
            if closed.job is not None:
                self._engine.hasten(closed.job)  # no later pause may replace it
        self._partial_from = self._audio.end

    def _paused(self, at_s: float) -> None:
        said = self._said
        assert said.begin is not None
        said.speech_end_s = at_s
        said.pause = Piece(said.begin, self._audio.end)
        said.begin = None
        ahead = self._ahead
        if ahead is None or ahead.begin != said.pause.begin or ahead.upto < to_samples(at_s):
            self._engine.drop(self, finals=False)
            self._transcribe(said, said.pause, Purpose.PAUSE)
        elif ahead.outcome is None:
            ahead.pause, said.pause.job = said.pause, ahead.job
        else:
            self._piece_done(said, said.pause, ahead.outcome)

    def _follow(self) -> None:
        """The caller speaks on: close what is long enough, and ask for the words when there is reason to."""
        said, end = self._said, self._audio.end
        assert said.begin is not None
        faded, self._fading = self._fading, self._activity.fading
        if end - said.begin >= to_samples(LONGEST_PIECE_S):
            piece = said.close_open(self._audio.quietest(end))
            self._floor = piece.end
            self._transcribe(said, piece, Purpose.FINAL)
        elif self._fading and not faded:
            self._ask_ahead(said, Purpose.FADING)
        elif self._partial_from is not None and end - self._partial_from >= to_samples(_PARTIAL_EVERY_S):
            self._ask_ahead(said, Purpose.PARTIAL)

    def _transcribe(self, said: Utterance, piece: Piece, purpose: Purpose) -> None:
        pcm = self._audio.cut(piece.begin, piece.end)
        piece.outcome = None
        piece.job = Job(self, purpose, ",".join(self._languages), lambda: pcm, partial(self._piece_done, said, piece))
        self._engine.submit(piece.job)

    def _piece_done(self, said: Utterance, piece: Piece, outcome: Transcript | SttError) -> None:
        piece.outcome, piece.job = outcome, None
        if piece is self._said.pause and said.text:
            sure = piece.transcript is None or _stands_by(piece.transcript, to_samples(said.speech_end_s) - piece.begin)
            self._events.put(Partial(said.text, to_s(piece.end), sure))
        self._commits.settle()

    def _ask_ahead(self, said: Utterance, purpose: Purpose) -> None:
        self._partial_from = None
        assert said.begin is not None
        ahead = _Ahead(said.begin)

        def newest() -> bytes:
            ahead.upto = self._audio.end
            return self._audio.cut(ahead.begin, ahead.upto)

        ahead.job = Job(self, purpose, ",".join(self._languages), newest, partial(self._ahead_done, said, ahead))
        self._ahead = ahead
        self._engine.submit(ahead.job)

    def _ahead_done(self, said: Utterance, ahead: _Ahead, outcome: Transcript | SttError) -> None:
        ahead.outcome = outcome
        if ahead.pause is not None:
            self._piece_done(said, ahead.pause, outcome)
        elif said is self._said and said.begin == ahead.begin:
            self._partial_from = ahead.upto
            if isinstance(outcome, Transcript) and outcome.text:
                text = f"{said.text} {outcome.text}" if said.text else outcome.text
                self._events.put(Partial(text, to_s(ahead.upto), _stands_by(outcome, ahead.upto - ahead.begin)))

    def _take_utterance(self) -> Utterance:
        """Return the utterance, its open speech closed, and begin a new one; a speaker who speaks on is in both."""
        said, self._said = self._said, Utterance()
        self._ahead = None
        if said.begin is not None:
            said.speech_end_s = to_s(self._audio.end)
            said.close_open(self._audio.end)
            self._said.begin = self._partial_from = self._audio.end
        if said.pieces:
            self._floor = said.pieces[-1].end
        return said


def _stands_by(read: Transcript, samples: int) -> bool:
    """Whether what was read in so many samples, the preroll included, is likely what was said."""
    return read.sure and to_s(samples) - PREROLL_S >= _READABLE_S


class WhisperRecognisers:
    """Makes one recogniser a call; all share one Whisper process. The model is loaded at the first call, or by ready().

    `model_dir` is the folder of a faster-whisper model. The thresholds are speech probabilities, see vad.py.
    """

    def __init__(
        self,
        model_dir: Path,
        *,
        threads: int = 1,
        pause_ms: int = 96,
        min_speech_ms: int = 90,
        start_threshold: float = 0.5,
        end_threshold: float = 0.35,
    ) -> None:
        """SttError `vad_weights` when the VAD is not installed."""
        self._command = whisper_command(model_dir, threads)
        self._engine = WhisperEngine(self.start_worker)
        self._silero = load_silero()
        self._pause_ms = pause_ms
        self._min_speech_ms = min_speech_ms
        self._start_threshold = start_threshold
        self._end_threshold = end_threshold

    def recogniser(self, language: str) -> WhisperRecogniser:
        """`language` is a code such as "en", or "auto" to find it in what is said."""
        return self.polyglot([language])

    def polyglot(self, languages: Sequence[str]) -> WhisperRecogniser:
        activity = VoiceActivity(
            SileroScore(self._silero),
            start_threshold=self._start_threshold,
            end_threshold=self._end_threshold,
            min_speech_ms=self._min_speech_ms,
            pause_ms=self._pause_ms,
            frame_samples=FRAME_SAMPLES,
        )
        return WhisperRecogniser(self._engine, activity, *languages)

    async def start_worker(self) -> Worker:
        """Start the process that all calls share; WorkerLost when it does not come up."""
        return await PipeWorker.start(self._command)

    async def ready(self) -> bool:
        """Whether the model is loaded; the first question begins to load it."""
        self._engine.start()
        return self._engine.ready

    async def close(self) -> None:
        await self._engine.close()
