"""structlog: JSON lines for machines, colours on a terminal, callers' words only where allowed.

Bind the call once with `structlog.contextvars.bind_contextvars(call=...)`; every line of that call's tasks has it.
"""

import logging
import sys
from typing import Any, Literal, TextIO

import structlog
import structlog.tracebacks
from structlog.typing import EventDict, Processor, WrappedLogger

# The only fields that may hold what people said or pressed, or who they are.
PERSONAL_FIELDS = frozenset({"words", "digits", "caller", "called", "target"})
REDACTED = "[redacted]"
# Without locals: they would carry callers' words and tokens past the redaction.
_TRACEBACKS = structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False))


def set_up(level: str, format: Literal["auto", "json", "console"], words: bool, stream: TextIO = sys.stderr) -> None:
    """Configure structlog and the standard library's logging for the whole process; call once at start."""
    console = format == "console" or (format == "auto" and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not words:
        shared.append(redact)
    renderer: list[Processor] = (
        [structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback)]
        if console
        else [_TRACEBACKS, structlog.processors.JSONRenderer(ensure_ascii=False)]
    )
    number = getattr(logging, level.upper())
    structlog.configure(
        processors=[*shared, *renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=False,  # a line costs microseconds more, and none is written per frame
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
        foreign_pre_chain=shared,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(number, logging.WARNING))  # libraries speak up only when something is wrong


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace personal fields; everything else passes."""
    personal: Any
    for personal in PERSONAL_FIELDS & event.keys():
        event[personal] = REDACTED
    return event
