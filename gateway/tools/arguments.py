"""Arguments of tools, checked against the JSON schema that the model was given (draft 2020-12)."""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry

# A model mends a few faults at a time; each is told in so many characters.
MAX_FAULTS = 3
MAX_FAULT_CHARS = 300


class ArgumentCheck:
    """Checks against one schema; ValueError when it is none, is not of an object, or refers to other documents."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            raise ValueError(f"not a JSON schema: {error.message}") from error
        if schema.get("type") != "object":
            raise ValueError('a schema of arguments has type = "object"')
        foreign = next((ref for ref in _references(schema) if not ref.startswith("#")), None)
        if foreign is not None:
            raise ValueError(f"the schema refers to {foreign}, which is not in it; only #/… is looked up")
        # An empty registry: nothing is ever fetched.
        self._validator = Draft202012Validator(schema, registry=Registry())

    def faults(self, arguments: Mapping[str, Any]) -> str:
        """What is wrong, in words; blank when nothing is."""
        try:
            errors = list(self._validator.iter_errors(arguments))
        except RecursionError:
            return "the arguments are nested too deeply"
        return "; ".join(_told(error) for error in errors[:MAX_FAULTS])


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list | tuple):
        for value in schema:
            yield from _references(value)


def _told(error: ValidationError) -> str:
    where = ".".join(str(part) for part in error.absolute_path)
    return f"{where}: {error.message}"[:MAX_FAULT_CHARS] if where else error.message[:MAX_FAULT_CHARS]
