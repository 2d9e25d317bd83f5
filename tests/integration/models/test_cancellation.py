"""Cancelling a call, or leaving a stream, stops the HTTP request at once (F-74)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from batuta.kernel.messages import Delta
from batuta.simulator import Fault, Simulator
from tests.integration.models.stage import Stage, said

LONG = {"answers": [{"text": "word " * 400}], "pace": {"chunk_chars": 8, "delay_ms": 200}}


async def _check_that_the_provider_notices(simulator: Simulator, leave: Callable[[], Awaitable[None]]) -> None:
    """Somebody leaves: the provider sees the connection closed long before its answer would have ended."""
    leaving = asyncio.ensure_future(leave())
    await simulator.wait_until(lambda: simulator.requests[-1].disconnected_at is not None, within=20)
    await leaving


def _cancelling(call: "asyncio.Task[Any]") -> Callable[[], Awaitable[None]]:
    async def leave() -> None:
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    return leave


@pytest.mark.parametrize("is_protected", [False, True], ids=["bare", "protected"])
async def test_ft12_a_cancelled_call_is_gone_from_the_provider(
    stage: Stage, streaming: bool, is_protected: bool
) -> None:
    stage.simulator.inject(Fault(kind="slow_first_byte", seconds=30))
    ask = stage.ask_protected if is_protected else stage.ask
    call = asyncio.create_task(ask(said(), streaming=streaming))
    await stage.simulator.wait_until(lambda: stage.simulator.requests, within=5)
    await _check_that_the_provider_notices(stage.simulator, _cancelling(call))


async def test_a_call_cancelled_in_the_middle_of_a_stream_is_gone_too(stage: Stage) -> None:
    stage.play(LONG)
    first = asyncio.Event()

    async def read() -> None:
        async for _ in stage.protected.stream(said()):
            first.set()

    call = asyncio.create_task(read())
    await first.wait()
    await _check_that_the_provider_notices(stage.simulator, _cancelling(call))


@pytest.mark.parametrize("is_protected", [False, True], ids=["bare", "protected"])
async def test_closing_a_stream_closes_its_connection(stage: Stage, is_protected: bool) -> None:
    stage.play(LONG)
    model = stage.protected if is_protected else stage.bare
    stream = model.stream(said())
    assert isinstance(await anext(stream), Delta)
    leave = stream.aclose  # type: ignore[attr-defined]
    await _check_that_the_provider_notices(stage.simulator, leave)


async def test_twenty_cancelled_calls_leave_nothing_behind(stage: Stage, streaming: bool) -> None:
    stage.simulator.inject(Fault(kind="slow_first_byte", seconds=30, times=20))
    calls = [asyncio.create_task(stage.ask(said(), streaming=streaming)) for _ in range(20)]
    await stage.simulator.wait_until(lambda: len(stage.simulator.requests) == 20, within=5)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    await stage.simulator.wait_until(lambda: all(one.disconnected_at for one in stage.simulator.requests), within=2)
