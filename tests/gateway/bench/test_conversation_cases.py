"""What is measured: the published workload as published, and sounds that are what they are called."""

import random

from gateway.bench.conversation_cases import backchannel, interruption, noise, published_workload, question
from gateway.call.hearing.interruption import Meaning, meaning


def test_the_workload_has_eight_turns_two_of_which_hesitate() -> None:
    workload = published_workload()
    assert len(workload) == 8
    pauses = [
        [round(1000 * (b - a)) for (a, _), (b, _) in zip(u.words, u.words[1:], strict=False) if b - a > 0.5]
        for u in workload
    ]
    hesitating = [sorted(found) for found in pauses if found]
    assert hesitating == [[930, 1030, 1130, 1230]] * 2  # from word end to word end: a word takes 330 ms


def test_without_marks_there_are_none() -> None:
    text = " ".join(u.turn.text for u in published_workload(marks=False))
    assert not set(text) & set(".,?")
    assert text == text.lower()


def test_sounds_are_what_they_are_called() -> None:
    rng = random.Random(1)
    for number in range(20):
        assert meaning(interruption(rng, number).turn.text, ("en",), "") is Meaning.WORDS
        assert meaning(backchannel(rng, number).turn.text, ("en",), "") is Meaning.BACKCHANNEL
        assert noise(rng, number).words == ()
    assert question(1).turn.interrupt_after_s is None
