"""Finds what was recorded of an execution, by any id of it that people have at hand."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from batuta.cli.output import fail
from batuta.events.envelope import Event
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.replay import session_events, trace_events
from batuta.kernel.ids import is_uuid
from batuta.server.backends import Backends, open_backends
from batuta.server.config import Settings

Execution = Annotated[str, typer.Argument(help="A trace id, a turn id or a session id.")]


def recorded_events(settings: Settings, target: str) -> Sequence[Event]:
    """The events of an execution, in order; a complaint if the log holds none."""
    events = asyncio.run(_events(settings, target))
    if not events:
        raise fail(f"the log holds nothing of {target!r}")
    return events


async def _events(settings: Settings, target: str) -> Sequence[Event]:
    async with open_backends(settings) as store:
        if not is_uuid(target):
            return await trace_events(store.log, store.traces, target.removeprefix("trc_"))
        return await _of_turn(store, target) or await session_events(store.log, target)


async def _of_turn(store: Backends, turn_id: str) -> Sequence[Event]:
    work = await store.queue.get(turn_id)
    if work is None or work.session_id is None:
        return ()
    return await events_of_turn(store.log, work.session_id, turn_id)
