"""Where pipecat's serializers and our codecs part, and why."""

import json

import pytest
from pipecat.serializers.vonage import VonageFrameSerializer

from gateway.events import MarkReached, SendMark
from gateway.platforms.base import Codec
from gateway.platforms.exotel import CAPABILITIES as EXOTEL
from gateway.platforms.telnyx_stream import TelnyxCodec
from gateway.simulator.dialect import BotAudio, BotHangUp, BotTransfer, BotViolation
from media.formats import AudioFormat, Encoding
from tests.counterparts.cases import CASES, telnyx_dialect, telnyx_serializer
from tests.counterparts.sides import Ours, Theirs, call, deliver, tone, understood

pytestmark = pytest.mark.counterparts


def marking(codec: Codec, name: str) -> list[str | bytes]:
    return codec.encode(SendMark(name))


@pytest.mark.parametrize("name", ["twilio", "telnyx", "plivo", "exotel", "vonage"])
async def test_we_ask_for_marks_and_pipecat_passes_over_what_comes_back(name: str) -> None:
    # Its serializers have no marks; ours tell us what was heard when a caller interrupts.
    case = CASES[name]
    codec, dialect, theirs = case.codec(), case.dialect(), case.theirs()
    for message in dialect.opening():
        codec.receive(message)
        await theirs.take(message)
    assert marking(codec, "m1")
    (answer,) = dialect.mark("m1")
    assert codec.receive(answer) == [MarkReached("m1")]
    await theirs.take(answer)
    assert (theirs.pcm, theirs.digits) == (b"", "")


@pytest.mark.parametrize("name", CASES)
async def test_the_fourth_column_of_keys_is_heard_by_us_alone(name: str) -> None:
    case = CASES[name]
    ours, theirs = case.ours(), case.theirs()
    await call(case.dialect(), ours, b"", "A")
    await call(case.dialect(), theirs, b"", "A")
    # Pipecat's pad has twelve keys.
    assert (ours.digits, theirs.digits) == ("A", "")


async def test_telnyx_packets_out_of_order_are_put_right_by_us_alone() -> None:
    # Telnyx promises no order. Pipecat plays the packets as they come, so two of them change places.
    spoken = tone(8000, 400) + tone(8000, 200, 700.0)
    straight, ours, theirs = Ours(TelnyxCodec()), Ours(TelnyxCodec()), Theirs(telnyx_serializer("PCMU"), 8000)
    await call(telnyx_dialect("PCMU"), straight, spoken)
    await call(telnyx_dialect("PCMU", swap_every=4), ours, spoken)
    await call(telnyx_dialect("PCMU", swap_every=4), theirs, spoken)
    # Of the last packet, which its successor would have overtaken, neither knows before the end.
    assert ours.pcm == straight.pcm[: len(ours.pcm)]
    assert len(ours.pcm) >= len(spoken) - 2 * 320
    assert theirs.pcm != straight.pcm[: len(theirs.pcm)]
    assert sorted(theirs.pcm) == sorted(straight.pcm[: len(theirs.pcm)])


async def test_telnyx_linear_audio_is_spoken_by_us_alone() -> None:
    # Pipecat raises for every encoding but PCMU and PCMA; we order L16 where the voice is to be wide.
    ours, theirs = Ours(TelnyxCodec(AudioFormat(Encoding.L16, 8000))), Theirs(telnyx_serializer("L16"), 8000)
    await call(telnyx_dialect("L16"), ours, tone(8000, 100))
    assert ours.pcm == tone(8000, 100)
    with pytest.raises(ValueError, match="Unsupported encoding"):
        await call(telnyx_dialect("L16"), theirs, tone(8000, 100))


async def test_exotel_hears_gaps_in_short_messages_which_pipecat_may_send() -> None:
    # Pipecat writes whatever frame its pipeline has. Ours is told by the capabilities how long a frame must be.
    case = CASES["exotel"]
    dialect, theirs = case.dialect(), case.theirs()
    await call(dialect, theirs, b"")
    (played,) = understood(dialect, await theirs.say(tone(8000, 20)))
    assert isinstance(played, BotViolation)
    frame_ms = EXOTEL.frame_ms_of(AudioFormat(Encoding.L16, 8000))
    (played,) = understood(dialect, await theirs.say(tone(8000, frame_ms)))
    assert isinstance(played, BotAudio)


async def test_vonage_closes_on_messages_of_another_length_which_pipecat_may_send() -> None:
    # F-16: exactly 20 ms a message. We cut and fill up; pipecat writes whatever frame its pipeline has.
    case = CASES["vonage"]
    answer = tone(16000, 50)
    for side, readings in ((case.ours(), [BotAudio] * 3), (case.theirs(), [BotViolation])):
        dialect = case.dialect()
        await call(dialect, side, b"")
        assert [type(message) for message in understood(dialect, await side.say(answer))] == readings


async def test_pipecats_serializers_hear_nothing_at_first_where_they_change_the_rate() -> None:
    # Their rate is told by `setup`; before that it is 0. At another rate than the wire's their resampler holds back the
    # first 100 ms or so, and a short recording seems to be lost. Our codecs change no rate.
    params = VonageFrameSerializer.InputParams(vonage_sample_rate=16000)
    with pytest.raises(ValueError, match="over 0"):
        await VonageFrameSerializer(params).deserialize(tone(16000, 20))
    theirs = Theirs(VonageFrameSerializer(params), 8000)
    await call(CASES["vonage"].dialect(), theirs, tone(16000, 80))
    assert theirs.pcm == b""
    await call(CASES["vonage"].dialect(), theirs, tone(16000, 2000))
    assert len(theirs.pcm) > len(tone(8000, 1500))


async def test_of_genesys_offers_we_take_the_callers_voice_alone_and_pipecat_the_first() -> None:
    # The first offer has both voices. Pipecat throws away half of what it is sent then; we ask for the caller's only.
    chosen = []
    for side in (CASES["genesys"].ours(), CASES["genesys"].theirs()):
        (opened,) = await side.take(CASES["genesys"].dialect().opening()[0])
        chosen.append(json.loads(opened)["parameters"]["media"][0]["channels"])
    assert chosen == [["external"], ["external", "internal"]]


async def test_genesys_is_told_to_hang_up_by_us_and_to_transfer_by_pipecat() -> None:
    # Pipecat's end of a pipeline hands the caller to an agent unless told otherwise; ours is a hang-up, and a transfer
    # names its target. Both are output variables on which the flow decides.
    case = CASES["genesys"]
    endings = []
    for side in (case.ours(), case.theirs()):
        dialect = case.dialect()
        await call(dialect, side, b"")
        endings += understood(dialect, await side.hang_up())
    assert isinstance(endings[0], BotHangUp)
    assert isinstance(endings[1], BotTransfer)


async def test_genesys_heads_differ_by_the_position_which_the_server_need_not_tell() -> None:
    case = CASES["genesys"]
    heads = []
    for side in (case.ours(), case.theirs()):
        await call(case.dialect(), side, b"")
        (clear,) = await side.clear()
        heads.append(set(json.loads(clear)))
    assert heads[1] - heads[0] == {"position"}
    assert heads[0] <= heads[1]


async def test_genesys_pings_and_closes_are_answered_by_both() -> None:
    case = CASES["genesys"]
    for side in (case.ours(), case.theirs()):
        dialect = case.dialect()
        await call(dialect, side, b"")
        for _ in range(60):
            await deliver(dialect, dialect.tick(0.0), side)
        (close,) = dialect.stop()
        answers = [json.loads(answer)["type"] for answer in await side.take(close)]
        assert answers == ["closed"]
