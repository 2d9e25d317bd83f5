"""Processes that decide about the same approval at the same moment."""

import asyncio
import time

from batuta.eventstore.teams import TeamStore
from batuta.kernel.errors import ConflictError
from batuta.tools import ApprovalDecision
from tests.support.processes import say
from tests.support.stores import opener_of


async def decide(place: dict[str, str], session: str, day: str, at: float) -> None:
    """Edit the day of the call that waits, at a given time; say whether that counted."""
    async with opener_of(place)() as opened:
        store = TeamStore(opened.log, opened.queue)
        (asked,) = await store.waiting(session)
        say(ready=True)
        await asyncio.sleep(max(0.0, at - time.time()))
        try:
            await store.decide(asked, ApprovalDecision.edit({"day": day}, by=day))
        except ConflictError as error:
            say(counted=False, day=day, error=str(error))
        else:
            say(counted=True, day=day)
