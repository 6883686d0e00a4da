"""Japanese."""

from gateway.text.languages.rules import SentenceRules

CODE = "ja"

SENTENCES = SentenceRules(
    introduced_goes_on=("と", "って"),
    quote_goes_on=(
        "と",
        "って",
        "が",
        "を",
        "は",
        "に",
        "の",
        "も",
        "で",
        "など",
        "から",
        "まで",
        "へ",
        "や",
        "か",
        "だ",
    ),
)
