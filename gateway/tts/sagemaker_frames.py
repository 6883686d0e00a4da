"""From the parts of a bidirectional stream to the worker's WebSocket frames."""

from gateway.errors import TtsError
from media.tts_wire import MAX_CONTROL_BYTES

# How SageMaker names what the container sent, and what it is asked to send (AWS, bidirectional streaming).
TEXT = "UTF8"
PARTIAL = "PARTIAL"


class FrameJoiner:
    """SageMaker passes the fragments of a WebSocket message on without joining them."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length_bytes = 0

    def feed(self, data: bytes, data_type: str | None, completion_state: str | None) -> str | bytes | None:
        """Return the frame that ends with this part, None when more of it comes.

        TtsError `worker_protocol` for one that is longer than any control or audio frame, or text that is none.
        """
        self._parts.append(data)
        self._length_bytes += len(data)
        if self._length_bytes > MAX_CONTROL_BYTES:
            raise TtsError("worker_protocol", f"a frame of over {MAX_CONTROL_BYTES} bytes", retryable=True)
        if completion_state == PARTIAL:
            return None
        frame, self._parts, self._length_bytes = b"".join(self._parts), [], 0
        try:
            return frame.decode() if data_type == TEXT else frame
        except UnicodeDecodeError as error:
            raise TtsError("worker_protocol", "a text frame that is not UTF-8", retryable=True) from error
