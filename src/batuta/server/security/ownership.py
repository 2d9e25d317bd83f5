"""Whose thing it is: the one place that decides whether an id is there for a caller.

A thing that belongs to another user, that was deleted, and that never was, are the same: not there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import sqlalchemy as sa

from batuta.kernel.ids import is_uuid
from batuta.server.database.principal import Principal
from batuta.server.database.tables import (
    api_keys,
    approvals,
    board_tiles,
    boards,
    datasets,
    files,
    jobs,
    turns,
    user_sessions,
)

APPROVER = "approver"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """The credentials of a caller."""

    kind: Literal["login", "key"]
    digest: str
    """The hash under which it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated caller."""

    user_id: str
    workspace_id: str
    email: str
    name: str
    roles: frozenset[str]
    credential: Credential
    scopes: frozenset[str] | None = None
    """What a key is allowed; a person in a browser is not limited."""
    csrf_token: str = field(default="", repr=False)

    @property
    def principal(self) -> Principal:
        """Whose rows the database shows: one's own, and those of the workspace to its approvers."""
        return Principal(
            user_id=self.user_id, workspace_id=self.workspace_id if APPROVER in self.roles else "", scope="user"
        )

    def may(self, scope: str | None) -> bool:
        """Whether its key reaches that far."""
        return scope is None or self.scopes is None or scope in self.scopes


Ids = Mapping[str, str]


def is_there(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    """Whether all of these exist for the caller. Ids are as they are kept: upper case."""
    return all(is_uuid(value) and OWNERSHIP[name](connection, caller, ids) for name, value in ids.items())


_OWN_SESSION = sa.select(user_sessions.c.session_id).where(
    user_sessions.c.user_id == sa.bindparam("user", type_=sa.String),
    user_sessions.c.deleted_at.is_(None),
    user_sessions.c.session_id == sa.bindparam("session", type_=sa.String),
)
"""Asked with almost every request, so put together once."""


def _session(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    asked = {"user": caller.user_id, "session": ids["session_id"]}
    return connection.execute(_OWN_SESSION, asked).first() is not None


def _turn(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    query = sa.select(turns.c.turn_id).where(turns.c.turn_id == ids["turn_id"], turns.c.session_id == ids["session_id"])
    return _exists(connection, query)


def _approval(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    """The session's owner may answer, and the workspace's approvers."""
    same_session = user_sessions.c.session_id == approvals.c.session_id
    mine = user_sessions.c.user_id == caller.user_id
    if APPROVER in caller.roles:
        mine = user_sessions.c.workspace_id == caller.workspace_id
    query = sa.select(approvals.c.approval_id).where(
        approvals.c.approval_id == ids["approval_id"], same_session, mine, user_sessions.c.deleted_at.is_(None)
    )
    return _exists(connection, query)


def _key(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    mine = sa.and_(api_keys.c.key_id == ids["key_id"], api_keys.c.user_id == caller.user_id)
    return _exists(connection, sa.select(api_keys.c.key_id).where(mine))


def _dataset(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    """A dataset belongs to its session, which the path names too."""
    is_this = sa.and_(datasets.c.dataset_id == ids["dataset_id"], datasets.c.session_id == ids["session_id"])
    return _exists(connection, sa.select(datasets.c.dataset_id).where(is_this))


def _board(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    mine = sa.and_(boards.c.board_id == ids["board_id"], boards.c.user_id == caller.user_id)
    return _exists(connection, sa.select(boards.c.board_id).where(mine))


def _tile(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    """A tile belongs to its board, which the path names too."""
    is_this = sa.and_(board_tiles.c.tile_id == ids["tile_id"], board_tiles.c.board_id == ids["board_id"])
    return _exists(connection, sa.select(board_tiles.c.tile_id).where(is_this))


def _file(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    is_kept = files.c.status != "deleted"
    mine = sa.and_(files.c.file_id == ids["file_id"], files.c.user_id == caller.user_id, is_kept)
    return _exists(connection, sa.select(files.c.file_id).where(mine))


def _job(connection: sa.Connection, caller: Caller, ids: Ids) -> bool:
    mine = sa.and_(jobs.c.job_id == ids["job_id"], jobs.c.user_id == caller.user_id)
    return _exists(connection, sa.select(jobs.c.job_id).where(mine))


OWNERSHIP: dict[str, Callable[[sa.Connection, Caller, Ids], bool]] = {
    "session_id": _session,
    "turn_id": _turn,
    "approval_id": _approval,
    "key_id": _key,
    "dataset_id": _dataset,
    "board_id": _board,
    "tile_id": _tile,
    "file_id": _file,
    "job_id": _job,
}
"""By the name an id has in paths and events."""


def own_sessions(caller: Caller, session_id: str | None = None) -> sa.ColumnElement[bool]:
    """The condition under which a row of `user_sessions` is the caller's."""
    mine = sa.and_(user_sessions.c.user_id == caller.user_id, user_sessions.c.deleted_at.is_(None))
    return mine if session_id is None else sa.and_(mine, user_sessions.c.session_id == session_id)


def _exists(connection: sa.Connection, query: sa.Select[tuple[str]]) -> bool:
    return connection.execute(query.limit(1)).first() is not None
