"""What all clients share: reading streamed and whole bodies, and letting go of the connection."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from batuta.kernel.errors import ProviderUnavailableError
from batuta.llm.client import events_of, read_json


class Body(httpx2.AsyncByteStream):
    """A body that comes in pieces and knows whether it was closed."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece

    async def aclose(self) -> None:
        self.is_closed = True


async def test_events_come_one_by_one_and_the_end_mark_is_none_of_them() -> None:
    body = Body(b'data: {"a": 1}\n\nda', b'ta: {"a": 2}\n\ndata: [DONE]\n\n')
    assert [event async for event in events_of(httpx2.Response(200, stream=body))] == [{"a": 1}, {"a": 2}]
    assert body.is_closed


async def test_a_last_event_without_its_end_is_read() -> None:
    body = Body(b'data: {"a": 1}\n\ndata: {"a": 2}')
    assert len([event async for event in events_of(httpx2.Response(200, stream=body))]) == 2


async def test_leaving_the_events_closes_the_response_there_and_then() -> None:
    body = Body(b'data: {"a": 1}\n\n', b'data: {"a": 2}\n\n')
    events = events_of(httpx2.Response(200, stream=body))
    await anext(events)
    await events.aclose()  # type: ignore[attr-defined]
    assert body.is_closed


async def test_an_event_that_is_no_json_closes_the_response_too() -> None:
    body = Body(b'data: {"a": \n\n')
    with pytest.raises(ValueError, match="EOF"):
        [event async for event in events_of(httpx2.Response(200, stream=body))]
    assert body.is_closed


@pytest.mark.parametrize("data", [b"", b"<html>busy</html>", b'{"half": '])
def test_a_body_that_is_no_json_means_that_the_provider_is_unavailable(data: bytes) -> None:
    with pytest.raises(ProviderUnavailableError):
        read_json("provider", data)
