"""Admission, stream tokens and the end of all calls."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gateway.call.calls import DRAIN_GOODBYE_S, Calls
from gateway.call.record import CallRecord
from gateway.errors import Refused
from gateway.platforms.base import IncomingCall
from tests.rig.clock import run_leaping
from tests.rig.voice import TestVoice, TestVoices

TTL_S = 60.0


class FakeSession:
    """Runs until it is told to stop; a farewell ends it after `goodbye_s`."""

    def __init__(self, goodbye_s: float = 1.0, lasts_s: float = 1e5, closing_s: float = 0.0) -> None:
        self._goodbye_s = goodbye_s
        self._lasts_s = lasts_s
        self._closing_s = closing_s
        self._told = asyncio.Event()
        self.farewells = 0

    async def run(self) -> str:
        try:
            async with asyncio.timeout(self._lasts_s):
                await self._told.wait()
                await asyncio.sleep(self._goodbye_s)
            return "goodbye"
        except TimeoutError:
            return "stop"
        finally:
            await asyncio.sleep(self._closing_s)

    def farewell(self) -> None:
        self.farewells += 1
        self._told.set()


class House:
    """A set of calls and what it was given."""

    def __init__(self, max_calls: int = 2, keep: int = 10) -> None:
        self.calls = Calls(max_calls, TTL_S, keep, asyncio.get_running_loop().time, {"capped": 1})
        self.voices: list[TestVoice] = []
        self.ended: dict[str, asyncio.Task[str]] = {}

    def reserve(self, call_id: str, **kind: object) -> str:
        voice = TestVoices(**kind).session("v", "en", 1.0)  # type: ignore[arg-type]  # a test's own words
        assert isinstance(voice, TestVoice)
        self.voices.append(voice)
        return self.calls.reserve("twilio", IncomingCall(call_id), voice)

    async def begin(self, call_id: str, session: FakeSession) -> None:
        record = CallRecord(call_id, "twilio", "then")
        conducted = self.calls.conduct(call_id, session, record)  # type: ignore[arg-type]  # run and farewell are all
        self.ended[call_id] = asyncio.create_task(conducted)
        await asyncio.sleep(0)


def at_home(script: Callable[[House], Awaitable[None]], max_calls: int = 2, keep: int = 10) -> House:
    async def main() -> House:
        house = House(max_calls, keep)
        await script(house)
        await house.calls.drain(0.0)
        await asyncio.sleep(0.1)
        return house

    return run_leaping(main())


def code_of(refusing: Callable[[], object]) -> tuple[str, int, bool]:
    with pytest.raises(Refused) as caught:
        refusing()
    return caught.value.code, caught.value.http_status, caught.value.retryable


def test_a_token_admits_its_call_once() -> None:
    async def script(house: House) -> None:
        token = house.reserve("CA1")
        assert house.calls.claim("twilio", "CA1", token).voice is house.voices[0]
        assert code_of(lambda: house.calls.claim("twilio", "CA1", token)) == ("bad_token", 403, False)

    at_home(script)


@pytest.mark.parametrize(
    ("platform", "call_id", "change"),
    [
        ("twilio", "CA2", lambda token: token),
        ("telnyx", "CA1", lambda token: token),
        ("twilio", "CA1", lambda token: token[:-1]),
        ("twilio", "CA1", lambda token: token.swapcase() + "x"),
        ("twilio", "CA1", lambda token: ""),
        ("twilio", "CA1", lambda token: "\udcff"),
    ],
)
def test_f29b_no_other_call_platform_or_token_gets_in(
    platform: str, call_id: str, change: Callable[[str], str]
) -> None:
    async def script(house: House) -> None:
        token = house.reserve("CA1")
        assert code_of(lambda: house.calls.claim(platform, call_id, change(token)))[0] == "bad_token"
        house.calls.claim("twilio", "CA1", token)  # the attempt has cost the caller nothing

    at_home(script)


def test_tokens_are_long_and_never_the_same() -> None:
    async def script(house: House) -> None:
        tokens = {house.reserve(f"CA{n}") for n in range(50)}
        assert len(tokens) == 50
        assert min(map(len, tokens)) >= 32
        assert all(token.isalnum() for token in tokens)

    at_home(script, max_calls=100)


def test_a_late_token_is_worthless_and_its_place_and_voice_are_given_back() -> None:
    async def script(house: House) -> None:
        token = house.reserve("CA1")
        await asyncio.sleep(TTL_S - 1)
        assert not house.voices[0].closed
        await asyncio.sleep(1.1)
        assert house.voices[0].closed
        assert code_of(lambda: house.calls.claim("twilio", "CA1", token))[0] == "bad_token"
        assert house.calls.has_room

    at_home(script, max_calls=1)


def test_a_repeated_webhook_replaces_the_first_token_and_closes_its_voice() -> None:
    async def script(house: House) -> None:
        first, second = house.reserve("CA1"), house.reserve("CA1")
        await asyncio.sleep(0.1)
        assert [voice.closed for voice in house.voices] == [True, False]
        assert code_of(lambda: house.calls.claim("twilio", "CA1", first))[0] == "bad_token"
        house.calls.claim("twilio", "CA1", second)

    at_home(script)


def test_the_voice_is_opened_while_the_phone_rings_and_a_failure_is_for_the_session_to_find() -> None:
    async def script(house: House) -> None:
        house.reserve("CA1", refuses=True)
        await asyncio.sleep(0.1)
        assert house.voices[0].open_count == 1

    at_home(script)


def test_a_reservation_given_back_while_its_voice_is_opening_leaves_nothing_running() -> None:
    async def script(house: House) -> None:
        house.reserve("CA1")
        house.calls.release("CA1")
        house.calls.release("CA1")
        await asyncio.sleep(0.1)
        assert house.voices[0].closed

    at_home(script)


def test_places_are_counted_with_those_that_are_kept() -> None:
    async def script(house: House) -> None:
        await house.begin("CA1", FakeSession())
        assert house.calls.has_room
        house.reserve("CA2")
        assert not house.calls.has_room
        assert code_of(lambda: house.calls.admit("CA3")) == ("at_capacity", 503, True)
        house.calls.admit("CA2")  # the platform asks again about the call that has its place
        assert code_of(lambda: house.calls.admit("CA1")) == ("call_is_on", 409, False)

    at_home(script)


def test_a_call_that_has_ended_gives_its_place_back_and_is_kept_in_the_records() -> None:
    async def script(house: House) -> None:
        await house.begin("CA1", FakeSession(lasts_s=1.0))
        await house.begin("CA2", FakeSession(lasts_s=5.0))
        await asyncio.sleep(2.0)
        assert house.calls.count == 1
        assert [record.call_id for record in house.calls.records()] == ["CA2", "CA1"]
        assert await house.ended["CA1"] == "stop"

    at_home(script)


def test_only_as_many_records_are_kept_as_was_asked() -> None:
    async def script(house: House) -> None:
        for number in range(5):
            await house.begin(f"CA{number}", FakeSession(lasts_s=0.1))
            await asyncio.sleep(0.2)

    assert [record.call_id for record in at_home(script, keep=2).calls.records()] == ["CA4", "CA3"]
    assert at_home(script, keep=0).calls.records() == []


def test_cancelling_the_conductor_ends_the_call() -> None:
    async def script(house: House) -> None:
        await house.begin("CA1", FakeSession(closing_s=0.5))
        await asyncio.sleep(0.1)
        house.ended["CA1"].cancel()
        await asyncio.sleep(0.1)
        assert house.calls.count == 1  # it is still closing
        await asyncio.sleep(0.5)
        assert house.calls.count == 0

    at_home(script)


def test_a_farewell_reaches_its_call_only() -> None:
    async def script(house: House) -> None:
        one, two = FakeSession(), FakeSession()
        await house.begin("CA1", one)
        await house.begin("CA2", two)
        assert house.calls.farewell("CA1")
        assert not house.calls.farewell("CA9")
        assert (one.farewells, two.farewells) == (1, 0)

    at_home(script)


def test_f114_a_drain_refuses_new_calls_at_once_and_lets_those_on_finish() -> None:
    async def main() -> None:
        house = House()
        short, long = FakeSession(lasts_s=5.0), FakeSession(lasts_s=8.0)
        await house.begin("CA1", short)
        await house.begin("CA2", long)
        draining = asyncio.create_task(house.calls.drain(30.0))
        await asyncio.sleep(6.0)  # the first has ended
        assert not draining.done()
        assert not house.calls.has_room
        assert code_of(lambda: house.calls.admit("CA3")) == ("draining", 503, True)
        await draining
        assert asyncio.get_running_loop().time() == pytest.approx(8.0, abs=0.1)
        assert (short.farewells, long.farewells) == (0, 0)

    run_leaping(main())


def test_a_drain_gives_back_what_is_kept() -> None:
    async def script(house: House) -> None:
        token = house.reserve("CA1")
        await house.calls.drain(0.0)
        assert house.voices[0].closed
        assert code_of(lambda: house.calls.claim("twilio", "CA1", token))[0] == "bad_token"

    at_home(script)


def test_who_outlasts_the_drain_is_told_goodbye_and_then_cancelled() -> None:
    async def main() -> None:
        house = House()
        await house.begin("CA1", FakeSession(goodbye_s=2.0))
        await house.begin("CA2", FakeSession(goodbye_s=1e4))
        await house.calls.drain(10.0)
        assert asyncio.get_running_loop().time() == pytest.approx(10.0 + DRAIN_GOODBYE_S, abs=0.1)
        await asyncio.wait(house.ended.values())
        assert await house.ended["CA1"] == "goodbye"
        assert house.ended["CA2"].cancelled()
        assert house.calls.count == 0

    run_leaping(main())


def test_a_bot_has_no_more_calls_than_its_cap_and_leaves_room_for_others() -> None:
    async def script(house: House) -> None:
        voice = TestVoices().session("v", "en", 1.0)
        house.calls.admit("CA1", "capped")
        house.calls.reserve("twilio", IncomingCall("CA1"), voice, bot="capped")
        assert code_of(lambda: house.calls.admit("CA2", "capped")) == ("bot_at_capacity", 503, True)
        house.calls.admit("CA1", "capped")  # the platform asks again about the call that has its place
        house.calls.admit("CA2", "other")
        house.calls.release("CA1")
        record = CallRecord("CA3", "twilio", "then", bot="capped")
        conducted = house.calls.conduct("CA3", FakeSession(), record)  # type: ignore[arg-type]  # run and farewell are all
        house.ended["CA3"] = asyncio.create_task(conducted)
        await asyncio.sleep(0)
        assert code_of(lambda: house.calls.admit("CA2", "capped")) == ("bot_at_capacity", 503, True)

    at_home(script, max_calls=5)


def test_calls_that_ring_have_their_places_and_their_bots() -> None:
    async def script(house: House) -> None:
        house.calls.ringing.begin("ours", "capped", 60.0)
        assert code_of(lambda: house.calls.admit("", "capped")) == ("bot_at_capacity", 503, True)
        house.calls.admit("", "other")
        house.calls.ringing.begin("theirs", "other", 60.0)
        assert not house.calls.has_room
        assert code_of(lambda: house.calls.admit("CA1", "other")) == ("at_capacity", 503, True)
        house.calls.admit("CA1", "capped", "ours")  # it is the one that rings
        await asyncio.sleep(60.0)
        assert house.calls.has_room

    at_home(script)
