"""The AG-UI endpoint: a run as server-sent events."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import Request, Response

from batuta.server.agui.service import AguiRuns, RunAgentInput, RunOfTurn
from batuta.server.http.guard import CurrentCaller, new_router
from batuta.server.live import sse

router = new_router(tags=["agui"])

_STREAM: dict[int | str, dict[str, Any]] = {200: {"description": "AG-UI events", "content": {sse.MEDIA_TYPE: {}}}}


@router.post("/api/agui", response_class=Response, responses=_STREAM)
async def run(body: RunAgentInput, caller: CurrentCaller, request: Request) -> Response:
    """Begin a run, or answer the interrupts of the last one, and follow it."""
    runs: AguiRuns = request.app.state.platform.agui
    return sse.respond(_frames(request, runs, await runs.begin(caller, body)))


async def _frames(request: Request, runs: AguiRuns, begun: RunOfTurn) -> AsyncIterator[str]:
    told = runs.told(begun, runs.follow(begun))
    with request.app.state.platform.streams.open(request.state.caller) as stream:
        async with aclosing(told), aclosing(stream.until_ended(told)) as batches:
            async for events in batches:
                yield "".join(map(sse.data_frame, events)) or sse.KEEP_ALIVE
