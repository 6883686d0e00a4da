import asyncio

from gateway.errors import SttError
from gateway.stt.base import Final, SttEvent
from gateway.stt.commits import COMMIT_DEADLINE_S, Commits
from gateway.stt.event_queue import EventQueue
from gateway.stt.utterance import Piece, Utterance
from gateway.stt.whisper_wire import Transcript
from tests.rig.clock import run_leaping


def waiting_utterance() -> Utterance:
    return Utterance(pause=Piece(0, 16_000), speech_end_s=1.0)


def answer(utterance: Utterance, text: str) -> None:
    assert utterance.pause is not None
    utterance.pause.outcome = Transcript(text, "en")


async def next_event(events: EventQueue) -> SttEvent | SttError:
    try:
        return await anext(events)
    except SttError as error:
        return error


def test_words_that_are_ready_are_the_final_at_once() -> None:
    async def scene() -> None:
        events = EventQueue()
        commits, said = Commits(events), waiting_utterance()
        answer(said, "yes")
        commits.add(said)
        commits.settle()
        assert await next_event(events) == Final("yes", 1.0, 0.0, "en")

    run_leaping(scene())


def test_the_wait_is_counted_from_the_commit() -> None:
    async def scene() -> None:
        events = EventQueue()
        commits, said = Commits(events), waiting_utterance()
        commits.add(said)
        await asyncio.sleep(0.25)
        answer(said, "yes")
        commits.settle()
        commits.settle()
        assert await next_event(events) == Final("yes", 1.0, 0.25, "en")
        events.close()

    run_leaping(scene())


def test_finals_keep_the_order_of_the_commits() -> None:
    async def scene() -> None:
        events = EventQueue()
        commits, first, second = Commits(events), waiting_utterance(), waiting_utterance()
        commits.add(first)
        commits.add(second)
        for utterance, text in ((second, "second"), (first, "first")):
            answer(utterance, text)
            commits.settle()
        finals = [await next_event(events), await next_event(events)]
        assert [final.text for final in finals if isinstance(final, Final)] == ["first", "second"]

    run_leaping(scene())


def test_a_commit_is_answered_with_an_error_when_its_deadline_strikes_and_the_next_one_is_not_held_up() -> None:
    async def scene() -> None:
        events = EventQueue()
        commits, late, fine = Commits(events), waiting_utterance(), waiting_utterance()
        began_s = asyncio.get_running_loop().time()
        commits.add(late)
        commits.add(fine)
        answer(fine, "yes")
        commits.settle()
        error = await next_event(events)
        assert isinstance(error, SttError)
        assert (error.code, error.retryable) == ("stt_overdue", True)
        assert asyncio.get_running_loop().time() - began_s == COMMIT_DEADLINE_S
        assert isinstance(await next_event(events), Final)

    run_leaping(scene())


def test_the_deadline_leaves_pieces_that_have_their_words_alone() -> None:
    async def scene() -> None:
        events = EventQueue()
        commits, said = Commits(events), waiting_utterance()
        said.closed.append(Piece(0, 1, outcome=Transcript("kept")))
        commits.add(said)
        assert isinstance(await next_event(events), SttError)
        assert said.text == "kept"

    run_leaping(scene())


def test_forgotten_commits_are_never_answered() -> None:
    async def scene() -> None:
        events = EventQueue()
        commits, said = Commits(events), waiting_utterance()
        commits.add(said)
        commits.forget()
        answer(said, "yes")
        commits.settle()
        await asyncio.sleep(2 * COMMIT_DEADLINE_S)
        events.put(Final("sentinel", 0.0, 0.0))
        final = await next_event(events)
        assert isinstance(final, Final)
        assert final.text == "sentinel"

    run_leaping(scene())
