"""Deepgram's live messages: audio up as it is, JSON down.

Sources: developers.deepgram.com, "Live Audio" (reference), "Interim Results", "Finalize", "Audio Keep Alive" (times are
of the audio of the stream, whatever lay between), "STT Troubleshooting WebSocket, DATA, and NET Errors". Not documented
there, and so taken either way: whether an interim result and the final one of its words begin at the same moment;
whether a result ends with its audio or with its last word; what a Finalize brings when nothing is left to finalise; the
fields of an `Error`; results without words beside their transcript; and whether a word of Chinese or Japanese is one
character or several.
"""

import json
from collections.abc import Mapping
from typing import Any

from gateway.errors import SttError
from gateway.stt.cloud.base import Item, Result
from gateway.stt.cloud.clock import moment_s

FINALIZE = '{"type": "Finalize"}'
# Must be text. Nothing answers it.
KEEP_ALIVE = '{"type": "KeepAlive"}'
# A fault's own words, at most.
_MAX_FAULT_CHARS = 200


class DeepgramWire:
    """One stream's messages. Results follow each other; only the last one may be replaced, until it is final."""

    def __init__(self) -> None:
        self._results = 0  # begun so far
        self._open_upto_s = 0.0  # the end of the one that a next may replace

    def audio(self, pcm: bytes) -> bytes:
        """The audio is the message; an empty one would end the stream."""
        return pcm

    def read(self, message: bytes | str) -> list[Result]:
        """The results in a message; a kind that we do not ask for has none.

        SttError where it is an `Error`, or no message of this protocol; another stream may do better.
        """
        try:
            body = json.loads(message)
            if body.get("type") == "Error":
                raise _fault(body)
            return [self._result(body)] if body.get("type") == "Results" else []
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise SttError("deepgram_bad_message", type(error).__name__, retryable=True) from error

    def _result(self, body: Mapping[str, Any]) -> Result:
        start_s = moment_s(body["start"])
        end_s = start_s + moment_s(body["duration"])
        alternatives = body["channel"]["alternatives"]
        items = _items(alternatives[0], start_s, end_s) if alternatives else ()
        final = body.get("is_final") is True
        flushed = final and body.get("from_finalize") is True
        if flushed and not items:
            # What was flushed had no words; those that an interim result has told before were said all the same.
            return Result("flushed", start_s, end_s, True, (), flushed=True)
        if start_s >= self._open_upto_s:
            self._results += 1
        self._open_upto_s = 0.0 if final else end_s
        return Result(str(self._results), start_s, end_s, final, items, flushed=flushed)


def _items(best: Mapping[str, Any], start_s: float, end_s: float) -> tuple[Item, ...]:
    words = best.get("words") or []
    if not words and best.get("transcript"):
        return (Item(_text(best["transcript"]), start_s, end_s),)
    return tuple(
        Item(_text(word.get("punctuated_word") or word["word"]), moment_s(word["start"]), moment_s(word["end"]))
        for word in words
    )


def _text(told: object) -> str:
    if not isinstance(told, str):
        raise TypeError("no text")
    return told


def _fault(body: Mapping[str, Any]) -> SttError:
    """Its text is about the request, never about what was said."""
    told = (body.get(field) for field in ("variant", "code", "description", "message"))
    detail = ": ".join(str(part) for part in told if part)
    return SttError("deepgram_failed", detail[:_MAX_FAULT_CHARS], retryable=True)
