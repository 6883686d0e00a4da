"""Cost of cutting and speaking text; prints one table: `python -m tests.bench.text`.

It measures and never judges: what must hold is in tests/gateway/text.
"""

import time
from collections.abc import Callable
from functools import partial

from gateway.text.chunker import SentenceChunker
from gateway.text.speakable import speak

REPLY = {
    "en": "Your order no. 20817 left at 9 a.m. from the U.S. depot, e.g. by van (see p. 4.). It costs $1,204.50. ",
    "id": "Pesanan no. 20817 dikirim pukul 09.30 dari Jl. Melati. Totalnya Rp1.250.000 untuk dr. Ratna, S.Kom. ",
    "zh": "您的包裹已经寄出。他写道“车坏了。我会迟到。”然后关了手机。这杯茶18.5元。",
}
# Long enough that a cost which grows with the length would show in the second column.
SHORT_CHARS, LONG_CHARS = 10_000, 100_000
# Four characters are a usual token of a language model.
DELTA_CHARS = 4
SPEAK_ROUNDS = 200


def seconds(work: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    work()
    return time.perf_counter() - started_s


def feed(language: str, chars: int, delta_chars: int) -> None:
    """Feed `chars` characters in deltas of `delta_chars`."""
    text = (REPLY[language] * (chars // len(REPLY[language]) + 1))[:chars]
    chunker = SentenceChunker(language)
    for at in range(0, chars, delta_chars):
        chunker.feed(text[at : at + delta_chars])
    chunker.flush()


def main() -> None:
    """Print the cost per character and per delta, and of speaking a sentence."""
    print(f"{'language':10}{'us/char, 10k':>14}{'us/char, 100k':>15}{'us/delta of 4':>15}{'ms/spoken reply':>17}")
    for language, reply in REPLY.items():
        short = seconds(partial(feed, language, SHORT_CHARS, 1)) / SHORT_CHARS
        long = seconds(partial(feed, language, LONG_CHARS, 1)) / LONG_CHARS
        deltas = seconds(partial(feed, language, LONG_CHARS, DELTA_CHARS))
        speak(reply, language)  # the first time loads the language's rules
        spoken = sum(seconds(partial(speak, reply, language)) for _ in range(SPEAK_ROUNDS))
        columns = (short * 1e6, long * 1e6, deltas / (LONG_CHARS / DELTA_CHARS) * 1e6, spoken / SPEAK_ROUNDS * 1e3)
        print(f"{language:10}{columns[0]:14.2f}{columns[1]:15.2f}{columns[2]:15.2f}{columns[3]:17.2f}")


if __name__ == "__main__":
    main()
