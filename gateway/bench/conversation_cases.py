"""What is said in the measured conversations: a published workload, interruptions, and sounds that are none."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from gateway.bench.scripted_caller import Breath, Utterance, utterance

# About thirty tokens each, as in the workload.
REPLIES = (
    "Of course, I can help you with that. We have tables free at seven and at half past eight tomorrow evening.",
    "Thank you. I have noted it down, and you will get a short message with all the details in a minute or two.",
    "We open at nine in the morning and close at six. On Saturday we open at ten, and on Sunday we are closed.",
    "Yes, there is a car park right behind the house, and it costs two euros an hour during the whole day.",
)
INTERRUPTIONS = (
    "Wait, I meant Sunday.",
    "No, that's wrong.",
    "Sorry, can I ask something else?",
    "Stop, please.",
    "What about tomorrow?",
    "Hold on a second.",
    "I already know that.",
    "Actually, make it five people.",
)
BACKCHANNELS = ("Mm-hm.", "Yeah.", "Okay.", "Uh huh.", "Right.", "Yeah, okay.", "I see.", "Mhm, mhm.")


def published_workload(marks: bool = True) -> list[Utterance]:
    """Eight turns, three minutes; the third and sixth with hesitations of 600, 700, 800 and 900 ms inside.

    The recogniser marks the ends of sentences and nothing else, so two of the hesitations in each come after words that
    could have been the end, and two after words that could not. Without `marks` there are none at all.
    """
    turns: Sequence[Sequence[Breath]] = (
        [Breath("Hello, I would like to book a table for tomorrow evening.")],
        [Breath("Do you have anything at half past eight?")],
        [
            Breath("I think that we will be", 600),
            Breath("four people", 700),
            Breath("or maybe, um,", 800),
            Breath("five if my sister", 900),
            Breath("comes along.")
        ],
        [Breath("Yes, please.")],
        [Breath("What time do you close?")],
        [
            Breath("My phone number is 555", 700),
            Breath("0142", 600),
            Breath("and you can also", 900),
            Breath("send a message to my wife", 800),
            Breath("if I do not answer.")
        ],
        [Breath("Is there a place to park near the restaurant?")],
        [Breath("Thank you very much, goodbye.")],
    )  # fmt: skip
    if not marks:
        turns = [[replace(b, text=re.sub(r"[.,?]", "", b.text).lower()) for b in breaths] for breaths in turns]
    return [utterance(f"turn {number}", breaths) for number, breaths in enumerate(turns, 1)]


def question(number: int) -> Utterance:
    """A turn that makes the bot speak."""
    return utterance(f"question {number}", [Breath("What time do you open?")])


def interruption(rng: random.Random, number: int) -> Utterance:
    """Real words, at any moment of the reply."""
    text = rng.choice(INTERRUPTIONS)
    return utterance(f"interruption {number}", [Breath(text)], interrupt_after_s=rng.uniform(0.05, 4.5))


def backchannel(rng: random.Random, number: int) -> Utterance:
    text = rng.choice(BACKCHANNELS)
    seconds = rng.uniform(0.25, 0.4) * len(text.split())
    return utterance(f"backchannel {number}", [Breath(text, seconds=seconds)], interrupt_after_s=rng.uniform(0.2, 3.5))


def noise(rng: random.Random, number: int) -> Utterance:
    """A cough, a door, a chair: no words."""
    breath = Breath("", seconds=rng.uniform(0.06, 1.4), level=rng.uniform(1000, 8000))
    return utterance(f"noise {number}", [breath], interrupt_after_s=rng.uniform(0.2, 3.5))
