"""Batches as one call of `batuta_append`, and its verdicts as answers."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import asyncpg

from batuta.events.admission import Batch
from batuta.events.log import Appended
from batuta.eventstore.decisions import fenced, key_conflict, sequence_conflict

CALL = "SELECT * FROM batuta_append($1, $2, $3, $4, $5, $6, $7, $8, $9)"
ARGUMENTS = 9
"""How many arguments `batuta_append` takes."""

Executor: TypeAlias = "asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"


async def append_all(connection: Executor, batches: Sequence[Batch]) -> list[Appended | Exception]:
    """Store the batches in one statement; the answers are in the order of the batches."""
    order = sorted(range(len(batches)), key=lambda index: batches[index].session_id)
    rows = await connection.fetch(CALL, *arguments_of([batches[index] for index in order]))
    answers: list[Appended | Exception] = [_UNANSWERED] * len(batches)
    for index, row in zip(order, rows, strict=True):
        answers[index] = _VERDICTS[row["verdict"]](batches[index], row)
    return answers


async def append_one(connection: Executor, batch: Batch) -> Appended:
    """Store one batch, inside whatever transaction the connection is in, or raise why not."""
    (answer,) = await append_all(connection, [batch])
    if isinstance(answer, Exception):
        raise answer
    return answer


_UNANSWERED = RuntimeError("batuta_append gave no verdict")


def arguments_of(batches: Sequence[Batch]) -> tuple[list[Any], ...]:
    """The arguments of `batuta_append` for batches that are ordered by session."""
    entries = [entry for batch in batches for entry in batch.entries]
    return (
        [batch.session_id for batch in batches],
        [batch.fence for batch in batches],
        [batch.client_key for batch in batches],
        [batch.content for batch in batches],
        [len(batch.entries) for batch in batches],
        [entry.event_id for entry in entries],
        [entry.type for entry in entries],
        [entry.timestamp for entry in entries],
        [entry.payload for entry in entries],
    )


def _where(batch: Batch, row: asyncpg.Record) -> Appended:
    is_new = row["verdict"] == "appended"
    return Appended(epoch=row["at_epoch"], first_seq=row["at_seq"], count=len(batch.entries), is_new=is_new)


def _conflict(batch: Batch, row: asyncpg.Record) -> Exception:
    return sequence_conflict(batch, why=row["detail"])


_VERDICTS: dict[str, Callable[[Batch, asyncpg.Record], Appended | Exception]] = {
    "appended": _where,
    "repeated": _where,
    "conflict": _conflict,
    "claimed": lambda batch, row: key_conflict(batch),
    "fenced": lambda batch, row: fenced(batch, int(row["detail"])),
}
