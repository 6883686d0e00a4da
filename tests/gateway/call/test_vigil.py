"""The clocks that end every call."""

from gateway.call.turn import State
from gateway.call.vigil import MEDIA_GONE_S, Vigil

S = State


def test_a_quiet_line_is_over_after_the_silence() -> None:
    vigil = Vigil(max_call_s=600, silence_s=10)
    assert not vigil.is_over(9.5, S.LISTENING, audible=False)
    assert vigil.is_over(10.0, S.LISTENING, audible=False)


def test_a_bot_that_is_heard_or_at_work_keeps_the_call() -> None:
    vigil = Vigil(max_call_s=600, silence_s=10)
    for now_s, state, audible in ((8.0, S.LISTENING, True), (16.0, S.THINKING, False), (24.0, S.SPEAKING_OVER, False)):
        assert not vigil.is_over(now_s, state, audible)
    assert not vigil.is_over(33.5, S.LISTENING, audible=False)
    assert vigil.is_over(34.0, S.LISTENING, audible=False)


def test_a_caller_who_speaks_keeps_the_call_while_there_is_audio_of_it() -> None:
    vigil = Vigil(max_call_s=600, silence_s=10)
    vigil.audio_came(20.0)
    assert not vigil.is_over(20.0 + MEDIA_GONE_S / 2, S.HEARING, audible=False)
    assert not vigil.is_over(30.9, S.HEARING, audible=False)
    assert vigil.is_over(31.0, S.HEARING, audible=False)


def test_nothing_outlasts_the_hard_cap() -> None:
    vigil = Vigil(max_call_s=600, silence_s=10)
    vigil.audio_came(600.0)
    assert vigil.is_over(600.0, S.HEARING, audible=True)


def test_a_goodbye_on_its_way_starts_its_own_deadline() -> None:
    assert Vigil(max_call_s=600, silence_s=10).is_over(1.0, S.CLOSING, audible=True)


def test_an_idle_caller_is_asked_twice_and_the_question_is_no_sign_of_life() -> None:
    vigil = Vigil(max_call_s=600, silence_s=30, idle_s=8)
    asked: list[float] = []
    for half_s in range(2, 60):
        now_s = half_s / 2
        asking = bool(asked) and now_s - asked[-1] < 1.5
        state = S.SPEAKING if asking else S.LISTENING
        assert not vigil.is_over(now_s, state, asking, asking)
        if vigil.is_idle(now_s, state, asking):
            asked.append(now_s)
    assert asked == [8.0, 16.0]
    assert vigil.is_over(30.0, S.LISTENING, audible=False)


def test_a_caller_who_answers_may_be_asked_again_later() -> None:
    vigil = Vigil(max_call_s=600, silence_s=30, idle_s=8)
    assert vigil.is_idle(8.0, S.LISTENING, audible=False)
    vigil.audio_came(9.5)
    vigil.is_over(9.5, S.HEARING, audible=False)
    assert not vigil.is_idle(16.0, S.LISTENING, audible=False)
    assert vigil.is_idle(17.5, S.LISTENING, audible=False)


def test_without_a_time_nobody_is_asked() -> None:
    assert not Vigil(max_call_s=600, silence_s=30).is_idle(29.0, S.LISTENING, audible=False)
