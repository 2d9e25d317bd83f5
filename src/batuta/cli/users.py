"""`batuta user`: who has an account, what they may do, and how they get in again.

It works on the database, beside whatever runs: processes that serve notice a change within seconds.
"""

import getpass
import os
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Annotated, TypeVar

import typer
from pydantic import TypeAdapter, ValidationError
from rich.markup import escape
from rich.table import Table

from batuta.cli.common import ConfigFile, DataDir, run, settings_from
from batuta.cli.output import err, fail, out, say_json
from batuta.server.config import Settings
from batuta.server.database.engines import Database, SqlitePlatformDatabase, SystemDatabase, closing
from batuta.server.database.version import is_usable, version_of
from batuta.server.identity.addresses import Email
from batuta.server.identity.passwords import LONGEST, SHORTEST, Passwords
from batuta.server.identity.repository import User
from batuta.server.identity.service import Identity
from batuta.server.policy import ROLES
from batuta.server.problems import Problem
from batuta.server.security.account_trail import AccountActor

T = TypeVar("T")

PASSWORD_BYTES = 15
LONGEST_NAME = 100

app = typer.Typer(help="The accounts of the platform.", no_args_is_help=True, add_completion=False)

Address = Annotated[str, typer.Argument(metavar="EMAIL", help="The e-mail address of the account.")]
Asks = Annotated[
    bool, typer.Option("--ask", help="Ask for the password, or read it from standard input, instead of making one up.")
]


@app.command("add")
def add(
    email: Address,
    name: Annotated[str | None, typer.Option(help="How the person is called; the address if not given.")] = None,
    role: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(ROLES)}; as often as needed.")] = None,
    ask: Asks = False,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Create an account: of a user, or with every role if it is the first. Prints its password, this once."""
    address, roles = _email(email), _roles(role or ())
    called = _name(address if name is None else name)
    password = _asked_password() if ask else None
    given = password or secrets.token_urlsafe(PASSWORD_BYTES)

    async def create(identity: Identity) -> User:
        default = ROLES if await identity.needs_setup() else ("user",)
        return await identity.create_user(address, called, given, roles=roles or default, by=_operator())

    user = _do(settings_from(config, data_dir=data_dir), create)
    err.print(f"{user.email} has an account: {', '.join(user.roles)}", highlight=False, markup=False)
    _show(None if ask else given)


@app.command("list")
def list_users(
    as_json: Annotated[bool, typer.Option("--json", help="Print the accounts as JSON and nothing else.")] = False,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Show every account."""
    found = _do(_platform(config, data_dir), Identity.users)
    if as_json:
        say_json([_facts(user) for user in found])
        return
    table = Table("e-mail", "name", "roles", "state", "password")
    for user in found:
        state = "disabled" if user.is_disabled else "enabled"
        has_password = "no" if user.password_hash is None else "yes"
        table.add_row(*map(escape, (user.email, user.name, ", ".join(user.roles), state, has_password)))
    out.print(table)


