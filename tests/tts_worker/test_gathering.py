"""Items are texts; each letter is a phoneme, the first one names the session."""

from hypothesis import given
from hypothesis import strategies as st

from tts_worker.engine import BatchLimit
from tts_worker.fair_queue import FairQueue
from tts_worker.gathering import gather

WIDE = BatchLimit(pieces=8, phonemes=4_000)


def queue_of(*items: str, opens: bool = True) -> FairQueue[str]:
    queue = FairQueue[str]()
    for item in items:
        queue.push(item[0], item, opens=opens)
    return queue


def gathered(queue: FairQueue[str], limit: BatchLimit = WIDE) -> list[str]:
    return gather(queue, limit, len)


def test_an_empty_queue_gives_no_batch() -> None:
    assert gathered(queue_of()) == []


def test_all_that_is_ready_goes_together() -> None:
    assert gathered(queue_of("a" * 30, "b" * 40, "c" * 25)) == ["a" * 30, "b" * 40, "c" * 25]


def test_a_batch_of_one_is_the_next_item_whatever_its_length() -> None:
    queue = queue_of("a" * 500, "b")

    assert gathered(queue, BatchLimit()) == ["a" * 500]
    assert gathered(queue, BatchLimit()) == ["b"]


def test_the_number_of_pieces_is_bounded() -> None:
    queue = queue_of(*(letter * 30 for letter in "abcdefghij"))

    assert len(gathered(queue, BatchLimit(pieces=4, phonemes=4_000))) == 4
    assert len(queue) == 6


def test_what_lies_behind_the_shorter_ends_counts_too() -> None:
    queue = queue_of("a" * 100, "b" * 60, "c" * 60)

    assert [len(item) for item in gathered(queue, BatchLimit(pieces=8, phonemes=200))] == [100, 60]


def test_a_first_piece_does_not_wait_for_a_long_later_one() -> None:
    queue = queue_of("a" * 240, opens=False)
    queue.push("b", "b" * 30, opens=True)
    queue.push("c", "c" * 35, opens=True)

    assert gathered(queue) == ["b" * 30, "c" * 35]
    assert gathered(queue) == ["a" * 240]


def test_a_long_piece_that_never_fits_is_not_put_off_for_ever() -> None:
    queue = queue_of("a" * 240, opens=False)
    batches = 0
    while "a" * 240 not in gathered(queue):
        batches += 1
        for session in "bcd":
            queue.push(session, session * 30, opens=True)
    assert batches <= 10


@given(
    lengths=st.lists(st.tuples(st.sampled_from("ABCDEF"), st.integers(1, 510), st.booleans()), max_size=60),
    pieces=st.integers(1, 8),
    phonemes=st.integers(510, 4_000),
)
def test_every_item_leaves_once_in_its_sessions_order_and_no_batch_is_too_large(
    lengths: list[tuple[str, int, bool]], pieces: int, phonemes: int
) -> None:
    queue = FairQueue[str]()
    pushed: dict[str, list[str]] = {}
    for session, length, opens in lengths:
        queue.push(session, session * length, opens=opens)
        pushed.setdefault(session, []).append(session * length)
    left: dict[str, list[str]] = {}
    while batch := gathered(queue, BatchLimit(pieces, phonemes)):
        assert len(batch) <= pieces
        assert len(batch) * max(map(len, batch)) <= phonemes
        for item in batch:
            left.setdefault(item[0], []).append(item)
    assert left == pushed
