"""Passage and apply(): who may claim what."""

import re

from gateway.text.passage import Passage, Rule, apply


def test_a_place_is_claimed_once_and_the_first_rule_wins() -> None:
    passage = Passage("call 555 now")
    rules = [
        Rule(re.compile(r"\d+"), lambda match, _: "five"),
        Rule(re.compile(r"\w+"), lambda match, _: match[0].upper()),
    ]
    apply(rules, passage)
    assert {passage.text[claim.start : claim.end]: claim.said for claim in passage.claims} == {
        "call": "CALL",
        "555": "five",
        "now": "NOW",
    }


def test_a_rule_may_decline() -> None:
    passage = Passage("555")
    apply([Rule(re.compile(r"\d+"), lambda match, _: None)], passage)
    assert passage.claims == []
    assert passage.free(0, 3)


def test_white_space_at_the_edges_stays_free() -> None:
    passage = Passage("a - b")
    passage.claim(1, 4, "to")
    assert [passage.claimed(at) for at in range(-1, 6)] == [False, False, False, True, False, False, False]


def test_neighbours_of_a_place() -> None:
    passage = Passage("Is it “Room, 12” (big)? Yes! 12 left")
    at = passage.text.index("12")
    assert passage.before(at) == "“Room,"
    assert passage.known_before(at) == "room"
    assert passage.after(at + 2) == ""
    last = passage.text.rindex("12")
    assert passage.known_before(last) == ""
    assert passage.after(last + 2) == "left"
    assert passage.before(0) == ""
    assert passage.after(len(passage.text)) == ""


def test_recent_words_stop_at_the_sentence_but_not_at_an_abbreviation() -> None:
    passage = Passage("Your code failed. Tel. no 600")
    assert passage.recent(len(passage.text) - 3) == {"tel", "no"}


def test_the_beginning_of_a_sentence() -> None:
    passage = Passage("Yes. “Visit St. Mark")
    assert passage.begins_sentence(passage.text.index("Visit"))
    assert not passage.begins_sentence(passage.text.index("St"))
