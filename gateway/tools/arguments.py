"""Arguments of tools, checked against the JSON schema that the model was given (draft 2020-12)."""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

# A model mends a few faults at a time; each is told in so many characters.
MAX_FAULTS = 3
MAX_FAULT_CHARS = 300
# Names, dates and short notes are flat; whoever writes JSON again runs out of stack at some depth.
MAX_DEPTH = 20


class ArgumentCheck:
    """Checks against one schema; ValueError when it is none, is not of an object, or refers to what is not in it."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            raise ValueError(f"not a JSON schema: {error.message}") from error
        if schema.get("type") != "object":
            raise ValueError('a schema of arguments has type = "object"')
        # Nothing is ever fetched: the registry has the schema itself and no more.
        resource = Resource.from_contents(schema, default_specification=DRAFT202012)
        registry = Registry().with_resource("", resource)
        for reference in _references(schema):
            try:
                registry.resolver().lookup(reference)
            except Unresolvable as error:
                raise ValueError(
                    f"the schema refers to {reference}, which is not in it; only #/… is looked up"
                ) from error
        self._validator = Draft202012Validator(schema, registry=registry)

    def faults(self, arguments: Mapping[str, Any]) -> str:
        """What is wrong, in words; blank when nothing is."""
        if _is_deeper(arguments, MAX_DEPTH):
            return f"the arguments are nested more than {MAX_DEPTH} deep"
        try:
            errors = list(self._validator.iter_errors(arguments))
        except RecursionError:
            return "they cannot be checked: the schema refers to itself without end"
        return "; ".join(_told(error) for error in errors[:MAX_FAULTS])


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, Mapping):
        yield from (value for name in ("$ref", "$dynamicRef") if isinstance(value := schema.get(name), str))
    inner = schema.values() if isinstance(schema, Mapping) else schema if isinstance(schema, list) else ()
    for value in inner:
        yield from _references(value)


def _is_deeper(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(one, levels - 1) for one in inner)


def _told(error: ValidationError) -> str:
    where = ".".join(str(part) for part in error.absolute_path)
    return f"{where}: {error.message}"[:MAX_FAULT_CHARS] if where else error.message[:MAX_FAULT_CHARS]
