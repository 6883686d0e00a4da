"""Measures the languages with the real models: `python -m tests.bench.languages [LANGUAGE …] [--voices A,B]`.

Every sentence of tests/vectors/speech is spoken by Kokoro, sent through 8 kHz µ-law, and heard by Whisper base. Prints
the word error rate of each voice (of Chinese and Japanese, the character error rate), and how far the starts of the
words that were understood are from where Whisper's attention puts them. It measures and never judges: the bounds are
in tests/integration.
"""

import argparse
import statistics
import sys

from tests.rig.speech import (
    VOICES,
    Speech,
    character_error_rate,
    error_rate,
    heard,
    onset_errors_s,
    say,
    sentences,
    time_errors_s,
)
from tts_worker.kokoro import KokoroEngine
from tts_worker.kokoro_onnx import build_engine

_UNSPACED = ("ja", "zh")


def spoken(engine: KokoroEngine, options: argparse.Namespace, language: str, voice: str) -> list[Speech]:
    return [say(engine, line, language, voice, options.speed) for line in sentences(language)[: options.sentences]]


def print_errors(language: str, voice: str, speeches: list[Speech], *, verbose: bool) -> None:
    pairs = [(speech.text, heard(speech)) for speech in speeches]
    if verbose:
        for said, understood in pairs:
            print(f"  {said}\n    {understood}")
    characters = character_error_rate(*(" ".join(side) for side in zip(*pairs, strict=True)))
    if language in _UNSPACED:
        print(
            f"{language:6}{voice:14}{len(pairs):4} sentences, {100 * characters:.1f} % of characters wrong", flush=True
        )
        return
    print(
        f"{language:6}{voice:14}{len(pairs):4} sentences, {100 * error_rate(pairs):.1f} % of words wrong, "
        f"{100 * characters:.1f} % of characters",
        flush=True,
    )


def print_times(speeches: list[Speech]) -> None:
    """Whisper's own lead shows as the median offset; the onsets after pauses are measured in the audio itself."""
    whisper_ms = [1000 * error for speech in speeches for error in time_errors_s(speech)]
    onset_ms = [1000 * error for speech in speeches for error in onset_errors_s(speech)]
    for name, errors_ms in (("Whisper", whisper_ms), ("sound after a pause", onset_ms)):
        if len(errors_ms) < 2:
            print(f"      {name}: too few words")
            continue
        offset_ms = statistics.median(errors_ms)
        sizes_ms, spread_ms = sorted(map(abs, errors_ms)), [abs(error - offset_ms) for error in errors_ms]
        print(
            f"      against {name}: {len(errors_ms)} words, median error {statistics.median(sizes_ms):.0f} ms, "
            f"p90 {statistics.quantiles(sizes_ms, n=10)[-1]:.0f} ms; offset {offset_ms:+.0f} ms, "
            f"around it {statistics.median(spread_ms):.0f} ms",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(VOICES)} (default: all)")
    parser.add_argument("--voices", default="", help="comma-separated; default: the one of tests/rig/speech.py")
    parser.add_argument("--sentences", type=int, help="only the first so many of each language")
    parser.add_argument("--speed", type=float, default=0.0, help="speaking rate (default: the language's)")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads of Kokoro")
    parser.add_argument("--verbose", action="store_true", help="print what was said and heard")
    options = parser.parse_args()
    if unknown := set(options.languages) - set(VOICES):
        sys.exit(f"no sentences in {', '.join(sorted(unknown))}; there are {', '.join(VOICES)}")
    engine = build_engine("", "", options.threads, "cpu")
    engine.warm_up()
    for language in options.languages or VOICES:
        for voice in options.voices.split(",") if options.voices else [VOICES[language]]:
            speeches = spoken(engine, options, language, voice)
            print_errors(language, voice, speeches, verbose=options.verbose)
            if language not in _UNSPACED:
                print_times(speeches)


if __name__ == "__main__":
    main()
