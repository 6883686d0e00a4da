"""The byte order of L16 on the wire, which three platforms leave undocumented: Telnyx, Plivo, SignalWire."""

from enum import StrEnum

from media.formats import AudioFormat, Encoding


class ByteOrder(StrEnum):
    """`little` as wherever it is documented for a WebSocket; `big` as in RTP (RFC 3551, 4.5.11)."""

    LITTLE = "little"
    BIG = "big"

    def turned(self, audio: bytes, wire: AudioFormat) -> bytes:
        """Return audio from the wire as s16le, or s16le as on the wire; what is not L16 passes. Whole samples only."""
        if self is ByteOrder.LITTLE or wire.encoding is not Encoding.L16:
            return audio
        turned = bytearray(audio)
        turned[0::2], turned[1::2] = audio[1::2], audio[0::2]
        return bytes(turned)
