"""`batuta eval erp`: business tasks asked of the team, judged by figures that were computed independently (A-9)."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.progress import track

from batuta.agents.erp.benchmark.runner import BenchmarkTask, TaskOutcome, benchmark_tasks, run_benchmark
from batuta.cli.common import settings_from
from batuta.cli.output import err, fail, out, say_json
from batuta.kernel.clock import SystemClock
from batuta.sandbox.demo import DEMO_TODAY
from batuta.sandbox.opening import open_sandbox
from batuta.server.erp.connection import SANDBOX_FILE
from batuta.server.team import first_team

app = typer.Typer(help="Ask recorded tasks and judge the answers.", no_args_is_help=True, add_completion=False)

AIM_SHARE = 0.95
_MARKS = {"right": "[green]right[/]", "refused": "[yellow]refused[/]", "wrong": "[bold red]wrong[/]"}


class DemoClock(SystemClock):
    """The system's clock, set to the day on which the demo companies live: the tasks name months and years."""

    now = staticmethod(lambda: datetime.combine(DEMO_TODAY, time(12), tzinfo=UTC))


@app.callback()
def evaluate() -> None:
    """Ask recorded tasks and judge the answers."""


@app.command()
def erp(
    only: Annotated[str, typer.Option(help="Only tasks whose id begins so.")] = "",
    company_size: Annotated[Literal["S", "M"], typer.Option(help="How large the demo companies are.")] = "S",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Business questions in English and Spanish. Ends with 1 below the aim, or with a wrong figure."""
    tasks = [task for task in benchmark_tasks() if task.id.startswith(only)]
    if not tasks:
        raise fail(f"no task begins with {only!r}", 2)
    if company_size != "S":
        questions = [task for task in tasks if task.is_of_every_size]
        err.print(f"{len(tasks) - len(questions)} tasks name records of the small companies and are left out")
        tasks = questions
    outcomes = asyncio.run(_run(tasks, company_size))
    if as_json:
        rows = [
            {"id": one.task.id, "verdict": one.verdict, "answer": one.answer, "detail": one.detail} for one in outcomes
        ]
        say_json(rows)
    else:
        for one in outcomes:
            if one.verdict != "right":
                asked = escape(" → ".join(one.task.messages))
                out.print(f"{_MARKS[one.verdict]} {one.task.id}: {asked}", highlight=False)
                out.print(f"    {escape((one.detail or one.answer)[:300])}", style="dim", highlight=False)
    counts = Counter(one.verdict for one in outcomes)
    err.print(f"{counts['right']} of {len(outcomes)} right, {counts['refused']} refused, {counts['wrong']} wrong")
    if counts["wrong"] or counts["right"] < AIM_SHARE * len(outcomes):
        raise typer.Exit(1)


async def _run(tasks: Sequence[BenchmarkTask], company_size: str) -> list[TaskOutcome]:
    with tempfile.TemporaryDirectory(prefix="batuta-eval-") as folder:
        open_sandbox(Path(folder) / SANDBOX_FILE, size=company_size).store.close()
        async with first_team(settings_from(None, data_dir=Path(folder)), clock=DemoClock()) as team:
            if team.erp is None:
                problem = "there is no ERP to ask; unset BATUTA_DATABASE_URL to use the sandbox, or set BATUTA_ERP_URL"
                raise fail(problem, 2)
            running = run_benchmark(team.orchestrator, team.erp, tasks)
            progress = track(tasks, description=team.model.label, console=err, transient=True)
            return [await anext(running) for _ in progress]
