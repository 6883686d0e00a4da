import pytest

from tests.rig.hindustani import shared_letters


@pytest.mark.parametrize(
    ("hindi", "urdu"),
    [
        ("कॉल करने के लिए", "کال کرنے کے لئے"),
        ("मैं आपकी क्या मदद", "میں آپکی کیا مدد"),
        ("हमारा खुला रहता है", "ہمارہ کھلا رہتا ہے"),
        ("डॉक्टर शाम तक पहुँचेगा", "ڈاکٹر شام تک پہنچےگا"),
        ("फिर दिसंबर नंबर", "پھر دسمبر نمبر"),
        ("एक और इस कमरे की", "ایک اور اس کمرے کی"),
    ],
)
def test_the_same_words_are_the_same_in_either_script(hindi: str, urdu: str) -> None:
    assert shared_letters(hindi) == shared_letters(urdu)


def test_different_words_stay_different() -> None:
    assert shared_letters("मदद") != shared_letters("مرد")
    assert shared_letters("कल") != shared_letters("کر")
    assert shared_letters("धन्यवाद") != shared_letters("دھنیوات")


def test_letters_of_neither_script_stay() -> None:
    assert shared_letters("kripya आप") == "kripya ap"
