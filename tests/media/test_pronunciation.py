"""What a pronunciation may hold."""

import pytest

from media.pronunciation import MAX_IPA_CHARS, Pronunciation, check_ipa


@pytest.mark.parametrize("ipa", ["ʃaʊˈmiː", "bə'næ:nə", "t͡sɛt", "ˌnuː ˈjɔrk", "pɐ̃ũ", "ɡa.to", "çi", "tʰa", "ʧIk", "a"])
def test_ipa_that_the_voice_has_sounds_for_is_taken(ipa: str) -> None:
    assert check_ipa(f" {ipa} ") == check_ipa(check_ipa(ipa))


def test_a_letter_and_its_mark_become_one() -> None:
    assert check_ipa("c\u0327a") == "ça"


@pytest.mark.parametrize(
    ("ipa", "says"),
    [
        ("", "there is no sound in it"),
        (" ˈˌ.: ", "there is no sound in it"),
        ("ǁa", r"no sound for 'ǁ' \(U\+01C1\)"),
        ("a,b", "no sound for ','"),
        ("a/b", "no sound for '/'"),
        ("a1", "no sound for '1'"),
        ("[a]", "no sound for"),
        ("a\u0330", "no sound for"),  # a creaky voice is none of Kokoro's
        ("B", "no sound for"),
        ("a" * (MAX_IPA_CHARS + 1), "101 characters"),
    ],
)
def test_what_would_be_left_out_is_refused_and_named(ipa: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_ipa(ipa)


def test_it_is_written_as_the_wire_has_it_and_not_in_a_repr() -> None:
    place = Pronunciation(3, 9, "ʃaʊ")
    assert place.as_json() == {"start_char": 3, "end_char": 9, "ipa": "ʃaʊ"}
    assert "ʃ" not in repr(place)
