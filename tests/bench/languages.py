"""Measures the languages with the real models: `python -m tests.bench.languages [LANGUAGE …] [--voices A,B]`.

Every sentence of tests/vectors/speech is spoken by Kokoro and heard by Whisper base, beside the voice and through
8 kHz µ-law. Prints how many words and characters are wrong, and how far word times are from the sound and from
Whisper's. It measures and never judges: the bounds are in tests/integration.
"""

import argparse
import importlib
import statistics
import sys
from collections import defaultdict

from tests.rig.speech import (
    SENTENCES,
    TUNING,
    VOICES,
    Speech,
    character_error_rate,
    comparable,
    error_rate,
    heard,
    heard_beside,
    misheard_rate,
    one_spelling,
    say,
    sentences,
)
from tests.rig.word_times import differences_s, end_errors_s, heard_words, pauses, spoken_words, start_errors_s
from tts_worker.kokoro import KokoroEngine

_UNSPACED = ("ja", "zh")


def spoken(engine: KokoroEngine, options: argparse.Namespace, language: str, voice: str) -> list[Speech]:
    lines = sentences(language, TUNING if options.tuning else SENTENCES)[: options.sentences]
    return [say(engine, line, language, voice, options.speed) for line in lines]


def print_errors(language: str, voice: str, speeches: list[Speech], *, verbose: bool) -> None:
    for line, listen in (("voice itself, 24 kHz", heard_beside), ("telephone, 8 kHz µ-law", heard)):
        pairs = [comparable(speech, listen(speech)) for speech in speeches]
        if verbose:
            for said, understood in pairs:
                print(f"  {said}\n    {understood}")
        characters = character_error_rate(*(" ".join(side) for side in zip(*pairs, strict=True)))
        alike = [one_spelling(language, pair) for pair in pairs]
        words = (
            f"{100 * error_rate(pairs):5.1f} % of words wrong, {100 * error_rate(alike):5.1f} % in one spelling, "
            f"{100 * misheard_rate(pairs):5.1f} % but for spaces, "
        )
        rates = f"{'' if language in _UNSPACED else words}{100 * characters:4.1f} % of characters"
        print(f"{language:4}{voice:22}{len(pairs):3} sentences, {line:23}: {rates}", flush=True)


def print_times(speeches: list[Speech]) -> None:
    """Whisper's own times are held against the sound too: its lead is not the engine's delay."""
    errors: dict[str, list[float]] = defaultdict(list)
    for speech in speeches:
        ours, theirs, silences = spoken_words(speech), heard_words(speech), pauses(speech)
        errors["starts against the sound after a pause"] += start_errors_s(ours, silences)
        errors["ends against the sound before a pause"] += end_errors_s(ours, silences)
        errors["starts against Whisper's"] += differences_s(ours, theirs, lambda word: word.start_s)
        errors["ends against Whisper's"] += differences_s(ours, theirs, lambda word: word.end_s)
        errors["Whisper's starts against the sound"] += start_errors_s(theirs, silences)
        errors["Whisper's ends against the sound"] += end_errors_s(theirs, silences)
    for name, errors_s in errors.items():
        print(f"    {name:40}: {_spread(errors_s)}", flush=True)


def _spread(errors_s: list[float]) -> str:
    if len(errors_s) < 2:
        return "too few words"
    offset_s = statistics.median(errors_s)
    sizes_s = sorted(map(abs, errors_s))
    around_s = statistics.median(abs(error - offset_s) for error in errors_s)
    return (
        f"{len(errors_s):4} words, median error {1000 * statistics.median(sizes_s):3.0f} ms, "
        f"p90 {1000 * statistics.quantiles(sizes_s, n=10)[-1]:3.0f} ms; "
        f"offset {1000 * offset_s:+4.0f} ms, around it {1000 * around_s:3.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(VOICES)} (default: all)")
    parser.add_argument("--voices", default="", help="comma-separated; default: the one of tests/rig/speech.py")
    parser.add_argument("--sentences", type=int, help="only the first so many of each language")
    parser.add_argument("--speed", type=float, default=0.0, help="speaking rate (default: the language's)")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads of Kokoro")
    parser.add_argument("--engine", choices=("onnx", "torch"), default="onnx", help="torch needs its own environment")
    parser.add_argument("--tuning", action="store_true", help="the sentences that settings are chosen by, instead")
    parser.add_argument("--verbose", action="store_true", help="print what was said and heard")
    options = parser.parse_args()
    if unknown := set(options.languages) - set(VOICES):
        sys.exit(f"no sentences in {', '.join(sorted(unknown))}; there are {', '.join(VOICES)}")
    module = importlib.import_module(f"tts_worker.kokoro_{options.engine}")  # only one of the runtimes is installed
    engine: KokoroEngine = module.build_engine("", "", options.threads, "cpu")
    engine.warm_up()
    for language in options.languages or VOICES:
        for voice in options.voices.split(",") if options.voices else [VOICES[language]]:
            speeches = spoken(engine, options, language, voice)
            print_errors(language, voice, speeches, verbose=options.verbose)
            if language not in _UNSPACED:
                print_times(speeches)


if __name__ == "__main__":
    main()
