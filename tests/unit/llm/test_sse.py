"""Server-sent events, however they are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.llm.sse import SseDecoder


def decoded(*pieces: bytes) -> list[bytes]:
    decoder = SseDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return [*events, *decoder.close()]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_events_end_with_an_empty_line_of_any_kind(end: bytes) -> None:
    assert decoded(b"event: a" + end + b"data: 1" + end * 2 + b"data: 2" + end * 2) == [b"1", b"2"]


def test_comments_and_events_without_data_are_left_out() -> None:
    assert decoded(b": ping\n\nevent: ping\n\ndata: 1\n\n") == [b"1"]


def test_lines_of_data_are_joined() -> None:
    assert decoded(b"data: a\ndata: b\n\n") == [b"a\nb"]


def test_the_space_after_the_colon_may_be_missing() -> None:
    assert decoded(b"data:1\n\n") == [b"1"]


def test_an_event_that_was_not_ended_comes_at_the_close() -> None:
    assert decoded(b"data: 1\n\ndata: 2") == [b"1", b"2"]


@given(
    payloads=st.lists(st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1), max_size=8),
    cuts=st.lists(st.integers(0, 400), max_size=12),
)
def test_wherever_the_bytes_are_cut_the_events_are_the_same(payloads: list[str], cuts: list[int]) -> None:
    whole = b"".join(b"event: x\ndata: " + payload.encode() + b"\n\n" for payload in payloads)
    places = sorted({min(cut, len(whole)) for cut in cuts} | {0, len(whole)})
    pieces = [whole[start:end] for start, end in pairwise(places)]
    assert decoded(*pieces) == [payload.encode() for payload in payloads]
