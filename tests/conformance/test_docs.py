"""docs/platforms.md says what the capability records say, and every platform has its page."""

import re

import pytest

from gateway.platforms.registry import PLATFORMS as REGISTERED
from gateway.simulator.run import RINGING
from tests.conformance.capability_table import DOCS, INDEX, index_with, table


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
