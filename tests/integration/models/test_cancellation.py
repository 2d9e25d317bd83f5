"""Cancelling a call, or leaving a stream, stops the HTTP request at once (F-74)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from batuta.kernel.answers import Delta
from batuta.simulator import Fault, Simulator
from tests.integration.models.stage import Stage, said

LONG = {"answers": [{"text": "word " * 400}], "pace": {"chunk_chars": 8, "delay_ms": 20}}
MAX_SECONDS = 0.1


async def _seconds_until_the_provider_notices(simulator: Simulator, leave: Callable[[], Awaitable[None]]) -> float:
    """From the moment somebody leaves until the provider sees the connection closed."""
    started = time.monotonic()
    leaving = asyncio.ensure_future(leave())
    await simulator.wait_until(lambda: simulator.requests[-1].disconnected_at is not None, within=2)
    seconds = time.monotonic() - started
    await leaving
    return seconds


def _cancelling(call: "asyncio.Task[Any]") -> Callable[[], Awaitable[None]]:
    async def leave() -> None:
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    return leave


@pytest.mark.parametrize("is_protected", [False, True], ids=["bare", "protected"])
async def test_a_cancelled_call_is_gone_from_the_provider_within_a_tenth_of_a_second(
    stage: Stage, streaming: bool, is_protected: bool
) -> None:
    stage.simulator.inject(Fault(kind="slow_first_byte", seconds=30))
    ask = stage.ask_protected if is_protected else stage.ask
    call = asyncio.create_task(ask(said(), streaming=streaming))
    await stage.simulator.wait_until(lambda: stage.simulator.requests, within=5)
    assert await _seconds_until_the_provider_notices(stage.simulator, _cancelling(call)) < MAX_SECONDS


async def test_a_call_cancelled_in_the_middle_of_a_stream_is_gone_too(stage: Stage) -> None:
    stage.play(LONG)
    first = asyncio.Event()

    async def read() -> None:
        async for _ in stage.protected.stream(said()):
            first.set()

    call = asyncio.create_task(read())
    await first.wait()
    assert await _seconds_until_the_provider_notices(stage.simulator, _cancelling(call)) < MAX_SECONDS


@pytest.mark.parametrize("is_protected", [False, True], ids=["bare", "protected"])
async def test_closing_a_stream_closes_its_connection(stage: Stage, is_protected: bool) -> None:
    stage.play(LONG)
    model = stage.protected if is_protected else stage.bare
    stream = model.stream(said())
    assert isinstance(await anext(stream), Delta)
    leave = stream.aclose  # type: ignore[attr-defined]
    assert await _seconds_until_the_provider_notices(stage.simulator, leave) < MAX_SECONDS


async def test_twenty_cancelled_calls_leave_nothing_behind(stage: Stage, streaming: bool) -> None:
    stage.simulator.inject(Fault(kind="slow_first_byte", seconds=30, times=20))
    calls = [asyncio.create_task(stage.ask(said(), streaming=streaming)) for _ in range(20)]
    await stage.simulator.wait_until(lambda: len(stage.simulator.requests) == 20, within=5)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    await stage.simulator.wait_until(lambda: all(one.disconnected_at for one in stage.simulator.requests), within=2)