@app.command("roles")
def change_roles(
    email: Address,
    roles: Annotated[list[str], typer.Argument(help=f"All the account shall have, of {', '.join(ROLES)}.")],
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Give an account these roles and no others."""
    wanted = _roles(roles)
    _change(email, config, data_dir, lambda identity, user: identity.change_roles(user.user_id, wanted, _operator()))
    err.print(f"{_email(email)} is now: {', '.join(wanted)}", highlight=False, markup=False)


@app.command("disable")
def disable(email: Address, config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Shut an account out: its logins end, its keys are refused, its live connections close within seconds."""
    _change(email, config, data_dir, lambda identity, user: identity.disable(user.user_id, _operator()))
    err.print(f"{_email(email)} is disabled", highlight=False, markup=False)


@app.command("enable")
def enable(email: Address, config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Let an account in again; its keys work as before."""
    _change(email, config, data_dir, lambda identity, user: identity.enable(user.user_id, _operator()))
    err.print(f"{_email(email)} is enabled", highlight=False, markup=False)


@app.command("password")
def password(email: Address, ask: Asks = False, config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Give an account a new password, printed this once; its logins end, and a lock-out is lifted."""
    given = _asked_password() if ask else secrets.token_urlsafe(PASSWORD_BYTES)
    _change(email, config, data_dir, lambda identity, user: identity.set_password(user, given, _operator()))
    err.print(f"{_email(email)} has a new password", highlight=False, markup=False)
    _show(None if ask else given)


@app.command("export")
def export(
    email: Address,
    to: Annotated[Path, typer.Option(metavar="FILE", help="The ZIP file to write; it must not be there yet.")],
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Write everything that is kept of a person into a ZIP file: conversations, tables, boards, files, the account."""
    settings = _platform(config, data_dir)
    try:
        handle = os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        raise fail(f"{to} cannot be written: {error.strerror}", 2) from error
    try:
        with os.fdopen(handle, "wb") as out:
            _change(email, config, data_dir, lambda identity, user: _export(settings, identity, user, out))
    except BaseException:
        to.unlink()
        raise
    err.print(f"everything of {_email(email)} is in {to}", highlight=False, markup=False)


async def _export(settings: Settings, identity: Identity, user: User, out: IO[bytes]) -> None:
    from batuta.server.backends import open_backends
    from batuta.server.datasets.store import DatabaseDatasetStore
    from batuta.server.file_processing import open_file_processing
    from batuta.server.personal_export import PersonalExport
    from batuta.server.storage import dataset_files

    await identity.note_export(user, _operator())
    async with open_backends(settings) as backends, open_file_processing(settings, backends) as processing:
        tables = DatabaseDatasetStore(backends.database, dataset_files(settings))
        await PersonalExport(backends=backends, processing=processing, tables=tables).write(user, out)


@app.command("erase")
def erase(
    email: Address,
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Erase what a person has: conversations, files and their text, tables, boards, jobs. The account is shut out."""
    address = _email(email)
    if not is_sure:
        typer.confirm(f"Everything of {address} is lost for good. Go on?", abort=True, err=True)
    settings = _platform(config, data_dir)
    _change(email, config, data_dir, lambda identity, user: _erase(settings, identity, user))
    err.print(f"everything of {address} is erased, and the account is disabled", highlight=False, markup=False)


async def _erase(settings: Settings, identity: Identity, user: User) -> None:
    from batuta.server.backends import open_backends
    from batuta.server.erasure_ledger import NotedErasures, ledger_of
    from batuta.server.file_processing import open_file_processing

    await identity.disable(user.user_id, _operator())
    async with open_backends(settings) as backends, open_file_processing(settings, backends) as processing:
        await NotedErasures(processing.audit, ledger_of(settings)).erase(user.user_id)


def _change(
    email: str,
    config: Path | None,
    data_dir: Path | None,
    change: Callable[[Identity, User], Awaitable[None]],
) -> None:
    """Change one account, or say that there is none."""
    address = _email(email)

    async def find_and_change(identity: Identity) -> bool:
        user = await identity.by_email(address)
        if user is not None:
            await change(identity, user)
        return user is not None

    if not _do(_platform(config, data_dir), find_and_change):
        raise fail(f"there is no account {address}; `batuta user list` shows who has one")


def _operator() -> AccountActor:
    """The operating system's user."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # a container whose user has no name
        name = f"uid {os.getuid()}"
    return AccountActor(who=f"operator {name}", origin="command line")


def _platform(config: Path | None, data_dir: Path | None) -> Settings:
    """The settings of a platform that is there: a folder that was mistyped is not made into another one."""
    settings = settings_from(config, data_dir=data_dir)
    if settings.database_url is None and not settings.database_file.exists():
        raise fail(f"there is no platform in {settings.data_dir}; name its folder with --data-dir", 2)
    return settings


def _do(settings: Settings, work: Callable[[Identity], Awaitable[T]]) -> T:
    """Work on the accounts; an obstacle is reported in one line."""

    async def done() -> T:
        async with _accounts(settings) as identity:
            return await work(identity)

    try:
        return run(done())
    except Problem as problem:
        raise fail(problem.own_detail) from problem


@asynccontextmanager
async def _accounts(settings: Settings) -> AsyncIterator[Identity]:
    async with _database(settings) as database:
        yield Identity(SystemDatabase(database), settings, Passwords())


@asynccontextmanager
async def _database(settings: Settings) -> AsyncIterator[Database]:
    """The platform's rows without the log: an embedded file of an older version is brought up to date first."""
    if settings.database_url is not None:
        from batuta.server.backends import open_backends

        async with open_backends(settings) as backends:
            yield backends.database
        return
    async with closing(SqlitePlatformDatabase(settings.database_file)) as database:
        if not is_usable(await database.read(version_of)):
            from batuta.server.backends import migrate

            await migrate(settings)
        yield database


def _email(text: str) -> str:
    try:
        found: str = TypeAdapter(Email).validate_python(text)
    except ValidationError as error:
        raise fail(f"{text!r} is no e-mail address", 2) from error
    return found


def _name(text: str) -> str:
    if not text.strip() or len(text) > LONGEST_NAME:
        raise fail(f"a name has 1 to {LONGEST_NAME} characters", 2)
    return text.strip()


def _roles(names: Sequence[str]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in ROLES]
    if unknown:
        raise fail(f"there is no role {unknown[0]!r}; the roles are {', '.join(ROLES)}", 2)
    return tuple(role for role in ROLES if role in names)


def _asked_password() -> str:
    """Typed at the terminal, twice; else the first line that is sent."""
    if sys.stdin.isatty():
        given = str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    else:
        given = sys.stdin.readline().rstrip("\r\n")
    if not SHORTEST <= len(given) <= LONGEST:
        raise fail(f"a password has {SHORTEST} to {LONGEST} characters", 2)
    return given


def _show(password: str | None) -> None:
    """On standard output and alone, so that a script can take it."""
    if password is not None:
        err.print("The password is shown this once:", highlight=False)
        sys.stdout.write(f"{password}\n")


def _facts(user: User) -> dict[str, object]:
    return {
        "user_id": user.user_id,
        "email": user.email,
        "name": user.name,
        "roles": list(user.roles),
        "is_disabled": user.is_disabled,
        "has_password": user.password_hash is not None,
    }
