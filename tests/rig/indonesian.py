"""Indonesian words in one spelling: what a writer may write in two ways does not count as misheard.

Prepositions are written apart and prefixes joined (di rumah, dirumahkan), and writers, and so Whisper's training,
mix them up: dirumah, kerumah, permalam. The other pairs are a standard form and a common older or looser one (KBBI).
"""

import re

_LEANING = re.compile(r"\b(di|ke|per) (?=\w)")
_STANDARD = {
    "telefon": "telepon",
    "silahkan": "silakan",
    "antrian": "antrean",
    "antri": "antre",
    "praktek": "praktik",
    "apotik": "apotek",
    "nopember": "november",
    "pebruari": "februari",
    "jum'at": "jumat",
    "ijin": "izin",
    "resiko": "risiko",
    "nomer": "nomor",
    "terimakasih": "terima kasih",
}


def one_spelling(text: str) -> str:
    """Return plain words in their standard spelling, with di, ke and per joined to the word they lean on."""
    words = " ".join(_STANDARD.get(word, word) for word in text.split())
    return _LEANING.sub(r"\1", words)
