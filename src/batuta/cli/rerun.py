"""`batuta rerun`: run a recorded turn again, with something changed from one of its events on, and see the difference.

batuta rerun TURN                                     a turn of the platform, in the embedded mode or on PostgreSQL
batuta rerun TURN --from 42 --model openai:gpt-5.2 --prompt "Be brief."
batuta rerun TURN --team crew.py:team --data-dir team.db          a turn of your own team
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from batuta.cli.common import ConfigFile
from batuta.cli.output import fail, out, say_json
from batuta.cli.places import TurnPlace, place_of
from batuta.cli.platform import TeamName, team_of
from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.rehearsal import RehearsalDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.events.queue import Work
from batuta.eventstore.replay import session_events
from batuta.kernel.errors import BatutaError
from batuta.orchestration import rerun as reruns
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.rerun_diff import RerunChange, StepFacts, TurnDiff
from batuta.server.backends import open_backends
from batuta.server.knowledge_index import passage_index
from batuta.server.wiring import run_services
from batuta.server.worker.model_protection import ModelProtection
from batuta.tools.context import ToolUser

LONGEST_OUTPUT = 400

_MARKS = {True: "[green]=[/]", False: "[yellow]≠[/]"}
_SOURCES = {"recorded": "recorded result", "stand_in": "[yellow]stand-in, nothing like it is recorded[/]"}


def rerun(
    turn: Annotated[str, typer.Argument(help="The id of the turn.")],
    start: Annotated[
        str | None, typer.Option("--from", help="The first event that is live: its id or number, a step or an agent.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Another model from there on.")] = None,
    prompt: Annotated[str | None, typer.Option(help="Other instructions for the agent that is asked first.")] = None,
    agent: Annotated[str | None, typer.Option(help="Change only this agent.")] = None,
    team: TeamName = None,
    config: ConfigFile = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the embedded mode keeps everything, or the file of a team's own store.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the difference as JSON and nothing else.")] = False,
) -> None:
    """Run a recorded turn again and show what changed. Nothing is written, neither to the session nor outside."""
    if (model or prompt) and start is None:
        raise fail("a change needs a place to begin: say it with --from", 2)
    place = place_of(config, data_dir)
    crew = team_of(place.settings, team).orchestrator
    changes = reruns.Changes(model=model, instructions=prompt, agent=agent)
    try:
        again = asyncio.run(_again(crew, turn, start, changes, place, is_own_team=team is not None))
    except BatutaError as error:
        raise fail(escape(str(error)), 2) from error
    if as_json:
        say_json(TypeAdapter(TurnDiff).dump_python(again.diff, mode="json"))
    else:
        show(again, out)


def show(again: reruns.Rerun, console: Console) -> None:
    """Both runs side by side."""
    diff = again.diff
    verdict = "[green]Both runs came to the same.[/]" if diff.is_same else "[yellow]The runs differ.[/]"
    console.print(verdict, _effects(again), highlight=False)
    console.print(_summary(diff))
    console.print(_steps(diff))
    for write in diff.writes:
        args = "" if write.args is None else escape(json.dumps(write.args, ensure_ascii=False, default=str))
        console.print(f"not executed: [bold]{escape(write.name)}[/] {args}: {_SOURCES[write.source]}", highlight=False)
    for count in diff.events:
        console.print(f"emitted [bold]{escape(count.type)}[/] {count.before} → {count.after} times", highlight=False)


async def _again(
    team: Orchestrator, turn_id: str, start: str | None, changes: reruns.Changes, place: TurnPlace, *, is_own_team: bool
) -> reruns.Rerun:
    async with place.opened() as (log, queue):
        work = await queue.get(turn_id)
        if work is None or work.session_id is None:
            raise fail(f"there is no turn {turn_id!r} in {str(place.file or 'the database')!r}", 2)
        events = await session_events(log, work.session_id)
    user = ToolUser(id=work.user_id, roles=frozenset(work.payload.get("roles", ())))
    target = work.payload.get("target_agent_id")
    turn = reruns.recorded_turn(events, turn_id, user=user, target_agent_id=target)
    first_live = None if start is None else turn.place(start)
    services_of = _services_of_own_team if is_own_team or not place.is_of_the_platform else _services
    async with services_of(place, work) as services:
        return await reruns.rerun(team, turn, start=first_live, changes=changes, services=services)


@asynccontextmanager
async def _services(place: TurnPlace, work: Work) -> AsyncIterator[dict[str, Any]]:
    """What the turn's tools may use on the platform; datasets that they make are forgotten."""
    async with AsyncExitStack() as stack:
        backends = await stack.enter_async_context(open_backends(place.settings))
        protection = ModelProtection(place.settings)
        stack.push_async_callback(protection.close)
        index = passage_index(place.settings)
        stack.push_async_callback(index.close)
        services = await run_services(place.settings, backends, protection, (), index).services(work)
        library: DatasetLibrary | None = services.get(DATASETS_SERVICE)
        if library is not None:
            services[DATASETS_SERVICE] = replace(library, store=RehearsalDatasetStore(library.store))
        yield services


@asynccontextmanager
async def _services_of_own_team(_: TurnPlace, work: Work) -> AsyncIterator[dict[str, Any]]:
    """A store of one's own holds turns and nothing else."""
    owner = DatasetOwner(session_id=work.session_id or "")
    yield {DATASETS_SERVICE: DatasetLibrary(store=MemoryDatasetStore(), owner=owner)}


def _effects(again: reruns.Rerun) -> str:
    sources = [effect.source for effect in again.effects]
    return f"{sources.count('recorded')} effects recorded, {sources.count('live')} live."


def _summary(diff: TurnDiff) -> Table:
    table = _table("turn")
    rows: dict[str, tuple[RerunChange[Any], Any]] = {
        "status": (diff.status, str),
        "answer": (diff.answer, _shortened),
        "tokens": (diff.usage, lambda usage: str(usage.total)),
        "cost": (diff.cost, _cost),
        "seconds": (diff.seconds, lambda seconds: f"{seconds:.3f}"),
    }
    for name, (change, text) in rows.items():
        table.add_row(name, _MARKS[change.is_same], escape(text(change.before)), escape(text(change.after)))
    return table


def _steps(diff: TurnDiff) -> Table:
    table = _table("step")
    for step in diff.steps:
        table.add_row(escape(step.place), _MARKS[step.is_same], _facts(step.before), _facts(step.after))
    return table


def _table(first: str) -> Table:
    table = Table(first, "", "recorded", "new", show_lines=True, expand=True)
    table.columns[0].overflow = "fold"
    return table


def _facts(facts: StepFacts | None) -> str:
    if facts is None:
        return "[dim]did not run[/]"
    brought = facts.error if facts.output is None else facts.output.get("value", facts.output)
    took = f"{facts.tokens or 0} tokens · {_cost(facts.cost)} · {facts.milliseconds} ms"
    return f"{escape(_shortened(brought))}\n[dim]{took}[/]"


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST_OUTPUT else f"{text[:LONGEST_OUTPUT]}…"


def _cost(cost: Decimal | None) -> str:
    return "unknown cost" if cost is None else f"{cost} USD"
