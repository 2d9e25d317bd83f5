"""On whose behalf the database is asked: the second wall behind the policy.

    act_for(caller)              from here on, in this task and those it starts
    with acting(SYSTEM): …       the platform's own work, named where it is done

PostgreSQL shows a transaction only the rows of whoever it acts for (`migrations/versions/0002_walls.py`); one that acts
for nobody finds nothing. A forgotten condition in a query then shows too little, never somebody else's rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import sqlalchemy as sa


@dataclass(frozen=True, slots=True, kw_only=True)
class Behalf:
    """Whoever a transaction acts for."""

    user_id: str = ""
    workspace_id: str = ""
    """If given, also the sessions of its other people can be read."""
    scope: str = ""


NOBODY = Behalf()
SYSTEM = Behalf(scope="system")

_current: ContextVar[Behalf] = ContextVar("behalf", default=NOBODY)

_SETTINGS = sa.text(
    "SELECT set_config('batuta.user_id', :user_id, true), set_config('batuta.workspace_id', :workspace_id, true), "
    "set_config('batuta.scope', :scope, true)"
)

_SET = sa.text(
    "SELECT coalesce(current_setting('batuta.user_id', true), '') AS user_id, "
    "coalesce(current_setting('batuta.workspace_id', true), '') AS workspace_id, "
    "coalesce(current_setting('batuta.scope', true), '') AS scope"
)


def current() -> Behalf:
    """Whoever this task acts for."""
    return _current.get()


def act_for(behalf: Behalf) -> None:
    """Act for somebody to the end of this task."""
    _current.set(behalf)


@contextmanager
def acting(behalf: Behalf) -> Iterator[None]:
    """Act for somebody within the block."""
    before = _current.set(behalf)
    try:
        yield
    finally:
        _current.reset(before)


def declare(connection: sa.Connection, behalf: Behalf) -> None:
    """Tell PostgreSQL, for this transaction, whom it acts for."""
    parameters = {"user_id": behalf.user_id, "workspace_id": behalf.workspace_id, "scope": behalf.scope}
    connection.execute(_SETTINGS, parameters)


@contextmanager
def declared(connection: sa.Connection, behalf: Behalf) -> Iterator[None]:
    """Act for somebody else within the block, in the same transaction. An error ends the transaction with it."""
    if connection.dialect.name != "postgresql":
        yield
        return
    row = connection.execute(_SET).one()
    before = Behalf(user_id=row.user_id, workspace_id=row.workspace_id, scope=row.scope)
    declare(connection, behalf)
    yield
    declare(connection, before)
