"""The AG-UI endpoint: a run as server-sent events."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import Response

from batuta.server.agui.service import AguiRuns, RunAgentInput, RunOfTurn
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.live import sse
from batuta.server.live.sse import LiveStreams
from batuta.server.security.ownership import Caller

router = new_router(tags=["agui"])

_STREAM: dict[int | str, dict[str, Any]] = {200: {"description": "AG-UI events", "content": {sse.MEDIA_TYPE: {}}}}


@router.post("/api/agui", response_class=Response, responses=_STREAM)
async def run(
    body: RunAgentInput,
    caller: CurrentCaller,
    runs: Annotated[AguiRuns, provided(AguiRuns)],
    streams: Annotated[LiveStreams, provided(LiveStreams)],
) -> Response:
    """Begin a run, or answer the interrupts of the last one, and follow it."""
    streams.check_room(caller)
    return sse.respond(_frames(runs, await runs.begin(caller, body), streams, caller))


async def _frames(runs: AguiRuns, begun: RunOfTurn, streams: LiveStreams, caller: Caller) -> AsyncIterator[str]:
    with streams.open(caller) as stream:
        async with aclosing(runs.follow(begun, stream)) as batches:
            async for events in batches:
                yield "".join(map(sse.data_frame, events)) or sse.KEEP_ALIVE
