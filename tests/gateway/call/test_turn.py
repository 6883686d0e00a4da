"""The turn table: what each happening leads to, and that no order of events the parts can produce falls off it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.call.turn import BOT_HAS_THE_FLOOR, TABLE, Act, Happening, ImpossibleTurn, State, Turn

H, A, S = Happening, Act, State


SPEAKING = (H.PROMPT, H.REPLY_AUDIBLE)


def after(*happenings: Happening) -> tuple[State, list[Act]]:
    turn = Turn()
    acts: list[Act] = []
    for happening in happenings:
        acts += turn.on(happening)
    return turn.state, acts


def test_speech_and_then_silence_commits_and_words_are_answered() -> None:
    state, acts = after(H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.WORDS, H.REPLY_AUDIBLE, H.REPLY_OVER)
    assert state is S.LISTENING
    assert acts == [A.STOP_END_TIMER, A.DROP, A.START_END_TIMER, A.COMMIT, A.REPLY, A.REARM_END_TIMER]


def test_a_pause_that_ends_in_more_speech_is_no_end_of_turn() -> None:
    state, acts = after(H.SPEECH_STARTED, H.SPEECH_PAUSED, H.SPEECH_STARTED)
    assert state is S.HEARING
    assert A.COMMIT not in acts
    assert acts[-2:] == [A.STOP_END_TIMER, A.DROP]


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


def test_a_sound_that_lasts_makes_the_bot_hold_and_words_make_it_give_way() -> None:
    state, acts = after(*SPEAKING, H.SPEECH_STARTED, H.BARGE_IN, H.MEANT, H.SPEECH_PAUSED, H.END_SILENCE)
    assert state is S.DECIDING
    assert [act for act in acts if act in (A.HOLD, A.INTERRUPT, A.RESUME, A.COMMIT)] == [A.HOLD, A.INTERRUPT, A.COMMIT]


def test_a_sound_without_words_is_let_go_and_the_bot_goes_on() -> None:
    state, acts = after(*SPEAKING, H.SPEECH_STARTED, H.BARGE_IN, H.SPEECH_PAUSED, H.MERE_SOUND, H.REPLY_AUDIBLE)
    assert state is S.SPEAKING
    assert A.INTERRUPT not in acts
    assert acts[-2:] == [A.STOP_RESUME_TIMER, A.RESUME]


def test_words_that_come_after_the_bot_went_on_interrupt_it_all_the_same() -> None:
    state, acts = after(*SPEAKING, H.SPEECH_STARTED, H.BARGE_IN, H.SPEECH_PAUSED, H.MERE_SOUND, H.PARTIAL, H.MEANT)
    assert state is S.HEARING
    assert acts[-2:] == [A.INTERRUPT, A.START_END_TIMER]


def test_speech_that_resumes_before_the_reply_is_audible_abandons_it_once_it_is_meant() -> None:
    asked = (H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.WORDS)
    state, acts = after(*asked, H.SPEECH_STARTED, H.BARGE_IN, H.MEANT)
    assert state is S.HEARING
    assert acts[-1] is A.INTERRUPT


def test_words_that_sound_unfinished_give_the_caller_more_time() -> None:
    state, acts = after(H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.MORE_TO_COME)
    assert (state, acts[-1]) == (S.HEARING, A.START_END_TIMER)


def test_a_short_word_at_the_tail_of_the_bots_sentence_is_a_turn() -> None:
    state, acts = after(H.PROMPT, H.REPLY_AUDIBLE, H.SPEECH_STARTED, H.SPEECH_PAUSED, H.REPLY_OVER, H.END_SILENCE)
    assert state is S.DECIDING
    assert acts[-1] is A.COMMIT


def test_no_words_leads_to_a_reprompt() -> None:
    state, acts = after(H.SPEECH_STARTED, H.SPEECH_PAUSED, H.END_SILENCE, H.NO_WORDS)
    assert (state, acts[-1]) == (S.THINKING, A.REPROMPT)


@pytest.mark.parametrize("state", [state for state in State if state in BOT_HAS_THE_FLOOR])
def test_a_key_silences_the_bot_at_once(state: State) -> None:
    next_state, acts = TABLE[state, H.KEY]
    assert (next_state, acts[-1]) == (S.HEARING, A.INTERRUPT)


@pytest.mark.parametrize("state", [S.LISTENING, S.HEARING, S.DECIDING])
def test_keys_that_are_whole_are_answered(state: State) -> None:
    next_state, acts = TABLE[state, H.KEYS]
    assert (next_state, acts[-1]) == (S.THINKING, A.REPLY)


@pytest.mark.parametrize("state", [s for s in State if s not in (S.CLOSING, S.OVER)])
def test_a_farewell_replaces_whatever_is_under_way(state: State) -> None:
    assert TABLE[state, H.FAREWELL] == (S.CLOSING, (A.DROP, A.INTERRUPT, A.SAY_GOODBYE))


def test_nothing_interrupts_the_goodbye_and_its_end_hangs_up() -> None:
    state, acts = after(H.FAREWELL, H.SPEECH_STARTED, H.BARGE_IN, H.WORDS, H.FAREWELL, H.REPLY_OVER)
    assert state is S.OVER
    assert acts == [A.DROP, A.INTERRUPT, A.SAY_GOODBYE, A.HANG_UP]


def test_what_the_model_said_last_is_a_goodbye_too_and_a_held_breath_is_let_go() -> None:
    state, acts = after(*SPEAKING, H.SPEECH_STARTED, H.BARGE_IN, H.PARTING, H.MEANT, H.WORDS, H.REPLY_OVER)
    assert state is S.OVER
    assert A.INTERRUPT not in acts
    assert acts[-5:] == [A.STOP_BARGE_TIMER, A.STOP_RESUME_TIMER, A.RESUME, A.DROP, A.HANG_UP]


def test_after_the_end_nothing_counts() -> None:
    assert after(H.CALL_ENDED, *H)[1] == [A.DROP]


def test_an_impossible_happening_names_itself_and_the_state() -> None:
    with pytest.raises(ImpossibleTurn, match="REPLY_OVER cannot happen while LISTENING"):
        Turn().on(H.REPLY_OVER)


class _World:
    """What the parts around the turn can do, by their own contracts: which happenings are possible now."""

    def __init__(self) -> None:
        self.turn = Turn()
        self.speaking = False
        self.timers: set[Happening] = set()
        self.finals_due = 0
        self.replying = False
        self.held = False
        self.keyed = False  # keys that are not said yet

    def possible(self) -> list[Happening]:
        now = [H.SPEECH_PAUSED if self.speaking else H.SPEECH_STARTED, H.PARTIAL, H.FAREWELL, H.CALL_ENDED]
        now += sorted(self.timers, key=lambda h: h.name)
        now += [H.WORDS, H.NO_WORDS] if self.finals_due else []
        # What the floor sees in its own way, under the conditions it has for it.
        now += [H.MERE_SOUND] if H.END_SILENCE in self.timers and self.turn.state in (S.LISTENING, S.HEARING) else []
        now += [H.MERE_SOUND, H.MORE_TO_COME] if self.finals_due and self.turn.state is S.DECIDING else []
        now += [H.MEANT] if H.BARGE_IN in self.timers else []
        now += [H.REPLY_OVER, H.PARTING] if self.replying else []
        now += [H.REPLY_AUDIBLE] if self.replying and not self.held else []
        callers = self.turn.state in (S.LISTENING, S.HEARING) and not self.speaking
        now += [H.KEY]
        now += [H.KEYS, H.END_SILENCE] if self.keyed and callers else []
        now += [H.KEYS] if self.keyed and self.finals_due and self.turn.state is S.DECIDING else []
        now += [H.IDLE] if self.turn.state is S.LISTENING else []
        return now

    def let(self, happening: Happening) -> None:
        if happening in (H.KEY, H.KEYS):
            self.keyed = happening is H.KEY
        if self.turn.state is S.DECIDING and happening in (H.MERE_SOUND, H.MORE_TO_COME, H.KEYS):
            self.finals_due -= 1
        if happening is H.MERE_SOUND and self.turn.state in (S.LISTENING, S.HEARING):
            self.timers.discard(H.END_SILENCE)
        if happening in (H.SPEECH_STARTED, H.SPEECH_PAUSED):
            self.speaking = happening is H.SPEECH_STARTED
        elif happening in (H.WORDS, H.NO_WORDS):
            self.finals_due -= 1
        elif happening is H.REPLY_OVER:
            self.replying = False
        self.timers.discard(happening)
        for act in self.turn.on(happening):
            self._do(act)

    def _do(self, act: Act) -> None:
        match act:
            case A.START_END_TIMER:
                self.timers.add(H.END_SILENCE)
            case A.STOP_END_TIMER:
                self.timers.discard(H.END_SILENCE)
            case A.START_BARGE_TIMER:
                self.timers.add(H.BARGE_IN)
            case A.START_LONG_TIMER:
                self.timers.add(H.MEANT)
            case A.STOP_BARGE_TIMER:
                self.timers -= {H.BARGE_IN, H.MEANT}
            case A.START_RESUME_TIMER:
                self.timers.add(H.MERE_SOUND)
            case A.STOP_RESUME_TIMER:
                self.timers.discard(H.MERE_SOUND)
            case A.COMMIT:
                self.finals_due += 1
            case A.REPLY | A.REPROMPT | A.ASK_IF_THERE | A.SAY_GOODBYE:
                self.replying, self.held = True, False
            case A.INTERRUPT:
                self.replying = self.held = False
            case A.HOLD | A.RESUME:
                self.held = act is A.HOLD
            case A.WEIGH:
                self._weigh()

    def _weigh(self) -> None:
        """Every other time the words are the caller's own."""
        self.weighed = getattr(self, "weighed", 0) + 1
        if self.weighed % 2:
            self.let(H.MEANT)
        elif self.turn.state is S.WEIGHING:
            self.let(H.MERE_SOUND)


@given(st.lists(st.integers(0, 999), max_size=80), st.booleans())
def test_no_order_of_events_that_the_parts_can_produce_falls_off_the_table(choices: list[int], greeted: bool) -> None:
    world = _World()
    if greeted:
        world.let(H.PROMPT)
        world.replying = True
    for choice in choices:
        possible = world.possible()
        world.let(possible[choice % len(possible)])
        state = world.turn.state
        if state not in (S.CLOSING, S.OVER):
            # Whoever waits, waits for something: a timer, a final, the caller or the bot.
            assert world.held is (state in (S.PAUSED, S.WEIGHING))
            waits = world.speaking or world.finals_due or world.keyed
            assert state is not S.HEARING or waits or H.END_SILENCE in world.timers
            assert state is not S.WEIGHING or H.MERE_SOUND in world.timers
