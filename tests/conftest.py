"""What holds for every test: logging and structlog are afterwards as they were before."""

import logging
from collections.abc import Iterator
from contextlib import suppress

import pytest
import structlog

with suppress(ImportError):  # some environments do without
    from hypothesis import settings

    # No test judges by the clock on the wall: the machine may have other work.
    settings.register_profile("no-clock", deadline=None)
    settings.load_profile("no-clock")


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
