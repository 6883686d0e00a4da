"""Tool calls arrive in pieces of JSON: they are gathered by block and handed on whole, or not at all."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TypeVar

from gateway.errors import LlmError
from gateway.llm.base import ToolCall
from gateway.llm.faults import fault

Number = TypeVar("Number", int, float)

# A phone bot's tools take names, dates and short notes; a model that writes more is lost and the caller hears nothing
# meanwhile (F-72).
MAX_ARGUMENTS_CHARS = 16_384
# Blocks of one reply; the peer chooses the indexes.
MAX_CALLS = 16


@dataclass(slots=True)
class _Call:
    call_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    chars: int = 0


class ToolCallParts:
    """Gathers the calls of one reply by block index (F-65)."""

    def __init__(self) -> None:
        self._calls: dict[int, _Call] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, index: int, call_id: str = "", name: str = "", piece: str = "") -> None:
        """Take what one event tells of block `index`; LlmError when the call grows beyond the bounds."""
        if index not in self._calls and len(self._calls) >= MAX_CALLS:
            raise fault("tool_arguments_too_long", f"more than {MAX_CALLS} tool calls in one reply")
        call = self._calls.setdefault(index, _Call())
        call.call_id = call.call_id or call_id
        call.name = call.name or name
        call.chars += len(piece)
        if call.chars > MAX_ARGUMENTS_CHARS:
            raise fault("tool_arguments_too_long", f"more than {MAX_ARGUMENTS_CHARS} characters for one tool call")
        call.pieces.append(piece)

    def whole(self) -> list[ToolCall]:
        """Every call in block order; LlmError when one has no name or its arguments are not a whole JSON object."""
        calls: dict[str, ToolCall] = {}
        for index, parts in sorted(self._calls.items()):
            call = _parsed(index, parts)
            # Two calls of one id would both run, and the model would learn of one of them.
            call_id = f"{call.call_id}_{index}" if call.call_id in calls else call.call_id
            calls[call_id] = replace(call, call_id=call_id)
        return list(calls.values())


def _parsed(index: int, call: _Call) -> ToolCall:
    try:
        arguments = json.loads(
            "".join(call.pieces) or "{}",
            parse_constant=_finite(float),
            parse_float=_finite(float),
            parse_int=_finite(int),
        )
        json.dumps(
            arguments, ensure_ascii=False
        ).encode()  # a lone surrogate in the history would spoil every later turn
    except (ValueError, OverflowError, RecursionError) as error:
        raise _invalid("the arguments are not whole JSON") from error
    if not isinstance(arguments, dict):
        raise _invalid("the arguments are not a JSON object")
    if not call.name:
        raise _invalid("the call names no tool")
    # Some servers give calls no id; a result needs one to refer to.
    return ToolCall(call.call_id or f"call_{index}", call.name, arguments)


def _finite(kind: Callable[[str], Number]) -> Callable[[str], Number]:
    """Reads a number; ValueError or OverflowError for one that a schema cannot be checked with, nor a history hold."""

    def read(written: str) -> Number:
        number = kind(written)
        if not isfinite(number):
            raise ValueError("not a finite number")
        return number

    return read


def _invalid(detail: str) -> LlmError:
    return fault("tool_arguments_invalid", detail)
