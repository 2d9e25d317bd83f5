"""`batuta files`: the files of an account from the terminal: list, add, remove, read again, search.

It works on the database, beside whatever runs: a page that is open shows what was added as it is read.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text

from batuta.cli.common import ConfigFile, DataDir, run, settings_from
from batuta.cli.output import err, fail, out, say_json
from batuta.knowledge.extract.failures import REASONS
from batuta.knowledge.retrieve import RetrievedPassage
from batuta.server.backends import Backends, open_backends
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.principal import acting_as
from batuta.server.file_processing import FileProcessing, open_file_processing
from batuta.server.files.api import file_view
from batuta.server.files.repository import StoredFile
from batuta.server.files.service import FileFilter
from batuta.server.files.uploads import Announcement, UploadPart
from batuta.server.identity.passwords import Passwords
from batuta.server.identity.repository import User
from batuta.server.identity.service import Identity
from batuta.server.problems import NotFoundProblem, Problem
from batuta.server.security.ownership import Caller, Credential

T = TypeVar("T")

READ_BYTES = 1024 * 1024
POLL_SECONDS = 0.2
MAX_LISTED = 10_000
SHOWN_CHARS = 400
STATES = {"uploading": "yellow", "processing": "cyan", "ready": "green", "failed": "red"}

app = typer.Typer(help="The files of an account.", no_args_is_help=True, add_completion=False)

Owner = Annotated[
    str | None, typer.Option("--user", metavar="EMAIL", help="Whose files; not needed where there is one account.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Names = Annotated[list[str], typer.Argument(metavar="FILE…", help="Ids, or names with their folder.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountFiles:
    """The files of one account, and what reads them."""

    processing: FileProcessing
    caller: Caller

    async def all(self) -> list[StoredFile]:
        """Every file, newest first."""
        return list(await self.processing.files.page(self.caller, folder=None, after="", limit=MAX_LISTED))

    async def named(self, names: Sequence[str]) -> list[StoredFile]:
        """The files that ids or paths name. Raises `NotFoundProblem`."""
        files = await self.all()
        known = {key: file for file in files for key in (file.path, file.file_id)}
        missing = [name for name in names if name not in known and name.upper() not in known]
        if missing:
            raise NotFoundProblem(f"There is no file {missing[0]}; `batuta files list` shows what there is.")
        return [known.get(name) or known[name.upper()] for name in names]


@app.command("list")
def list_files(
    user: Owner = None, as_json: AsJson = False, config: ConfigFile = None, data_dir: DataDir = None
) -> None:
    """Show the files: their folder, size and state, and why one could not be read."""
    found = _do(_platform(config, data_dir), user, AccountFiles.all)
    if as_json:
        say_json([file_view(file).model_dump(mode="json") for file in found])
        return
    if not found:
        out.print("There are no files. Add some: batuta files add report.pdf")
        return
    table = Table("file", "size", "state", "what to do")
    for file in found:
        state = Text(file.status, style=STATES[file.status])
        table.add_row(escape(file.path), _size(file.size_bytes), state, escape(_explained(file)))
    out.print(table)


@app.command("add")
def add_files(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", exists=True, dir_okay=False, readable=True)],
    folder: Annotated[str, typer.Option(help="Where to put them, such as contracts/2026.")] = "",
    user: Owner = None,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Add files and wait until they were read. Ends with 1 if one of them could not be."""

    async def add(account: AccountFiles) -> list[StoredFile]:
        with _progress() as progress:
            return [await _added(account, path, folder, progress) for path in paths]

    _tell(_do(_platform(config, data_dir), user, add, is_reading=True))


