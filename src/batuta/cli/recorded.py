"""Finds what was recorded of an execution, by any id of it that people have at hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from batuta.cli.common import run
from batuta.cli.output import fail
from batuta.events.envelope import Event
from batuta.eventstore.journal import events_of_turn
from batuta.eventstore.replay import session_events, trace_events
from batuta.eventstore.teams import open_team_store
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.ids import is_uuid
from batuta.server.backends import Backends, open_backends
from batuta.server.config import Settings

Execution = Annotated[str, typer.Argument(help="A trace id, a turn id or a session id.")]


def recorded_events(settings: Settings, target: str) -> Sequence[Event]:
    """The events of an execution, in order; a complaint if the log holds none."""
    events = run(_events(settings, target))
    if not events:
        raise fail(f"the log holds nothing of {target!r}")
    return events


async def _events(settings: Settings, target: str) -> Sequence[Event]:
    if settings.data_dir.is_file():
        return await _of_a_team(settings.data_dir, target)
    if settings.database_url is None and not settings.database_file.is_file():  # opening it would make one
        raise ConfigurationError(
            f"there is no database {str(settings.database_file)!r}; "
            "say where it is with --data-dir or BATUTA_DATABASE_URL"
        )
    async with open_backends(settings) as store:
        if not is_uuid(target):
            return await trace_events(store.log, store.traces, target.removeprefix("trc_"))
        return await _of_turn(store, target) or await session_events(store.log, target)


async def _of_a_team(file: Path, target: str) -> Sequence[Event]:
    """From the file in which a team of one's own keeps its turns."""
    if not is_uuid(target):
        raise ConfigurationError(f"{file}: a team's own file is searched by a turn id or a session id, not {target!r}")
    async with open_team_store(file) as store:
        work = await store.queue.get(target)
        if work is not None and work.session_id is not None:
            return await events_of_turn(store.log, work.session_id, target)
        return await session_events(store.log, target)


async def _of_turn(store: Backends, turn_id: str) -> Sequence[Event]:
    work = await store.queue.get(turn_id)
    if work is None or work.session_id is None:
        return ()
    return await events_of_turn(store.log, work.session_id, turn_id)
