"""The tables of text cases: ours beside this file, and the shared ones where the checkout has them."""

import json
from dataclasses import dataclass
from pathlib import Path

_OURS = Path(__file__).parent / "cases"
_SHARED = Path(__file__).parents[4] / "shared" / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    """One row: the text, and what is right for it (the sentences, or the accepted spoken forms)."""

    name: str
    lang: str
    text: str
    right: tuple[str, ...]


def cases(table: str, field: str) -> list[Case]:
    """All rows of a table, whose right answers are in `field`."""
    files = [folder / f"{table}.jsonl" for folder in (_OURS, _SHARED)]
    rows = [json.loads(line) for file in files if file.exists() for line in file.read_text("utf-8").splitlines()]
    return [
        Case(f"{number}-{row['lang']}-{row['why'][:40]}", row["lang"], row["text"], tuple(row[field]))
        for number, row in enumerate(rows)
    ]
