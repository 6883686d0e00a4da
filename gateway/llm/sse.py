"""Server-sent events, decoded incrementally: bytes in, the data of each event out. Any split gives the same result."""

from gateway.llm.faults import fault

# One chunk of a reply is below 1 kB; a server that sends its whole reply as one event stays below this as well.
MAX_EVENT_BYTES = 1024 * 1024


class SseDecoder:
    """Tolerant: any line ending, comments, other fields, an unfinished last event. Never looks at a byte twice."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._held_bytes = 0
        self._skip_newline = False

    def feed(self, data: bytes) -> list[str]:
        """Return the data of every event that is now whole; LlmError (corrupt_stream) when one is too large."""
        if not data:
            return []
        if self._skip_newline and data.startswith(b"\n"):  # the other half of a CRLF
            data = data[1:]
            if not data:
                self._skip_newline = False
                return []
        self._skip_newline = data.endswith(b"\r")
        first, *rest = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        events: list[str] = []
        self._hold(first)
        for piece in rest:
            events += self._end_line()
            self._hold(piece)
        return events

    def flush(self) -> list[str]:
        """The stream has ended: return the data of an event that lacks its blank line."""
        return self._end_line() + self._end_event()

    def _hold(self, piece: bytes) -> None:
        self._held_bytes += len(piece)
        if self._held_bytes > MAX_EVENT_BYTES:
            raise fault("corrupt_stream", f"an event of more than {MAX_EVENT_BYTES} bytes")
        self._line.append(piece)

    def _end_line(self) -> list[str]:
        line = b"".join(self._line)
        self._line = []
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        else:
            self._held_bytes -= len(line)
        return []

    def _end_event(self) -> list[str]:
        data, self._data, self._held_bytes = self._data, [], 0
        return [b"\n".join(data).decode("utf-8", "replace")] if data else []
