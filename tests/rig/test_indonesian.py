import pytest

from tests.rig.indonesian import one_spelling


@pytest.mark.parametrize(
    ("standard", "loose"),
    [
        ("teknisi datang ke rumah", "teknisi datang kerumah"),
        ("siap di lantai dua per malam", "siap dilantai dua permalam"),
        ("silakan menelepon nomor antrean", "silahkan menelepon nomer antrian"),
        ("terima kasih", "terimakasih"),
        ("hari jumat", "hari jum'at"),
    ],
)
def test_what_is_written_in_two_ways_is_the_same(standard: str, loose: str) -> None:
    assert one_spelling(standard) == one_spelling(loose)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("dewi dari bagian", "dewidari bagian"),
        ("dokter", "doktor"),
        ("di meja depan", "dimeja depan sana"),
        ("libur nasional", "liburnasional"),
        ("diambil", "di ambil saja"),
        ("tiket", "ticket"),
    ],
)
def test_what_was_misheard_stays_wrong(said: str, heard: str) -> None:
    assert one_spelling(said) != one_spelling(heard)
