"""visible(): what a reader would see, and where each character comes from."""

import pytest

from gateway.text.markdown import visible


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("# Hours", "Hours"),
        ("> - *one*", "one"),
        ("* one\n+ two", "one\ntwo"),
        ("- [x] done", "done"),
        ("3. Wait", "3, Wait"),
        ("2) Wait", "2, Wait"),
        ("2026. A good year", "2026. A good year"),
        ("    four spaces are no code", "four spaces are no code"),
        ("```python\nrun\n```", "\nrun\n"),
        ("a\n---\nb", "a\n\nb"),
        ("| a | b |\n|---|---|", ", a , b ,\n"),
        ("`x_y` and x_y", "x_y and x_y"),
        ("5 * 3", "5 * 3"),
        ("***both***", "both"),
        ("~~old~~", "old"),
        ("![a cat](cat.png) sits", "a cat sits"),
        ("[see (1)](http://x.y/(z)) it", "see (1) it"),
        ("[label][ref] stays", "[label][ref] stays"),
        ("<jo@example.com> wrote", "jo@example.com wrote"),
        ("<break time='1s'/>wait", "wait"),
        ("a &lt; b \\* c", "a < b * c"),
        ("**open", "**open"),
    ],
)
def test_marks_are_gone_and_words_stay(source: str, seen: str) -> None:
    assert visible(source).text == seen


def test_every_character_knows_its_place() -> None:
    source = "- See **[the `page`](http://x.y/page)** \\# &amp; page"
    found = visible(source)
    assert found.text == "See the page # & page"
    assert len(found.origins) == len(found.text)
    assert list(found.origins) == sorted(found.origins)
    for word in ("See", "the"):
        at = found.text.index(word)
        assert source[found.origins[at] : found.origins[at] + len(word)] == word
    last = found.text.rindex("page")
    assert found.origins[last] == source.rindex("page")
