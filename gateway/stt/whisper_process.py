"""The process that holds Whisper: `python -m gateway.stt.whisper_process --model DIR --threads N`.

A process of its own, because nothing else can stop a run that hangs, and a crash in native code ends no call. It
reads jobs from standard input and writes a line for each to standard output until its input ends, as it does when
the gateway dies.
"""

import argparse
import math
import os
import string
import sys
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from gateway.stt.base import STT_RATE_HZ
from gateway.stt.whisper_wire import AudioJob, Transcript, encode_line, read_job

# The encoder's time grows faster than its window (12 s: 80 ms, 20 s: 150 ms, 30 s: 380 ms on one core pair), and its
# accuracy stays until speech fills the window: with less than 4 s of silence behind it the decoder repeats itself.
WINDOWS_S = (12, 20, 30)
_SILENCE_BEHIND_S = 4
# What was said before, as the model is told: it writes on in that manner. Whisper leaves "um" and "uh" out, by which
# callers show that more comes, and reads "mm-hm" as a word, unless it has seen them written. Of the recorded callers'
# words 8 % are wrong with it, 9 % without. For Indonesian it helped nothing.
_MANNERS = {"en": " Mm-hm. Uh-huh. Um, so, uh, I'd like to, um, and..."}
# Speech has at most about 5 words a second, 1.5 tokens a word; a decoder that repeats itself is cut off here.
_TOKENS_PER_S = 8
_TOKENS_LEAST = 24
# A language that the model is so sure of is believed. Whoever speaks with an accent it does not know is below that in
# every language: then the words are read in two, and the reading that the model finds likelier is taken.
_PLAUSIBLE = 0.5
# The readings' mean log probabilities differ by 0.3 a token and more where one language is wrong, by 0.1 where it is
# hard to tell; as if over so many tokens they become a share, and below the second share the expected language stays.
_READING_TOKENS = 8
_SURE_SHARE = 0.8
# Whisper's own limit for text that repeats itself.
_REPETITIVE = 2.4
# Mean log probabilities. Of 147 telephone prompts and read sentences, single words among them, one was below -1.3 and
# none below -1.5; what is made of noise, hum and coughs lies around -1.9, with or without "no speech".
_GUESSED_LOGPROB = -1.5
_UNSURE_LOGPROB = -1.0
# Interruptions of less than a second lie above it; most of "mm-hm" and the like, where they are read as words, below.
_SURE_LOGPROB = -0.7
_NO_SPEECH = 0.5
# What the training data says over silence and noise; believed only when the model thinks that it hears speech.
_HALLUCINATED = frozenset(
    {"thanks for watching", "thank you for watching", "thank you", "you", "bye", "subtitles by the amaraorg community"}
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """One run of the decoder and what it says about itself."""

    text: str
    no_speech: float
    avg_logprob: float

    @property
    def repetitive(self) -> bool:
        raw = self.text.encode()
        return len(raw) / len(zlib.compress(raw)) > _REPETITIVE if raw else False


def window_s(duration_s: float) -> int:
    """Return the shortest window that leaves silence behind the speech, else the longest."""
    return next((window for window in WINDOWS_S if duration_s + _SILENCE_BEHIND_S <= window), WINDOWS_S[-1])


def believed_words(decoded: Decoded) -> str:
    """Return the text, or nothing when it was most likely invented over noise or silence."""
    bare = decoded.text.lower().translate(str.maketrans("", "", string.punctuation)).strip()
    guessed = decoded.avg_logprob < _GUESSED_LOGPROB
    no_speech = decoded.no_speech > _NO_SPEECH and (decoded.avg_logprob < _UNSURE_LOGPROB or bare in _HALLUCINATED)
    return "" if not bare or guessed or no_speech or decoded.repetitive else decoded.text


@dataclass(frozen=True, slots=True)
class Spoken:
    """The language that was heard, and its share among those that could be."""

    language: str
    share: float = 1.0


def candidates(likelihoods: Mapping[str, float], known: Sequence[str]) -> list[Spoken]:
    """The language to read in: the likeliest of the `known`, or of all; two where none of the known is plausible.

    Of two the first is the expected one, which is the first known.
    """
    if not known:
        code = max(likelihoods, key=lambda code: likelihoods[code])
        return [Spoken(code, likelihoods[code])]
    total = sum(likelihoods.get(code, 0.0) for code in known) or 1.0
    best, *others = sorted(known, key=lambda code: -likelihoods.get(code, 0.0))
    if likelihoods.get(best, 0.0) >= _PLAUSIBLE:
        return [Spoken(best, likelihoods[best] / total)]
    return [Spoken(known[0]), Spoken(best if best != known[0] else others[0])]


def better_reading(expected: tuple[Decoded, str], other: tuple[Decoded, str]) -> tuple[Decoded, Spoken]:
    """The likelier of two readings with the share of its language; the expected one unless the other is sure."""
    lead = other[0].avg_logprob - expected[0].avg_logprob
    share = 0.0 if other[0].repetitive else 1.0 / (1.0 + math.exp(-_READING_TOKENS * lead))
    if share >= _SURE_SHARE:
        return other[0], Spoken(other[1], share)
    return expected[0], Spoken(expected[1], 1.0 - share)


class Transcriber(Protocol):
    """Turns one job's audio into words; may raise anything."""

    def transcribe(self, job: AudioJob) -> Transcript: ...


class WhisperModel:
    """faster-whisper's parts, run greedily over one short window: no timestamps, no context, no second temperature."""

    def __init__(self, folder: str, threads: int) -> None:
        # Slow to import, and not installed in a gateway that uses a cloud recogniser.
        from faster_whisper import WhisperModel as Loaded
        from faster_whisper.tokenizer import Tokenizer
        from faster_whisper.transcribe import get_suppressed_tokens

        self._loaded = Loaded(folder, device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)
        self._tokenizer_class = Tokenizer
        self._suppressed = get_suppressed_tokens(self._tokenizer("en"), [-1])

    def transcribe(self, job: AudioJob) -> Transcript:
        """Return the words of the job's audio; what the model raises is not translated here."""
        began_s = time.perf_counter()
        samples = np.frombuffer(job.pcm, np.int16).astype(np.float32) / np.float32(32_768)
        window = window_s(len(samples) / STT_RATE_HZ)
        decoded, spoken = self._decode(samples, window, job.language)
        if decoded.repetitive and window < WINDOWS_S[-1]:
            decoded, spoken = self._decode(samples, WINDOWS_S[-1], job.language)
        took_s = time.perf_counter() - began_s
        sure = decoded.avg_logprob >= _SURE_LOGPROB
        return Transcript(believed_words(decoded), spoken.language, took_s, spoken.share, sure)

    def _decode(self, samples: npt.NDArray[np.float32], window: int, languages: str) -> tuple[Decoded, Spoken]:
        size = window * STT_RATE_HZ
        padded = np.zeros(size, np.float32)
        padded[: min(size, len(samples))] = samples[:size]
        encoded = self._loaded.encode(self._loaded.feature_extractor(padded, padding=0))
        most_tokens = _TOKENS_LEAST + int(_TOKENS_PER_S * min(window, len(samples) / STT_RATE_HZ))
        heard = self._spoken_language(encoded, languages.split(",") if languages else [])
        prepared = len(heard) == 1
        first, *second = [(self._read(encoded, s.language, most_tokens, prepared), s.language) for s in heard]
        return better_reading(first, second[0]) if second else (first[0], heard[0])

    def _spoken_language(self, encoded: Any, known: Sequence[str]) -> list[Spoken]:
        """One more step of the decoder, over what is encoded anyway, unless there is nothing to choose."""
        if len(known) == 1:
            return [Spoken(known[0])]
        likelihoods = {token.strip("<|>"): share for token, share in self._loaded.model.detect_language(encoded)[0]}
        return candidates(likelihoods, known)

    def _read(self, encoded: Any, language: str, most_tokens: int, prepared: bool) -> Decoded:
        tokenizer = self._tokenizer(language)
        # Two readings are compared by how likely they are, so neither may be prepared for.
        before = tokenizer.encode(_MANNERS[language]) if prepared and language in _MANNERS else []
        prompt = self._loaded.get_prompt(tokenizer, before, without_timestamps=True)
        result = self._loaded.model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=len(prompt) + most_tokens,
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
            suppress_tokens=self._suppressed,
        )[0]
        tokens = result.sequences_ids[0]
        # The score is a mean over the tokens; the end token, which is no part of them, counts as well.
        avg_logprob = result.scores[0] * len(tokens) / (len(tokens) + 1)
        return Decoded(tokenizer.decode(tokens).strip(), result.no_speech_prob, avg_logprob)

    def _tokenizer(self, language: str) -> Any:
        multilingual = self._loaded.model.is_multilingual
        return self._tokenizer_class(self._loaded.hf_tokenizer, multilingual, task="transcribe", language=language)


def serve(model: Transcriber, jobs: BinaryIO, lines: BinaryIO) -> None:
    """Answer jobs until the pipe is closed. A job that fails is answered with an error; the next one is served."""
    lines.write(encode_line(ready=True))
    lines.flush()
    while (job := read_job(jobs)) is not None:
        try:
            found = model.transcribe(job)
            line = encode_line(number=job.number, **asdict(found))
        except Exception as error:  # the process must outlive whatever native code makes of one job
            line = encode_line(number=job.number, error=repr(error))
        lines.write(line)
        lines.flush()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m gateway.stt.whisper_process", description="Whisper behind pipes.")
    parser.add_argument("--model", required=True, help="folder of a faster-whisper model")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    arguments = parser.parse_args()
    # Libraries print to descriptor 1; the protocol keeps it for itself.
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        model = WhisperModel(arguments.model, arguments.threads)
    except Exception as error:  # whatever the libraries find wrong with the files, or their absence
        lines.write(encode_line(error=repr(error)))
        lines.close()
        sys.exit(1)
    serve(model, sys.stdin.buffer, lines)


if __name__ == "__main__":
    main()
