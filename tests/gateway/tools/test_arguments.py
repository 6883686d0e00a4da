"""Arguments are checked before anything is sent, and what is wrong is told in words."""

import pytest

from gateway.tools.arguments import MAX_FAULT_CHARS, MAX_FAULTS, ArgumentCheck

ORDER = {
    "type": "object",
    "properties": {"number": {"type": "string", "pattern": "^[0-9]{6}$"}, "count": {"type": "integer", "minimum": 1}},
    "required": ["number"],
    "additionalProperties": False,
}


def test_arguments_that_fit_have_no_faults() -> None:
    assert ArgumentCheck(ORDER).faults({"number": "123456", "count": 2}) == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "'number' is a required property"),
        ({"number": 123456}, "number: 123456 is not of type 'string'"),
        ({"number": "12"}, "number: '12' does not match"),
        ({"number": "123456", "colour": "red"}, "'colour' was unexpected"),
        ({"number": "123456", "count": 0}, "count: 0 is less than the minimum"),
    ],
)
def test_each_fault_is_named_with_its_place(arguments: dict[str, object], says: str) -> None:
    assert says in ArgumentCheck(ORDER).faults(arguments)


def test_what_is_told_is_bounded() -> None:
    check = ArgumentCheck({"type": "object", "additionalProperties": {"type": "integer"}})
    told = check.faults({f"field{n}": "x" * 10_000 for n in range(50)})
    assert len(told) <= MAX_FAULTS * (MAX_FAULT_CHARS + 2)


def test_arguments_nested_beyond_all_reason_are_a_fault() -> None:
    nested: dict[str, object] = {}
    for _ in range(3000):
        nested = {"a": [nested]}
    check = ArgumentCheck({"type": "object"})
    assert "nested more than 20 deep" in check.faults(nested)
    assert check.faults({"a": [{"b": [1, {"c": 2}]}]}) == ""


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "object", "properties": 5}, "not a JSON schema"),
        ({"type": "array"}, 'type = "object"'),
        ({}, 'type = "object"'),
        ({"type": "object", "properties": {"a": {"$ref": "http://example.com/s.json"}}}, "http://example.com/s.json"),
        ({"type": "object", "properties": {"a": {"pattern": "^\\p{L}+$"}}}, "not a 'regex'"),
        ({"type": "object", "patternProperties": {"(": {}}}, "not a 'regex'"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/nothing"}}}, "#/$defs/nothing"),
        ({"type": "object", "allOf": [{"$ref": "file:///etc/passwd"}]}, "file:///etc/passwd"),
    ],
)
def test_what_is_no_schema_of_arguments_is_refused(schema: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match="schema") as refused:
        ArgumentCheck(schema)
    assert says in str(refused.value)


def test_a_schema_may_refer_to_its_own_parts() -> None:
    check = ArgumentCheck(
        {"type": "object", "$defs": {"day": {"enum": ["mon", "tue"]}}, "properties": {"day": {"$ref": "#/$defs/day"}}}
    )
    assert check.faults({"day": "mon"}) == ""
    assert check.faults({"day": "moon"}).startswith("day: 'moon' is not one of")


def test_a_schema_that_refers_to_itself_without_end_fails_no_call() -> None:
    assert "cannot be checked" in ArgumentCheck({"type": "object", "$ref": "#"}).faults({})