@app.command("retry")
def retry_files(names: Names, user: Owner = None, config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Read files again, and wait for it."""

    async def retry(account: AccountFiles) -> list[StoredFile]:
        with _progress() as progress:
            found = []
            for file in await account.named(names):
                job_id = await account.processing.files.process_again(file.file_id)
                found.append(await _read(account, file, job_id, progress))
            return found

    _tell(_do(_platform(config, data_dir), user, retry, is_reading=True))


@app.command("remove")
def remove_files(names: Names, user: Owner = None, config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Delete files, their text and their place in every search."""

    async def remove(account: AccountFiles) -> list[str]:
        files = await account.named(names)
        for file in files:
            await account.processing.files.delete(file.file_id)
        return [file.path for file in files]

    for path in _do(_platform(config, data_dir), user, remove):
        err.print(f"{path} is deleted", highlight=False, markup=False)


@app.command("search")
def search_files(
    question: Annotated[str, typer.Argument(help="What to look for, in English or Spanish.")],
    folder: Annotated[str | None, typer.Option(help="Only in this folder.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=50)] = 5,
    user: Owner = None,
    as_json: AsJson = False,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Show the passages that fit best, with their places and the words marked."""

    async def search(account: AccountFiles) -> list[RetrievedPassage]:
        wanted = FileFilter(folder=folder)
        return await account.processing.files.search(account.caller, question, chosen=(), wanted=wanted, limit=limit)

    found = _do(_platform(config, data_dir), user, search)
    if as_json:
        say_json([_found(each) for each in found])
        return
    for each in found:
        out.print(Text.assemble((each.passage.name, "bold"), "  ", (each.passage.place.label, "cyan")))
        text = Text(each.passage.text[:SHOWN_CHARS])
        for start, end in each.highlights:
            text.stylize("bold yellow", start, end)
        out.print(text, "")
    if not found:
        err.print("Nothing was found. Try other words, or fewer of them.")


def _found(each: RetrievedPassage) -> dict[str, str]:
    return {"file": each.passage.name, "place": each.passage.place.label, "text": each.passage.text}


async def _added(account: AccountFiles, path: Path, folder: str, progress: Progress) -> StoredFile:
    files = account.processing.files
    facts = await asyncio.to_thread(path.stat)
    announced = Announcement(name=path.name, folder=folder, size_bytes=facts.st_size)
    file = await files.begin(account.caller, announced)
    if file.size_bytes:
        await files.receive(file.file_id, UploadPart(offset=0, chunks=_parts(path)))
    file = await files.get(file.file_id)
    return await _read(account, file, file.job_id or "", progress)


async def _parts(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as content:
        while part := await asyncio.to_thread(content.read, READ_BYTES):
            yield part


async def _read(account: AccountFiles, file: StoredFile, job_id: str, progress: Progress) -> StoredFile:
    """Wait for the job that reads a file, here or in another process."""
    task = progress.add_task(file.path, total=100)
    while (job := await account.processing.jobs.get_any(job_id)).status in ("queued", "running"):
        progress.update(task, completed=job.done)
        await asyncio.sleep(POLL_SECONDS)
    progress.update(task, completed=100)
    return await account.processing.files.get(file.file_id)


def _progress() -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), console=err, transient=True)


def _tell(files: Sequence[StoredFile]) -> None:
    for file in files:
        mark = "[green]✓[/]" if file.status == "ready" else "[red]✗[/]"
        out.print(f"{mark} {escape(file.path)} {escape(_explained(file))}".rstrip(), highlight=False, soft_wrap=True)
    if any(file.status != "ready" for file in files):
        raise SystemExit(1)


def _explained(file: StoredFile) -> str:
    return next((texts["en"] for code, texts in REASONS.items() if code == file.reason), "")


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1_000:
            return f"{size:.0f} {unit}"
        size /= 1_000
    return f"{size:.1f} GB"


def _platform(config: Path | None, data_dir: Path | None) -> Settings:
    """The settings of a platform that is there: a folder that was mistyped is not made into another one."""
    settings = settings_from(config, data_dir=data_dir)
    if settings.database_url is None and not settings.database_file.exists():
        raise fail(f"there is no platform in {settings.data_dir}; name its folder with --data-dir", 2)
    return settings


def _do(
    settings: Settings, email: str | None, work: Callable[[AccountFiles], Awaitable[T]], *, is_reading: bool = False
) -> T:
    """Work on the files of an account; an obstacle is reported in one line."""

    async def done() -> T:
        async with open_backends(settings) as backends, open_file_processing(settings, backends) as processing:
            caller = _caller(await _owner(settings, backends, email))
            async with _reading(processing, is_reading):
                with acting_as(caller.principal):
                    return await work(AccountFiles(processing=processing, caller=caller))

    try:
        return run(done())
    except Problem as problem:
        raise fail(problem.own_detail) from problem


@asynccontextmanager
async def _reading(processing: FileProcessing, is_reading: bool) -> AsyncIterator[None]:
    """Read files in this process too: no other process may be running."""
    if not is_reading:
        yield
        return
    worker = asyncio.create_task(processing.worker.run())
    try:
        yield
    finally:
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)


async def _owner(settings: Settings, backends: Backends, email: str | None) -> User:
    users = await Identity(SystemDatabase(backends.database), settings, Passwords()).users()
    found = [user for user in users if email is None or user.email == email.strip().lower()]
    if len(found) == 1:
        return found[0]
    if email is None and users:
        raise fail("there are several accounts; say whose files with --user EMAIL", 2)
    raise fail("there is no such account; `batuta user list` shows who has one", 2)


def _caller(user: User) -> Caller:
    return Caller(
        user_id=user.user_id,
        workspace_id=user.workspace_id,
        email=user.email,
        name=user.name,
        roles=frozenset(user.roles),
        credential=Credential(kind="login", digest=""),
    )
