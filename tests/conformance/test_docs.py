"""docs/platforms.md says what the capability records say, and every platform has its page."""

import re
from pathlib import Path

import pytest

from gateway.platforms.registry import PLATFORMS as REGISTERED
from gateway.simulator.run import RINGING
from tests.conformance.capability_table import DOCS, INDEX, index_with, table
from tests.conformance.rig import SETTINGS


def test_every_platform_has_its_other_side() -> None:
    assert RINGING.keys() == REGISTERED.keys()


def test_the_table_is_the_records() -> None:
    assert INDEX.read_text("utf-8") == index_with(table()), "make it anew: python -m tests.conformance.capability_table"


@pytest.mark.parametrize("name", sorted(REGISTERED))
def test_every_platform_has_a_page_that_names_its_settings(name: str) -> None:
    page = (DOCS / "platforms" / f"{name}.md").read_text("utf-8")
    assert f"[{name}]" in page or f"{name}." in page or f"VOICEBOT_{name.upper()}__" in page


def test_links_lead_somewhere() -> None:
    for page in (INDEX, *sorted((DOCS / "platforms").glob("*.md"))):
        for link in re.findall(r"\]\(([^)#]+\.(?:md|toml))", page.read_text("utf-8")):
            assert (page.parent / link).is_file(), f"{page.name}: {link}"


@pytest.mark.parametrize("page", [INDEX, *sorted((DOCS / "platforms").glob("*.md"))], ids=lambda page: page.stem)
def test_every_setting_that_is_named_exists(page: Path) -> None:
    text, known = page.read_text("utf-8"), SETTINGS.model_dump()
    named = [name.lower().split("__", 1) for name in re.findall(r"VOICEBOT_([A-Z_]+__[A-Z_]+)", text)]
    sections = "|".join(known)
    # Not the pages' own names, and not the hosts of platforms that are called as their tables are.
    word = rf"\b({sections})\.(?!md\b|com\b|org\b|ai\b)([a-z_0-9]+)\b(?!\.)"
    named += [list(match) for match in re.findall(word, text)]
    assert [f"{section}.{key}" for section, key in named if key not in known.get(section, {})] == []
