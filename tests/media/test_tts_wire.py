import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.tts_wire import (
    MAX_CONTROL_BYTES,
    TAG_BYTES,
    ErrorCode,
    Type,
    WireError,
    Word,
    decode_control,
    encode_control,
    tag_audio,
    untag_audio,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.integers(0, 2**32 - 1), st.binary(max_size=100))
def test_tagged_audio_comes_back_with_its_request_number(number: int, pcm: bytes) -> None:
    frame = tag_audio(number, pcm)
    assert len(frame) == TAG_BYTES + len(pcm)
    tagged, audio = untag_audio(frame)
    assert (tagged, bytes(audio)) == (number, pcm)


def test_the_tag_is_eight_bytes_in_network_order() -> None:
    assert tag_audio(0x01020304, b"pcm") == bytes.fromhex("0100000001020304") + b"pcm"


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b"", "0 bytes is shorter"),
        (tag_audio(1, b"")[:-1], "7 bytes is shorter"),
        (b"\x02" + tag_audio(1, b"")[1:], "begins 0200"),
        (b"\x01\x07" + tag_audio(1, b"")[2:], "begins 0107"),
        (b'{"type":"close"}', "begins 7b22"),
    ],
)
def test_what_is_not_tagged_audio_is_refused(frame: bytes, message: str) -> None:
    with pytest.raises(WireError, match=message) as caught:
        untag_audio(frame)
    assert caught.value.code is ErrorCode.BAD_FIELD


def test_a_control_can_never_be_taken_for_tagged_audio() -> None:
    assert not encode_control(Type.CLOSE).encode().startswith(tag_audio(0, b"")[:1])


def test_a_control_leaves_out_what_is_none_and_keeps_what_is_zero() -> None:
    assert encode_control(Type.CANCELLED, request_id=None, number=3, samples=0) == (
        '{"type":"cancelled","number":3,"samples":0}'
    )


@given(st.dictionaries(st.text(min_size=1).filter(lambda key: key not in ("type", "message_type")), VALUES, max_size=4))
def test_a_control_survives_the_way_as_text_and_as_binary(fields: dict[str, object]) -> None:
    control = encode_control(Type.SYNTHESIZE, **fields)
    expected = {"type": "synthesize", **{key: value for key, value in fields.items() if value is not None}}
    assert decode_control(control) == expected
    assert decode_control(control.encode()) == expected


def test_letters_of_any_script_travel_unescaped() -> None:
    assert "こんにちは" in encode_control(Type.SYNTHESIZE, text="こんにちは")


def test_half_a_character_is_replaced_because_utf_8_cannot_carry_it() -> None:
    control = encode_control(Type.SYNTHESIZE, text="a\ud800b")
    assert decode_control(control.encode())["text"] == "a\ufffdb"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_json_has_no_word_for_is_not_sent(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode_control(Type.SYNTHESIS_COMPLETE, duration_s=number)


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "hello",
        '{"type":',
        '{"type":"close"} trailing',
        "[]",
        '"close"',
        "null",
        "17",
        '{"speed":NaN}',
        '{"speed":-Infinity}',
        '{"speed":1e999}',
        r'{"request_id":"\ud800"}',
        r'{"\udc00":1}',
        '{"n":' + "9" * 5000 + "}",
        '{"a":' * 100_000,
        b"",
        b"\xff\xfe{\x00}\x00",
        b'{"text":"\xed\xa0\x80"}',
        b"\x01\x00\x00\x00\x00\x00\x00\x01",
    ],
    ids=lambda frame: ascii(frame[:24]),
)
def test_what_is_not_one_json_object_is_refused(frame: str | bytes) -> None:
    with pytest.raises(WireError) as caught:
        decode_control(frame)
    assert caught.value.code is ErrorCode.BAD_JSON


def test_an_escaped_pair_is_one_character() -> None:
    assert decode_control(r'{"text":"\ud83d\ude00"}') == {"text": "\U0001f600"}


def test_the_largest_control_is_read_and_one_byte_more_is_refused_unparsed() -> None:
    frame = json.dumps({"text": "a" * (MAX_CONTROL_BYTES - len('{"text": ""}'))})
    assert len(decode_control(frame)["text"]) == len(frame) - len('{"text": ""}')
    with pytest.raises(WireError, match="the limit is 1000000") as caught:
        decode_control(frame + " ")
    assert caught.value.code is ErrorCode.TEXT_TOO_LONG


def test_an_error_does_not_repeat_what_was_sent() -> None:
    with pytest.raises(WireError) as caught:
        decode_control('{"text":"my number is 5550100", oops}')
    assert "5550100" not in str(caught.value)


def test_a_word_travels_with_its_time_and_place_and_hides_its_text_when_printed() -> None:
    word = Word("hello", 0.1, 0.35001, 4, 9)
    assert word.as_json() == {"text": "hello", "start_s": 0.1, "end_s": 0.35, "start_char": 4, "end_char": 9}
    assert "hello" not in repr(word)
