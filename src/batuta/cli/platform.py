"""`batuta serve`, `worker` and `migrate`: the platform's processes."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from batuta.cli.common import ConfigFile, DataDir, run, settings_from
from batuta.cli.loading import load
from batuta.cli.output import err, fail
from batuta.cli.welcome import Greeting, greet
from batuta.kernel.errors import ConfigurationError
from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.app import check_address
from batuta.server.app import serve as serve_platform
from batuta.server.backends import migrate as migrate_database
from batuta.server.config import ModelChoice, Settings
from batuta.server.monitoring.observers import log_to_standard_error
from batuta.server.startup import when_available
from batuta.server.team import FirstTeam, first_team
from batuta.server.wiring import Platform, WorkerProcess, open_platform, open_worker

TeamName = Annotated[
    str | None,
    typer.Option("--team", help="Your own team: file.py:name or package.module:name.", envvar="BATUTA_TEAM"),
]


def serve(
    host: Annotated[str | None, typer.Option(help="Where to listen (127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="The port (8000); 0 takes a free one.")] = None,
    data_dir: DataDir = None,
    documents: Annotated[Path | None, typer.Option(help="A folder of documents to answer from; watched.")] = None,
    demo: Annotated[bool, typer.Option("--demo", help="One-click login, for this machine only.")] = False,
    team: TeamName = None,
    config: ConfigFile = None,
) -> None:
    """Start the platform. Without any setting it works at once: one file, no key, no server."""
    given = {"host": host, "port": port, "data_dir": data_dir, "documents_dir": documents, "is_demo": demo or None}
    settings = settings_from(config, **given)
    log_to_standard_error(settings)
    run(_serve(settings, team_of(settings, team)))


def worker(team: TeamName = None, config: ConfigFile = None) -> None:
    """Run turns beside other workers; needs BATUTA_DATABASE_URL."""
    settings = settings_from(config)
    if settings.database_url is None:
        raise fail("a worker of its own needs BATUTA_DATABASE_URL; the embedded mode works inside `batuta serve`", 2)
    log_to_standard_error(settings)
    run(_work(settings, team_of(settings, team)))


def migrate(
    config: ConfigFile = None,
    data_dir: DataDir = None,
    grant_to: Annotated[str | None, typer.Option(help="A PostgreSQL role that serves the platform.")] = None,
) -> None:
    """Bring the database up to date."""
    run(migrate_database(settings_from(config, data_dir=data_dir), grant_to=grant_to))
    err.print("the database is up to date")


def team_of(settings: Settings, target: str | None) -> FirstTeam:
    """The team a target names, or the one that comes with the platform."""
    if target is None:
        try:
            return first_team(settings)
        except ConfigurationError as error:
            raise fail(str(error), 2) from error
    return FirstTeam(orchestrator=load(target, Orchestrator, "team"), model=ModelChoice(label=target))


async def _serve(settings: Settings, team: FirstTeam) -> None:
    await check_address(settings)
    interrupted, loop = asyncio.Event(), asyncio.get_running_loop()

    def interrupt() -> None:
        """Remember a Ctrl-C while the platform opens, which a cancellation might get lost in; a second one aborts."""
        interrupted.set()
        loop.remove_signal_handler(signal.SIGINT)

    def open_site() -> AbstractAsyncContextManager[Platform]:
        if interrupted.is_set():
            raise KeyboardInterrupt  # while it waited for its servers
        return open_platform(
            settings,
            team.orchestrator,
            model=team.model,
            title_model=team.title_model,
            read_source=team.read_source,
            erp=team.erp,
            vectors=team.vectors,
        )

    loop.add_signal_handler(signal.SIGINT, interrupt)
    if err.is_terminal:
        err.print("learning what the team can be asked: a few seconds", style="dim")
    async with (
        team,
        when_available(settings, open_site, has_page=True) as platform,
    ):
        loop.remove_signal_handler(signal.SIGINT)
        if not interrupted.is_set():
            async with _watched_documents(team):
                token = await platform.identity.new_setup_token()
                greeting = Greeting(settings=settings, team=team, setup_token=token)
                await serve_platform(platform, on_start=lambda address: greet(err, address, greeting))
    err.print("Batuta has stopped.")


@asynccontextmanager
async def _watched_documents(team: FirstTeam) -> AsyncIterator[None]:
    """Follow the folder of documents within the block."""
    folder = team.library.folder if team.library is not None else None
    if folder is None:
        yield
        return
    watching = asyncio.create_task(folder.watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def _work(settings: Settings, team: FirstTeam) -> None:
    stop = asyncio.Event()

    def open_process() -> AbstractAsyncContextManager[WorkerProcess]:
        if stop.is_set():
            raise SystemExit(0)  # while it waited for its servers
        return open_worker(
            settings,
            team.orchestrator,
            model=team.model,
            title_model=team.title_model,
            erp=team.erp,
            vectors=team.vectors,
        )

    for kind in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(kind, stop.set)
    if err.is_terminal:
        err.print("learning what the team can be asked: a few seconds", style="dim")
    async with (
        team,
        when_available(settings, open_process) as process,
    ):
        probes = f" (/readyz and /metrics at {process.probes_url})" if process.probes_url else ""
        err.print(f"the worker is ready{probes}; Ctrl-C lets it finish what it does", highlight=False)
        await process.run(stop)
