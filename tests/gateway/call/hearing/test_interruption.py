"""Interruption: real words interrupt; listening noises, inventions for coughs and the bot's own echo do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.call.hearing.interruption import Meaning, is_echo, is_hum, meaning

M = Meaning
BOT = "We open at nine in the morning and close at six. On Saturday we open at ten."


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Wait, I meant Sunday."),
        ("en", "No."),
        ("en", "Stop!"),
        ("en", "Yeah, but what about Sunday?"),
        ("en", "Hello? I have another question."),
        ("id", "Tunggu dulu."),
        ("hi", "रुकिए"),
        ("ja", "ちょっと待って"),
    ],
)
def test_real_words_interrupt(language: str, words: str) -> None:
    assert meaning(words, (language,), BOT) is M.WORDS


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Mm-hm."),
        ("en", "Yeah, okay."),
        ("en", "Uh huh"),
        ("en", "Right."),
        ("id", "Iya."),
        ("id", "he-eh"),
        ("es", "Sí, vale."),
        ("fr", "D'accord."),
        ("zh", "嗯"),
    ],
)
def test_a_listener_is_not_interrupting(language: str, words: str) -> None:
    assert meaning(words, (language,), BOT) is M.BACKCHANNEL


def test_a_listener_may_agree_in_any_language_of_the_call_but_not_in_a_mixture() -> None:
    bilingual = ("en", "id")
    assert meaning("Iya, baik.", bilingual, BOT) is M.BACKCHANNEL
    assert meaning("Yeah, okay.", bilingual, BOT) is M.BACKCHANNEL
    assert meaning("Halo?", bilingual, "", waiting=True) is M.BACKCHANNEL
    assert meaning("Tunggu dulu.", bilingual, BOT) is M.WORDS
    assert meaning("See siap it", bilingual, BOT) is M.WORDS
    assert not is_hum("Cukup.", bilingual, 300, sure=False)


@pytest.mark.parametrize("words", ["", " ... ", "[BLANK_AUDIO]", "(coughing)", "*sighs*", "♪♪", "Thank you.", "you"])
def test_what_recognisers_make_of_noise_is_nothing(words: str) -> None:
    assert meaning(words, ("en",), BOT) is M.NOTHING


@pytest.mark.parametrize(
    "words", ["on Saturday we open", "On Saturday we opened at 10", "Saturday", "we close at six on"]
)
def test_f44_the_bots_own_words_are_an_echo(words: str) -> None:
    assert meaning(words, ("en",), BOT) is M.ECHO


def test_f44_words_that_it_said_long_ago_are_the_callers() -> None:
    assert meaning("nine", ("en",), BOT + " Is there anything else that I can do for you today?") is M.WORDS


def test_f68_hello_is_no_question_while_the_bot_thinks() -> None:
    assert meaning("Hello?", ("en",), "", waiting=True) is M.BACKCHANNEL
    assert meaning("Hello?", ("en",), "") is M.WORDS
    assert meaning("Hello, what about Sunday?", ("en",), "", waiting=True) is M.WORDS


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Stop!"),
        ("en", "No, wait..."),
        ("en", "Hello?"),
        ("en", "2."),
        ("en", "Correct."),
        ("id", "Betul."),
        ("id", "Cukup."),
        ("id", "Tunggu!"),
        ("id", "Jangan."),
        ("es", "¡Espere!"),
        ("fr", "Attendez."),
        ("it", "Aspetta!"),
        ("pt", "Peraí."),
        ("hi", "रुकिए।"),
        ("ja", "ちょっと待って"),
        ("zh", "等一下"),
    ],
)
def test_f42_words_that_stop_people_are_no_hum_however_short_and_doubtful(language: str, words: str) -> None:
    assert not is_hum(words, (language,), 300, sure=False)


def test_f42_other_short_and_doubtful_words_may_be_one() -> None:
    assert is_hum("We're home.", ("en",), 530, sure=False)
    assert not is_hum("We're home.", ("en",), 530, sure=True)
    assert not is_hum("We're home.", ("en",), 900, sure=False)


def test_nothing_is_an_echo_of_silence() -> None:
    assert not is_echo("hello", "")
    assert not is_echo("", BOT)


@pytest.mark.timeout(20)  # to compare all of it would take hours
def test_f44_a_long_echo_is_known_by_its_latest_words() -> None:
    minutes = " ".join(f"word{number}" for number in range(20_000))
    assert is_echo(minutes, minutes)
    assert not is_echo(minutes, BOT)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_words_have_a_meaning(words: str, sounding: str) -> None:
    assert meaning(words, ("en",), sounding) in Meaning


@given(st.lists(st.sampled_from(BOT.split()), min_size=1, max_size=12))
def test_what_was_just_said_is_always_an_echo(words: list[str]) -> None:
    assert is_echo(" ".join(words), " ".join(words))
