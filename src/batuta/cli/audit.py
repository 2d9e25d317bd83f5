"""`batuta audit verify`: has anybody changed what was recorded?"""

import asyncio

import typer

from batuta.cli.output import fail, out
from batuta.cli.platform import ConfigFile, DataDir, settings_from
from batuta.eventstore.audit import verify as verify_log
from batuta.server.config import Settings
from batuta.server.wiring import open_store

app = typer.Typer(help="The audit trail.", no_args_is_help=True)


@app.command()
def verify(config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Check the hash chain of every session. Exit code 1 if something was tampered with."""
    sessions, problems = asyncio.run(_verified(settings_from(config, data_dir=data_dir)))
    if problems:
        raise fail(f"{len(problems)} of {sessions} sessions do not verify:\n" + "\n".join(problems))
    out.print(f"[green]✓[/] {sessions} sessions verify", highlight=False)


async def _verified(settings: Settings) -> tuple[int, list[str]]:
    problems: list[str] = []
    count = 0
    async with open_store(settings) as store:
        async for verdict in verify_log(store.log, store.audit):
            count += 1
            if verdict.problems:
                problems.append(f"{verdict.session_id}: {'; '.join(verdict.problems)}")
    return count, problems
