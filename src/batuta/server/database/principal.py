"""The principal a database transaction acts for: the second wall behind the policy.

    act_as(caller.principal)       from here on, in this task and those it starts
    with acting_as(SYSTEM): …      the platform's own work, named where it is done

PostgreSQL shows a transaction only the rows of its principal (`migrations/versions/0002_walls.py`), and none without
one. A forgotten condition in a query then returns too little, never another user's rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import sqlalchemy as sa


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The user, or the platform itself, that a transaction acts for."""

    user_id: str = ""
    workspace_id: str = ""
    """If given, the sessions of the whole workspace can be read."""
    scope: str = ""


ANONYMOUS = Principal()
SYSTEM = Principal(scope="system")

_current: ContextVar[Principal] = ContextVar("principal", default=ANONYMOUS)

_SETTINGS = sa.text(
    "SELECT set_config('batuta.user_id', :user_id, :is_local), "
    "set_config('batuta.workspace_id', :workspace_id, :is_local), set_config('batuta.scope', :scope, :is_local)"
)

_SET = sa.text(
    "SELECT coalesce(current_setting('batuta.user_id', true), '') AS user_id, "
    "coalesce(current_setting('batuta.workspace_id', true), '') AS workspace_id, "
    "coalesce(current_setting('batuta.scope', true), '') AS scope"
)


def current_principal() -> Principal:
    """The principal of this task."""
    return _current.get()


def act_as(principal: Principal) -> None:
    """Act as a principal to the end of this task."""
    _current.set(principal)


@contextmanager
def acting_as(principal: Principal) -> Iterator[None]:
    """Act as a principal within the block."""
    before = _current.set(principal)
    try:
        yield
    finally:
        _current.reset(before)


def declare(connection: sa.Connection, principal: Principal, *, is_lasting: bool = False) -> None:
    """Set the principal of a transaction in PostgreSQL, or of a connection between its transactions."""
    ids = {"user_id": principal.user_id, "workspace_id": principal.workspace_id, "scope": principal.scope}
    connection.execute(_SETTINGS, {**ids, "is_local": not is_lasting})


@contextmanager
def declared(connection: sa.Connection, principal: Principal) -> Iterator[None]:
    """Act as another principal within the block, in the same transaction. An error ends the transaction."""
    if connection.dialect.name != "postgresql":
        yield
        return
    row = connection.execute(_SET).one()
    before = Principal(user_id=row.user_id, workspace_id=row.workspace_id, scope=row.scope)
    declare(connection, principal)
    yield
    declare(connection, before)
