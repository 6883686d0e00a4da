"""What every codec owes its vectors: a broken message is one PeerError, and then all goes on or is over."""

from gateway.events import CallEnded, CallStarted, ClearOutput, Event, PeerError, SendAudio
from gateway.platforms.base import Codec
from tests.rig.codec_vectors import Vector, command_of, message_of, wires_of


def check_broken(codec: Codec, vector: Vector, start: str | bytes, media: str | bytes, heard: Event) -> None:
    """`codec` is waiting or open, as the vector wants it; `media` afterwards means `heard`."""
    (event,) = codec.receive(message_of(vector))
    assert isinstance(event, PeerError)
    assert (event.code, event.fatal) == (vector["code"], vector["fatal"])
    assert "555" not in repr(event)
    if vector["fatal"]:
        assert codec.receive(start) == []
        assert codec.encode(ClearOutput()) == codec.encode(SendAudio(b"\0\0")) == []
    else:
        if vector["phase"] == "waiting":
            assert isinstance(codec.receive(start)[0], CallStarted)
        assert codec.receive(media) == [heard]
    assert codec.receive_eof() == [CallEnded("closed")]
    assert codec.receive_eof() == []


def check_command(waiting: Codec, opened: Codec, vector: Vector) -> None:
    """Written byte for byte while the stream is open, and not at all before and after."""
    command = command_of(vector)
    assert waiting.encode(command) == []
    assert opened.encode(command) == wires_of(vector)
    opened.receive_eof()
    assert opened.encode(command) == []
