"""What the HTTP server itself has to say, without what strangers sent it."""

import logging

from aiohttp.http_exceptions import HttpProcessingError


def server_log() -> logging.Logger:
    """Where it says that: a request that is no HTTP becomes one short line.

    Its own would be a traceback with the request's first line, which may hold numbers and tokens.
    """
    log = logging.getLogger("gateway.http.server")
    log.addFilter(_shortened)  # twice is once
    return log


def _shortened(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, HttpProcessingError):
        record.msg, record.args = "unreadable_request: %s", (type(error).__name__,)
        record.exc_info, record.exc_text = None, None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True
