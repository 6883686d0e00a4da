"""The turn table: what each happening leads to, and that no order of events the parts can produce falls off it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.call.turn import TABLE, Act, Happening, ImpossibleTurn, State, Turn

H, A, S = Happening, Act, State


def after(*happenings: Happening) -> tuple[State, list[Act]]:
    turn = Turn()
    acts: list[Act] = []
    for happening in happenings:
        acts += turn.on(happening)
    return turn.state, acts


def test_speech_and_then_silence_commits_and_words_are_answered() -> None:
    state, acts = after(H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.WORDS, H.REPLY_AUDIBLE, H.REPLY_OVER)
    assert state is S.LISTENING
    assert acts == [A.STOP_END_TIMER, A.START_END_TIMER, A.COMMIT, A.REPLY]


def test_a_pause_that_ends_in_more_speech_is_no_end_of_turn() -> None:
    state, acts = after(H.SPEECH_STARTED, H.SPEECH_PAUSED, H.SPEECH_STARTED)
    assert state is S.HEARING
    assert A.COMMIT not in acts
    assert acts[-1] is A.STOP_END_TIMER


def test_words_that_come_while_the_caller_goes_on_wait_for_the_rest() -> None:
    state, acts = after(H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.SPEECH_STARTED, H.WORDS)
    assert state is S.HEARING
    assert A.REPLY not in acts


def test_a_cough_over_the_bot_changes_nothing() -> None:
    speaking = (H.PROMPT, H.REPLY_AUDIBLE)
    state, acts = after(*speaking, H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.REPLY_OVER)
    assert state is S.LISTENING
    assert A.INTERRUPT not in acts
    assert A.DISCARD in acts


def test_speech_that_lasts_interrupts_the_bot_and_is_heard_out() -> None:
    state, acts = after(H.PROMPT, H.REPLY_AUDIBLE, H.SPEECH_STARTED, H.BARGE_IN, H.SPEECH_PAUSED, H.END_SILENCE)
    assert state is S.DECIDING
    assert acts == [A.STOP_END_TIMER, A.START_BARGE_TIMER, A.INTERRUPT, A.START_END_TIMER, A.COMMIT]


def test_speech_that_resumes_before_the_reply_is_audible_abandons_it_once_it_lasts() -> None:
    asked = (H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.WORDS)
    state, acts = after(*asked, H.SPEECH_STARTED, H.BARGE_IN)
    assert state is S.HEARING
    assert acts[-1] is A.INTERRUPT


def test_a_short_word_at_the_tail_of_the_bots_sentence_is_a_turn() -> None:
    state, acts = after(H.PROMPT, H.REPLY_AUDIBLE, H.SPEECH_STARTED, H.SPEECH_PAUSED, H.REPLY_OVER, H.END_SILENCE)
    assert state is S.DECIDING
    assert acts[-1] is A.COMMIT


def test_no_words_leads_to_a_reprompt() -> None:
    state, acts = after(H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.NO_WORDS)
    assert (state, acts[-1]) == (S.THINKING, A.REPROMPT)


@pytest.mark.parametrize("state", [s for s in State if s not in (S.CLOSING, S.OVER)])
def test_a_farewell_replaces_whatever_is_under_way(state: State) -> None:
    assert TABLE[state, H.FAREWELL] == (S.CLOSING, (A.INTERRUPT, A.SAY_GOODBYE))


def test_nothing_interrupts_the_goodbye_and_its_end_hangs_up() -> None:
    state, acts = after(H.FAREWELL, H.SPEECH_STARTED, H.BARGE_IN, H.WORDS, H.FAREWELL, H.REPLY_OVER)
    assert state is S.OVER
    assert acts == [A.INTERRUPT, A.SAY_GOODBYE, A.HANG_UP]


def test_after_the_end_nothing_counts() -> None:
    assert after(H.CALL_ENDED, *H)[1] == []


def test_an_impossible_happening_names_itself_and_the_state() -> None:
    with pytest.raises(ImpossibleTurn, match="REPLY_OVER cannot happen while LISTENING"):
        Turn().on(H.REPLY_OVER)


class _World:
    """What the parts around the turn can do, by their own contracts: which happenings are possible now."""

    def __init__(self) -> None:
        self.turn = Turn()
        self.speaking = False
        self.end_timer = False
        self.barge_timer = False
        self.finals_due = 0
        self.replying = False
        self.audible = False

    def possible(self) -> list[Happening]:
        now = [H.SPEECH_PAUSED if self.speaking else H.SPEECH_STARTED, H.FAREWELL, H.CALL_ENDED]
        now += [H.END_SILENCE] if self.end_timer else []
        now += [H.BARGE_IN] if self.barge_timer else []
        now += [H.WORDS, H.NO_WORDS] if self.finals_due else []
        now += [H.REPLY_AUDIBLE, H.REPLY_OVER] if self.replying else []
        return now

    def let(self, happening: Happening) -> None:
        if happening is H.SPEECH_STARTED:
            self.speaking = True
        elif happening is H.SPEECH_PAUSED:
            self.speaking = False
        elif happening is H.END_SILENCE:
            self.end_timer = False
        elif happening is H.BARGE_IN:
            self.barge_timer = False
        elif happening in (H.WORDS, H.NO_WORDS):
            self.finals_due -= 1
        elif happening is H.REPLY_OVER:
            self.replying = False
        for act in self.turn.on(happening):
            self._do(act)

    def _do(self, act: Act) -> None:
        if act in (A.START_END_TIMER, A.STOP_END_TIMER):
            self.end_timer = act is A.START_END_TIMER
        elif act in (A.START_BARGE_TIMER, A.STOP_BARGE_TIMER):
            self.barge_timer = act is A.START_BARGE_TIMER
        elif act is A.COMMIT:
            self.finals_due += 1
        elif act in (A.REPLY, A.REPROMPT, A.SAY_GOODBYE):
            self.replying = True
        elif act is A.INTERRUPT:
            self.replying = False


@given(st.lists(st.integers(0, 99), max_size=60), st.booleans())
def test_no_order_of_events_that_the_parts_can_produce_falls_off_the_table(choices: list[int], greeted: bool) -> None:
    world = _World()
    if greeted:
        world.let(H.PROMPT)
        world.replying = True
    for choice in choices:
        possible = world.possible()
        world.let(possible[choice % len(possible)])
