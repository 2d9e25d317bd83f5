"""`batuta turns`: what waits, runs or was given up, and a way back for the dead.

    batuta turns list [--status dead]      the turns in a status; by default all that are not over, and the dead
    batuta turns retry TURN                a dead turn gets fresh attempts and goes on from what is recorded
    batuta turns give-up TURN              a turn that waits ends here; one that runs is stopped by its owner

A turn is dead when it lost its owner, or was given back, as often as it may be tried: it may be what kills its workers.
"""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from batuta.cli.common import ConfigFile, DataDir, run
from batuta.cli.output import fail, out
from batuta.cli.places import TurnPlace, place_of
from batuta.events.queue import UNFINISHED, Work, WorkStatus
from batuta.eventstore.stopping import stop_turn

MOST = 200
SHOWN_CHARS = 80
ID_CHARS = 36
BY = "operator"

app = typer.Typer(help="The turns of a queue.", no_args_is_help=True, add_completion=False)

Turn = Annotated[str, typer.Argument(metavar="TURN", help="The id of the turn.")]
Status = Annotated[list[WorkStatus] | None, typer.Option(help="Only turns in this status; as often as needed.")]


@app.command("list")
def list_turns(status: Status = None, config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """The newest turns that are not over, or that were given up."""
    wanted = frozenset(status or (*UNFINISHED, WorkStatus.DEAD))
    found = run(_found(place_of(config, data_dir), wanted))
    if not found:
        out.print("no such turns")
        return
    table = Table()
    table.add_column("turn", no_wrap=True, min_width=ID_CHARS)  # to be copied whole
    for name in ("status", "tries", "error"):
        table.add_column(name)
    for work in found:
        cells = (work.turn_id, work.status.value, f"{work.attempts}/{work.max_attempts}", work.error or "")
        table.add_row(*(escape(cell[:SHOWN_CHARS]) for cell in cells))
    out.print(table)


@app.command("retry")
def retry(turn: Turn, config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Give a dead turn fresh attempts: the next worker goes on from what is recorded."""
    place = place_of(config, data_dir)
    if not run(_revived(place, turn)):
        raise fail(f"turn {turn} is not dead; `batuta turns list` shows which are")
    out.print(f"turn {turn} is queued again", highlight=False)


@app.command("give-up")
def give_up(turn: Turn, config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Stop a turn for good: open requests are closed, and its user learns that it is over."""
    is_over = run(_stopped(place_of(config, data_dir), turn))
    if is_over is None:
        raise fail(f"turn {turn} is over already, or there is none; `batuta turns list` shows what is left")
    out.print(f"turn {turn} {'is over' if is_over else 'is being stopped'}", highlight=False)


async def _found(place: TurnPlace, statuses: frozenset[WorkStatus]) -> Sequence[Work]:
    async with place.opened() as (_, queue):
        return await queue.find(statuses, limit=MOST)


async def _revived(place: TurnPlace, turn_id: str) -> bool:
    async with place.opened() as (_, queue):
        return await queue.revive(turn_id)


async def _stopped(place: TurnPlace, turn_id: str) -> bool | None:
    async with place.opened() as (log, queue):
        stopped = await stop_turn(log, queue, turn_id, by=BY)
    return None if stopped is None else stopped.is_over
