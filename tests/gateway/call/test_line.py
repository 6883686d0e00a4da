"""The pump between socket and codec: events in order, every fault counted once, every write bounded."""

import asyncio
from collections.abc import Sequence

import pytest
from structlog.testing import capture_logs

from gateway.call.line import MAX_FAULT_KINDS, Line
from gateway.errors import PeerFault
from gateway.events import CallEnded, CallerAudio, CallStarted, Command, Event, HangUp, PeerError
from gateway.platforms.base import Capabilities
from media.formats import ULAW_8K
from tests.rig.clock import run_leaping

STARTED = CallStarted("CA1", "MZ1", ULAW_8K, ULAW_8K)
AUDIO = CallerAudio(b"\xff")


class FakeSocket:
    """Gives its messages and then says it is closed; `send_s` passes in every write, `broken` refuses them."""

    def __init__(self, messages: Sequence[str] = (), send_s: float = 0.0, broken: bool = False) -> None:
        self._messages = list(messages)
        self._send_s = send_s
        self._broken = broken
        self.sent: list[str | bytes] = []
        self.closed_with: int | None = None

    async def receive(self) -> str | bytes | None:
        return self._messages.pop(0) if self._messages else None

    async def send(self, message: str | bytes) -> None:
        await asyncio.sleep(self._send_s)
        if self._broken:
            raise ConnectionResetError("gone")
        self.sent.append(message)

    async def close(self, code: int = 1000) -> None:
        self.closed_with = code


class TableCodec:
    """A codec whose messages mean what a table says."""

    capabilities = Capabilities()

    def __init__(self, meanings: dict[str, list[Event]]) -> None:
        self._meanings = meanings
        self._ended = False
        self._owed: list[str | bytes] = []

    def receive(self, message: str | bytes) -> list[Event]:
        events = self._meanings[str(message)]
        self._owed += ["pong"] if message == "ping" else []
        self._ended = self._ended or any(isinstance(event, CallEnded) for event in events)
        return events

    def receive_eof(self) -> list[Event]:
        return [] if self._ended else [CallEnded("closed")]

    def encode(self, command: Command) -> list[str | bytes]:
        return ["one", "two"] if isinstance(command, HangUp) else []

    def owed(self) -> list[str | bytes]:
        owed, self._owed = self._owed, []
        return owed


MEANINGS: dict[str, list[Event]] = {
    "start": [STARTED],
    "start with audio": [STARTED, AUDIO],
    "audio": [AUDIO, AUDIO],
    "odd": [PeerError("odd_payload")],
    "dead": [PeerError("bad_start", fatal=True), AUDIO],
    "stop": [CallEnded("stop")],
    "ping": [],
    **{f"kind {n}": [PeerError(f"kind_{n}")] for n in range(100)},
}


def line_of(*messages: str, **socket: float | bool) -> tuple[Line, FakeSocket]:
    fake = FakeSocket(messages, **socket)  # type: ignore[arg-type]  # send_s is a float, broken a bool
    return Line(fake, TableCodec(MEANINGS), send_timeout_s=5.0), fake


def heard(*messages: str) -> tuple[list[Event], Line]:
    async def main() -> tuple[list[Event], Line]:
        line, _ = line_of(*messages)
        return [event async for event in line.events()], line

    return run_leaping(main())


def test_events_come_in_order_and_end_with_the_call() -> None:
    assert heard("start", "audio", "stop", "audio")[0] == [STARTED, AUDIO, AUDIO, CallEnded("stop")]


def test_a_closed_socket_ends_the_call() -> None:
    assert heard("start")[0] == [STARTED, CallEnded("closed")]


def test_a_fault_is_counted_each_time_and_logged_once() -> None:
    with capture_logs() as logs:
        events, line = heard("odd", "odd", "odd", "stop")
    assert events == [CallEnded("stop")]
    assert line.faults == {"odd_payload": 3}
    assert [(entry["event"], entry["code"]) for entry in logs] == [("peer_error", "odd_payload")]


def test_a_fatal_fault_ends_the_call_and_nothing_behind_it_counts() -> None:
    assert heard("dead", "audio")[0] == [CallEnded("bad_start")]


def test_a_peer_that_invents_ever_new_faults_fills_no_memory() -> None:
    with capture_logs() as logs:
        _, line = heard(*(f"kind {n}" for n in range(100)))
    assert len(line.faults) == MAX_FAULT_KINDS + 1
    assert line.faults["other"] == 100 - MAX_FAULT_KINDS
    assert len(logs) == MAX_FAULT_KINDS + 1


def test_started_reads_up_to_the_start_message() -> None:
    async def main() -> None:
        line, _ = line_of("odd", "start", "audio", "stop")
        assert await line.started() == STARTED
        assert [event async for event in line.events()] == [AUDIO, AUDIO, CallEnded("stop")]

    run_leaping(main())


def test_what_comes_in_one_message_with_the_start_is_not_lost() -> None:
    async def main() -> None:
        line, _ = line_of("start with audio", "stop")
        assert await line.started() == STARTED
        assert [event async for event in line.events()] == [AUDIO, CallEnded("stop")]

    run_leaping(main())


@pytest.mark.parametrize("message", ["stop", "dead"])
def test_a_stream_that_ends_before_its_start_has_none(message: str) -> None:
    async def main() -> None:
        assert await line_of(message)[0].started() is None
        assert await line_of()[0].started() is None

    run_leaping(main())


def test_a_command_may_be_several_messages_or_none() -> None:
    async def main() -> None:
        line, socket = line_of()
        await line.send(HangUp())
        assert socket.sent == ["one", "two"]

    run_leaping(main())


def test_what_the_protocol_owes_is_answered_at_once() -> None:
    async def main() -> None:
        line, socket = line_of("ping", "start", "stop")
        assert await line.started() == STARTED
        assert socket.sent == ["pong"]

    run_leaping(main())


def test_a_call_that_is_over_elsewhere_closes_the_socket_and_says_why() -> None:
    async def main() -> None:
        line, socket = line_of()
        await line.over("status")
        await line.over("later")
        assert socket.closed_with == 1000
        assert [event async for event in line.events()] == [CallEnded("status")]

    run_leaping(main())


def test_f09_a_write_that_finds_no_room_is_given_up_within_its_bound() -> None:
    async def main() -> None:
        line, _ = line_of(send_s=3600.0)
        began = asyncio.get_running_loop().time()
        with pytest.raises(PeerFault) as caught:
            await line.send(HangUp())
        assert caught.value.code == "peer_stopped_reading"
        assert asyncio.get_running_loop().time() - began == pytest.approx(5.0)

    run_leaping(main())


def test_a_write_to_a_broken_socket_says_so() -> None:
    async def main() -> None:
        with pytest.raises(PeerFault, match="peer_gone"):
            await line_of(broken=True)[0].send(HangUp())

    run_leaping(main())


def test_closing_hands_the_code_on() -> None:
    async def main() -> None:
        line, socket = line_of()
        await line.close(1008)
        assert socket.closed_with == 1008

    run_leaping(main())


def test_logging_a_fault_never_shows_what_the_peer_said() -> None:
    assert "secret" not in repr(PeerError("bad_json")) + repr(CallerAudio(b"secret"))
