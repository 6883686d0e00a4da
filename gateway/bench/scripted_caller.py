"""Callers whose every word has a known moment, and ears that hear exactly those words, as a streaming service would."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gateway.simulator.caller import CallerTurn
from gateway.simulator.script import Script
from gateway.stt.base import Final, Partial, Recogniser, SpeechPaused, SpeechStarted, SttEvent
from gateway.stt.energy import EnergyRecogniser, EnergyRecognisers
from gateway.stt.event_queue import EventQueue

RATE_HZ = 8000
# An unhurried speaker: three words a second.
WORD_S = 0.33
PARTIAL_EVERY_S = 0.25
# Silence in front of and behind an utterance, as recordings have it.
_EDGE_S = 0.1


@dataclass(frozen=True, slots=True)
class Breath:
    """Words said without a pause, and the hesitation behind them. No words make a noise of `seconds`."""

    text: str = field(repr=False)
    pause_ms: int = 0
    seconds: float = 0.0
    level: float = 5000.0

    @property
    def sounds_s(self) -> float:
        return self.seconds or len(self.text.split()) * WORD_S


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn of a scripted caller: `words` are (moment within the recording at which it has been said, word)."""

    turn: CallerTurn
    words: tuple[tuple[float, str], ...] = field(repr=False)


def utterance(name: str, breaths: Sequence[Breath], interrupt_after_s: float | None = None) -> Utterance:
    """Noise as loud as speech for the words, silence for the hesitations."""
    rng = np.random.default_rng(len(breaths))
    parts, words, at_s = [np.zeros(round(_EDGE_S * RATE_HZ))], [], _EDGE_S
    end_s = at_s
    for breath in breaths:
        parts.append(rng.normal(0, breath.level, round(breath.sounds_s * RATE_HZ)).clip(-30_000, 30_000))
        said = breath.text.split()
        words += [(at_s + (n + 1) * breath.sounds_s / len(said), word) for n, word in enumerate(said)]
        end_s = at_s + breath.sounds_s
        at_s = end_s + breath.pause_ms / 1000
        parts.append(np.zeros(round(breath.pause_ms / 1000 * RATE_HZ)))
    parts.append(np.zeros(round(_EDGE_S * RATE_HZ)))
    pcm = np.concatenate(parts).astype("<i2").tobytes()
    text = " ".join(word for _, word in words)
    turn = CallerTurn(name, pcm, text, speech_start_s=_EDGE_S, speech_end_s=end_s, interrupt_after_s=interrupt_after_s)
    return Utterance(turn, tuple(words))


class Transcript:
    """What the caller has said by when, read from the simulator's script while it runs."""

    def __init__(self, script: Script, utterances: Sequence[Utterance]) -> None:
        self._script = script
        self._words: Mapping[str, Utterance] = {u.turn.name: u for u in utterances}

    def said(self, from_s: float, upto_s: float) -> str:
        """The words whose end lies in the span."""
        words = []
        for spoken in self._script.spoken:
            began_s = spoken.start_s - spoken.turn.speech_start_s
            found = self._words[spoken.turn.name].words
            words += [word for at_s, word in found if from_s < began_s + at_s <= upto_s]
        return " ".join(words)


class ScriptedRecogniser:
    """Speech by loudness; words from the transcript, as partials every PARTIAL_EVERY_S and `behind_s` after a pause."""

    partials = True

    def __init__(self, inner: EnergyRecogniser, transcript: Transcript, behind_s: float) -> None:
        self._inner = inner
        self._transcript = transcript
        self._behind_s = behind_s
        self._events = EventQueue()
        self._following: asyncio.Task[None] | None = None
        self._fed_s = 0.0
        self._from_s = 0.0  # words up to here belong to an earlier commit, or were discarded
        self._said = ""
        self._due_s: float | None = None  # when the next partial is due

    async def open(self) -> None:
        self._following = asyncio.create_task(self._follow(), name="scripted ears")

    def feed(self, pcm: bytes) -> None:
        self._fed_s += len(pcm) / 32_000
        self._inner.feed(pcm)
        if self._due_s is not None and self._fed_s >= self._due_s:
            self._due_s = self._fed_s + PARTIAL_EVERY_S
            self._tell()

    def commit(self) -> None:
        text = self._transcript.said(self._from_s, self._heard_upto_s)
        self._from_s, self._said = self._heard_upto_s, ""
        self._events.put(Final(text, self._fed_s, 0.0))

    def discard(self) -> None:
        self._from_s, self._said = self._heard_upto_s, ""

    def events(self) -> AsyncIterator[SttEvent]:
        return self._events

    async def close(self) -> None:
        await self._inner.close()
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait({self._following})
        self._events.close()
        await asyncio.sleep(0)

    @property
    def _heard_upto_s(self) -> float:
        # Words end within the frame that is fed a moment later.
        return self._fed_s + 0.05

    def _tell(self) -> None:
        text = self._transcript.said(self._from_s, self._heard_upto_s)
        if text and text != self._said:
            self._said = text
            self._events.put(Partial(text, self._fed_s))

    async def _follow(self) -> None:
        async for event in self._inner.events():
            if isinstance(event, SpeechStarted):
                self._due_s = event.at_s + PARTIAL_EVERY_S
            if isinstance(event, SpeechPaused):
                self._due_s = self._fed_s + self._behind_s
                self._said = ""  # told once more: now it covers the pause
            if not isinstance(event, Final):
                self._events.put(event)


class ScriptedRecognisers(EnergyRecognisers):
    """Makes the ears of one call."""

    def __init__(self, transcript: Transcript, behind_s: float = 0.1) -> None:
        super().__init__(["unused"])
        self._transcript = transcript
        self._behind_s = behind_s

    def recogniser(self, language: str) -> Recogniser:  # type: ignore[override]  # wider, as the protocol has it
        return ScriptedRecogniser(super().recogniser(language), self._transcript, self._behind_s)
