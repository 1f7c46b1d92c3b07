from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexic_sdk.errors import InvalidResponseError
from lexic_sdk.sse import EventDecoder

# No line ends within, nothing that the decoder would take for the mark of a file's beginning.
lines = st.text(st.characters(blacklist_characters="\r\n\ufeff", blacklist_categories=["Cs"]), max_size=20)
events = st.lists(st.lists(lines, min_size=1, max_size=3), max_size=6)
ends = st.sampled_from(["\n", "\r\n", "\r"])


def decoded(*chunks: bytes) -> list[str]:
    decoder = EventDecoder()
    found = [data for chunk in chunks for data in decoder.feed(chunk)]
    last = decoder.finish()
    return found + ([last] if last else [])


def cut(data: bytes, places: list[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(bounds)]


@given(events, ends, st.lists(st.integers(min_value=0), max_size=30))
def test_however_it_is_cut_up_the_same_events_come_out(events: list[list[str]], end: str, places: list[int]):
    blocks = [end.join(f"data: {line}" for line in event) + end * 2 for event in events]
    stream = "".join(blocks).encode()
    assert decoded(*cut(stream, places)) == decoded(stream)
    assert decoded(stream) == ["\n".join(event) for event in events]


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_any_bytes_at_all_are_taken(chunks: list[bytes]):
    assert decoded(*chunks) == decoded(b"".join(chunks))


@given(st.text(max_size=50), st.integers(min_value=0))
def test_a_character_cut_in_two_is_one_character(text: str, place: int):
    data = f"data: {text.encode('utf-8', 'replace').decode().replace(chr(13), '').replace(chr(10), '')}x\n\n".encode()
    assert decoded(*cut(data, [place])) == [data[6:-2].decode()]


def test_one_byte_at_a_time():
    data = "data: größe €\r\ndata: zwei\r\n\r\n: ping\r\n\r\ndata: drei\r\n\r\n".encode()
    assert decoded(*(bytes([byte]) for byte in data)) == ["größe €\nzwei", "drei"]


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\n", ["a"]),
        (b"data:a\n\n", ["a"]),
        (b"data:  a\n\n", [" a"]),  # one space belongs to the format, the second to the data
        (b"data: a\r\n\r\n", ["a"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data: a\ndata\n\n", ["a\n"]),
        (b": ping\n\ndata: a\n\n: ping\n\n", ["a"]),
        (b":\n\n", []),
        (b"event: delta\nid: 7\nretry: 10\ndata: a\n\n", ["a"]),
        (b"event: delta\n\n", []),
        (b"data\n\n", [""]),
        (b"\n\n\n\ndata: a\n\n\n\n", ["a"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"database: a\n\n", []),
        (b"data: a: b\n\n", ["a: b"]),
        (b"data: \xff\n\n", ["\ufffd"]),
    ],
)
def test_the_format(stream: bytes, expected: list[str]):
    assert decoded(stream) == expected


@pytest.mark.parametrize("stream", [b"data: a", b"data: a\n", b"data: a\r", b"data: a\r\n"])
def test_an_event_without_its_blank_line_is_given_at_the_end(stream: bytes):
    decoder = EventDecoder()
    assert decoder.feed(stream) == []
    assert decoder.finish() == "a"
    assert decoder.finish() is None


def test_an_event_without_end_is_refused_and_comments_do_not_count():
    decoder = EventDecoder(longest_event=100)
    for _ in range(100):
        assert decoder.feed(b": " + b"p" * 50 + b"\n") == []
    decoder.feed(b"data: 1234567890\n" * 6)
    with pytest.raises(InvalidResponseError):
        decoder.feed(b"data: 1234567890\n")


def test_a_line_without_end_is_refused():
    decoder = EventDecoder(longest_event=100)
    for _ in range(100):
        decoder.feed(b"x")
    with pytest.raises(InvalidResponseError):
        decoder.feed(b"x")
