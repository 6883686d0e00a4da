import pytest
from hypothesis import given
from hypothesis import strategies as st

from tts_worker.indonesian import mark, refine, respell


@pytest.mark.parametrize(
    "marked",
    [
        "méja", "bésok", "keréta", "sepéda", "rékening", "télépon", "réstoran", "merdéka", "sejahtéra",
        "belas", "empat", "enam", "dengan", "sedang", "pelanggan", "setelah", "terima", "seperti", "dokter", "sumber",
        "pakét", "tikét", "boléh", "kodé", "soré", "hotél", "sistém", "tés", "ke", "se",
    ],
)  # fmt: skip
def test_an_everyday_word_has_the_es_its_dictionary_gives(marked: str) -> None:
    assert mark(marked.replace("é", "e")) == marked


@pytest.mark.parametrize(
    "marked",
    ["menélépon", "berbéda", "perbédaan", "keséhatan", "penyéwaan", "rékeningnya", "terléwat", "mendétailkan"],
)
def test_a_root_is_known_behind_its_affixes(marked: str) -> None:
    assert mark(marked.replace("é", "e")) == marked


@pytest.mark.parametrize("marked", ["pakétnya", "kodénya", "tikétku", "hotélkah"])
def test_a_suffix_does_not_hide_the_last_syllable_of_a_root(marked: str) -> None:
    assert mark(marked.replace("é", "e")) == marked


@pytest.mark.parametrize("marked", ["konéksi", "idéntitas", "refléksi", "kosmétik", "universitas"])
def test_a_loan_has_full_es_after_its_first_syllable_unless_r_follows(marked: str) -> None:
    assert mark(marked.replace("é", "e")) == marked


def test_a_writer_who_marks_an_e_is_believed() -> None:
    assert mark("Apél") == "apél"
    assert mark("serè") == "seré"
    assert mark("ape\u0301l") == "apél"


@pytest.mark.parametrize(
    ("word", "espeak", "refined"),
    [
        ("belas", "bˈɛlas", "bəlˈas"),
        ("sepuluh", "səpˈuluh", "səpˈuluh"),
        ("paket", "pˈakət", "pˈakɛt"),
        ("telepon", "təlˈɛpon", "tɛlˈɛpɔn"),
        ("tombol", "tˈombol", "tˈɔmbɔl"),
        ("toko", "tˈoko", "tˈoko"),
        ("Baik", "bˈIk", "bˈaik"),
        ("laut", "lˈWt", "lˈaut"),
        ("mulai", "mˈulI", "mˈulI"),
        ("pulau", "pˈulW", "pˈulW"),
        ("dan", "dan", "dˈan"),
        ("untuk", "ˌuntuk", "ˈuntuk"),
        ("per", "pər", "pˈər"),
        ("tes", "tˈəs", "tˈɛs"),
        ("yang", "jaŋ", "jaŋ"),
    ],
)
def test_vowels_and_stress_become_a_speakers(word: str, espeak: str, refined: str) -> None:
    assert refine(word, espeak) == refined


@pytest.mark.parametrize(
    ("word", "phonemes"),
    [("B", "bˈe"), ("Wi-Fi", "wˈifˈi"), ("8", "dəlˈapan"), ("ST", "ˈɛstˈe"), ("WE", "wˈɛa")],
)
def test_what_does_not_match_letter_by_letter_stays(word: str, phonemes: str) -> None:
    assert refine(word, phonemes) == phonemes


@pytest.mark.parametrize(("letter", "espeak", "refined"), [("M", "əm", "ˈɛm"), ("F", "əf", "ˈɛf"), ("E", "e", "ˈe")])
def test_the_name_of_a_letter_has_a_full_and_stressed_vowel(letter: str, espeak: str, refined: str) -> None:
    assert refine(letter, espeak) == refined


@pytest.mark.parametrize(
    ("written", "sounded"),
    [
        ("Online", "onlain"),
        ("Wi-Fi", "waifai"),
        ("check-in", "cék-in"),
        ("emailnya", "imélnya"),
        ("di-download", "di-daunlod"),
        ("appel", "appel"),
        ("makan", "makan"),
    ],
)
def test_an_everyday_english_word_is_spelled_as_it_sounds_and_others_stay(written: str, sounded: str) -> None:
    assert respell(written) == sounded


@given(st.text(max_size=20), st.text(alphabet="aeiouɛəɔIWˈˌbkŋʤ", max_size=20))
def test_no_sound_is_lost_or_added(word: str, phonemes: str) -> None:
    def skeleton(text: str) -> str:
        parted = text.replace("I", "ai").replace("W", "au")
        return "".join({"ɛ": "e", "ə": "e", "ɔ": "o"}.get(symbol, symbol) for symbol in parted if symbol not in "ˈˌ")

    assert skeleton(refine(word, phonemes)) == skeleton(phonemes)


@given(st.text(alphabet="abdegiklmnprstu", max_size=14))
def test_marking_changes_nothing_but_es(word: str) -> None:
    assert mark(word).replace("é", "e") == word
