"""`batuta replay`: a recorded execution as tree, table or JSON, from the log alone."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from batuta.cli.output import fail, out
from batuta.cli.platform import ConfigFile, DataDir, settings_from
from batuta.events.envelope import Event
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.replay import session_events, trace_events
from batuta.kernel.ids import is_uuid
from batuta.observability.timeline import as_json, as_table, as_tree, timeline_of
from batuta.server.config import Settings
from batuta.server.wiring import Backends, open_store

Format = Literal["tree", "table", "json"]


def replay(
    target: Annotated[str, typer.Argument(help="A trace id, a turn id or a session id.")],
    form: Annotated[Format, typer.Option("--format", "-f", help="How to show it.")] = "tree",
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Rebuild an execution from its events: what ran, how long, tokens, cost, errors, retries."""
    events = asyncio.run(_events(settings_from(config, data_dir=data_dir), target))
    if not events:
        raise fail(f"the log holds nothing of {target!r}")
    timeline = timeline_of(events)
    if form == "json":
        out.print_json(as_json(timeline))
    else:
        out.print(as_tree(timeline) if form == "tree" else as_table(timeline))


async def _events(settings: Settings, target: str) -> Sequence[Event]:
    async with open_store(settings) as store:
        if not is_uuid(target):
            return await trace_events(store.log, store.traces, target.removeprefix("trc_"))
        return await _of_turn(store, target) or await session_events(store.log, target)


async def _of_turn(store: Backends, turn_id: str) -> Sequence[Event]:
    work = await store.queue.get(turn_id)
    if work is None or work.session_id is None:
        return ()
    return await events_of_turn(store.log, work.session_id, turn_id)
