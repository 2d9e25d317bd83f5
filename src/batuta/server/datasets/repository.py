"""Rows of datasets: plain functions of a connection."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from batuta.datasets.dataset import DatasetError
from batuta.datasets.store import (
    MAX_BYTES_OF_A_USER,
    MAX_DATASETS_OF_A_SESSION,
    Block,
    DatasetInfo,
    DatasetOwner,
    free_name,
)
from batuta.events.datasets import Cell, Column, Provenance
from batuta.kernel.sqlite import overwriting
from batuta.server.database.tables import dataset_blocks, datasets, user_sessions

Condition = sa.ColumnElement[bool]


class _Head(BaseModel):
    """What is kept of a dataset as one text."""

    model_config = ConfigDict(frozen=True)

    title: str
    columns: tuple[Column, ...]
    totals: dict[str, Cell]
    provenance: Provenance
    has_references: bool
    file: str | None = None


def save(connection: sa.Connection, owner: DatasetOwner, info: DatasetInfo, blocks: Sequence[Block]) -> str | None:
    """Keep a dataset, or replace the one with this id; its name, or nothing if the session is no more.

    Raises `DatasetError` where a limit is reached.
    """
    session = sa.select(user_sessions.c.user_id, user_sessions.c.workspace_id, user_sessions.c.deleted_at).where(
        user_sessions.c.session_id == owner.session_id
    )
    # Locked: two calls side by side choose their names one after the other, and a deletion waits or is seen.
    found = connection.execute(session.with_for_update()).first()
    if found is None or found.deleted_at is not None:
        return None
    query = sa.select(datasets.c.dataset_id, datasets.c.name).where(datasets.c.session_id == owner.session_id)
    names = {row.dataset_id: row.name for row in connection.execute(query)}
    _check_limits(connection, found.user_id, info, names)
    name = names.pop(info.dataset_id, None) or free_name(info.name, frozenset(names.values()))
    connection.execute(sa.delete(datasets).where(datasets.c.dataset_id == info.dataset_id))
    connection.execute(
        sa.insert(datasets).values(
            dataset_id=info.dataset_id,
            session_id=owner.session_id,
            user_id=found.user_id,
            workspace_id=found.workspace_id,
            name=name,
            head=_head_of(info),
            row_count=info.row_count,
            byte_count=info.byte_count,
            created_at=info.created_at,
        )
    )
    if blocks:
        connection.execute(sa.insert(dataset_blocks), [_block_row(info.dataset_id, block) for block in blocks])
    return name


def one(
    connection: sa.Connection, owner: DatasetOwner, *, dataset_id: str | None = None, name: str | None = None
) -> DatasetInfo | None:
    """A dataset of a session by its id or its name."""
    is_it = datasets.c.dataset_id == dataset_id if name is None else datasets.c.name == name
    query = sa.select(datasets).where(datasets.c.session_id == owner.session_id, is_it)
    found = connection.execute(query).first()
    return None if found is None else _info_of(found)


_OF_SESSION = (
    sa.select(datasets)
    .where(datasets.c.session_id == sa.bindparam("session", type_=sa.String))
    .order_by(datasets.c.created_at, datasets.c.name)
)


def all_of(connection: sa.Connection, owner: DatasetOwner) -> list[DatasetInfo]:
    """The datasets of a session, oldest first."""
    return [_info_of(row) for row in connection.execute(_OF_SESSION, {"session": owner.session_id})]


def block(connection: sa.Connection, owner: DatasetOwner, dataset_id: str, number: int) -> Block | None:
    """One block of a dataset of a session."""
    query = (
        sa.select(dataset_blocks)
        .join(datasets, datasets.c.dataset_id == dataset_blocks.c.dataset_id)
        .where(
            datasets.c.session_id == owner.session_id,
            dataset_blocks.c.dataset_id == dataset_id,
            dataset_blocks.c.number == number,
        )
    )
    found = connection.execute(query).first()
    if found is None:
        return None
    return Block(
        number=found.number, row_count=found.row_count, rows=bytes(found.content), references=bytes(found.record_refs)
    )


def files_of(connection: sa.Connection, chosen: Condition) -> list[str]:
    """Where the rows of some large datasets lie."""
    heads = connection.execute(sa.select(datasets.c.head).where(chosen)).scalars()
    return [file for head in heads if (file := _Head.model_validate_json(head).file) is not None]


def of_sessions(session_ids: Sequence[str]) -> Condition:
    """The datasets of some sessions."""
    return datasets.c.session_id.in_(session_ids)


def of_user(user_id: str) -> Condition:
    """The datasets of a user."""
    return datasets.c.user_id == user_id


def erase(connection: sa.Connection, session_ids: Sequence[str]) -> int:
    """Take away all datasets of some sessions; what an SQLite file held is overwritten."""
    return _erase(connection, of_sessions(session_ids))


def erase_of_user(connection: sa.Connection, user_id: str) -> int:
    """Take away all datasets of a user."""
    return _erase(connection, of_user(user_id))


def _erase(connection: sa.Connection, chosen: Condition) -> int:
    is_sqlite = connection.dialect.name == "sqlite"
    with overwriting(connection.exec_driver_sql) if is_sqlite else nullcontext():
        gone = connection.execute(sa.delete(datasets).where(chosen))
    return int(gone.rowcount)


def _check_limits(connection: sa.Connection, user_id: str, info: DatasetInfo, names: dict[str, str]) -> None:
    if info.dataset_id not in names and len(names) >= MAX_DATASETS_OF_A_SESSION:
        raise DatasetError(f"this conversation has {len(names)} datasets already; begin another one")
    used = connection.execute(
        sa.select(sa.func.coalesce(sa.func.sum(datasets.c.byte_count), 0)).where(
            datasets.c.user_id == user_id, datasets.c.dataset_id != info.dataset_id
        )
    ).scalar_one()
    if int(used) + info.byte_count > MAX_BYTES_OF_A_USER:
        raise DatasetError("there is no room for more datasets; delete conversations that are not needed any more")


def _head_of(info: DatasetInfo) -> str:
    return _Head(
        title=info.title,
        columns=info.columns,
        totals=info.totals,
        provenance=info.provenance,
        has_references=info.has_references,
        file=info.file,
    ).model_dump_json()


def _info_of(row: sa.Row[Any]) -> DatasetInfo:
    head = _Head.model_validate(json.loads(row.head))
    created_at: datetime = row.created_at
    return DatasetInfo(
        dataset_id=row.dataset_id,
        session_id=row.session_id,
        name=row.name,
        title=head.title,
        columns=head.columns,
        row_count=row.row_count,
        byte_count=row.byte_count,
        totals=head.totals,
        provenance=head.provenance,
        has_references=head.has_references,
        created_at=created_at,
        file=head.file,
    )


def _block_row(dataset_id: str, block: Block) -> dict[str, Any]:
    return {
        "dataset_id": dataset_id,
        "number": block.number,
        "row_count": block.row_count,
        "content": block.rows,
        "record_refs": block.references,
    }
