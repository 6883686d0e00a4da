"""Cutting a stream of bytes into frames of one exact size."""


class Framer:
    """Collects bytes until a frame is whole. At most one frame less a byte is kept."""

    def __init__(self, frame_bytes: int, fill: bytes) -> None:
        """`fill` is one sample of silence, which pads the last frame; ValueError unless a frame is whole samples."""
        if frame_bytes <= 0 or not fill or frame_bytes % len(fill):
            raise ValueError(f"frame of {frame_bytes} bytes is not made of whole {len(fill)}-byte samples")
        self._frame_bytes = frame_bytes
        self._silence = fill * (frame_bytes // len(fill))
        self._rest = b""

    @property
    def pending_bytes(self) -> int:
        """How much is kept: the part of a frame that waits for more."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[bytes]:
        """Return the frames completed by `data`, often none."""
        if self._rest:
            data = self._rest + data
        size = self._frame_bytes
        whole_bytes = len(data) - len(data) % size
        self._rest = data[whole_bytes:]
        return [data[start : start + size] for start in range(0, whole_bytes, size)]

    def flush(self) -> list[bytes]:
        """Return the started frame, padded with silence, or nothing; then begin anew."""
        rest, self._rest = self._rest, b""
        return [rest + self._silence[len(rest) :]] if rest else []

    def reset(self) -> None:
        """Drop the started frame."""
        self._rest = b""
