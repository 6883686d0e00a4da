"""Who has answered, by what was heard and when; no clock and no audio."""

import pytest

from gateway.call.answering import AnsweredBy, Answering, AnsweringRules, is_beep
from media.beep import Tone

RULES = AnsweringRules()
HUMAN, MACHINE, FAX = AnsweredBy.HUMAN, AnsweredBy.MACHINE, AnsweredBy.FAX
STEP_S = 0.05


def seen(*sounds: tuple[float, float], until_s: float) -> tuple[Answering, float | None]:
    """Look every 50 ms at sounds given by their beginning and end; and when it was known who answered."""
    answering, known_s = Answering(), None
    for step in range(round(until_s / STEP_S) + 1):
        now_s = step * STEP_S
        speaking = any(begin <= now_s < end for begin, end in sounds)
        ended_s = max((end for begin, end in sounds if end <= now_s), default=0.0)
        answering.look(now_s, speaking, 0.0 if speaking else now_s - ended_s)
        if answering.answered_by is not None and known_s is None:
            known_s = now_s
    return answering, known_s


@pytest.mark.parametrize("length_s", [0.2, 0.6, 1.2, 2.2])
def test_a_short_sound_and_the_silence_behind_it_are_a_person(length_s: float) -> None:
    answering, known_s = seen((0.5, 0.5 + length_s), until_s=5.0)
    assert answering.answered_by is HUMAN
    assert known_s == pytest.approx(0.5 + length_s + RULES.human_silence_s, abs=0.11)


def test_a_sound_that_goes_on_is_a_machine_its_short_pauses_included() -> None:
    answering, known_s = seen((0.5, 1.5), (1.9, 2.6), (3.0, 5.0), until_s=6.0)
    assert answering.answered_by is MACHINE
    assert known_s == pytest.approx(0.5 + 2.4 + 0.1, abs=0.2)


def test_nobody_who_says_anything_is_a_person() -> None:
    answering, known_s = seen(until_s=4.0)
    assert answering.answered_by is HUMAN
    assert known_s == pytest.approx(RULES.silent_s, abs=0.06)


def test_a_beep_makes_a_machine_of_anybody() -> None:
    answering, _ = seen((0.3, 0.9), until_s=2.0)
    assert answering.answered_by is HUMAN
    answering.heard(Tone(1000.0, 2.0, 2.4))
    assert answering.answered_by is MACHINE
    assert answering.may_speak(2.6)


def test_a_machine_takes_a_message_after_a_beep_a_silence_or_a_long_wait() -> None:
    answering, _ = seen((0.0, 4.0), until_s=5.0)
    assert not answering.may_speak(5.0)
    assert answering.may_speak(4.0 + RULES.message_silence_s + 0.1)
    talking, _ = seen((0.0, 60.0), until_s=44.0)
    assert not talking.may_speak(44.0)
    assert talking.may_speak(RULES.longest_wait_s)


def test_a_tone_without_an_end_is_a_fax_machine() -> None:
    answering = Answering()
    answering.look(1.0, False, 0.0, tone_s=1.0)
    assert answering.answered_by is None
    answering.look(1.6, False, 0.0, tone_s=1.6)
    assert answering.answered_by is FAX
    answering.heard(Tone(1000.0, 3.0, 3.3))
    assert answering.answered_by is FAX


def test_a_calling_fax_machine_repeats_itself() -> None:
    answering = Answering()
    answering.heard(Tone(1100.0, 1.0, 1.5))
    assert answering.answered_by is None
    answering.heard(Tone(1102.0, 4.5, 5.0))
    assert answering.answered_by is FAX


def test_what_the_platform_tells_is_not_overruled_by_what_is_guessed() -> None:
    answering = Answering()
    answering.told(HUMAN)
    answering.look(9.0, True, 0.0)
    assert answering.answered_by is HUMAN
    answering.told(MACHINE, announced=True)
    assert (answering.answered_by, answering.may_speak(0.0)) == (MACHINE, True)


@pytest.mark.parametrize(
    ("hz", "seconds", "beep"),
    [(1000, 0.2, True), (1400, 1.2, True), (440, 0.3, True), (425, 1.0, False), (425, 0.5, False), (2100, 3.0, False)],
)
def test_ringing_busy_lines_and_fax_machines_do_not_beep(hz: float, seconds: float, beep: bool) -> None:
    assert is_beep(Tone(hz, 0.0, seconds)) is beep
