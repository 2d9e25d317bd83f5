"""What happens inside a write transaction of the SQLite log: a batch is decided on, stored and projected."""

import logging
import sqlite3
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple

from batuta.events.admission import Batch
from batuta.events.log import FIRST_EPOCH, Appended, Head, Record
from batuta.eventstore.chain import GENESIS, Place, seal
from batuta.eventstore.decisions import Claim, Known, earlier_answer, head_after, next_positions
from batuta.eventstore.readmodels import CONSUMER, Upsert, Value, changes_of, in_waves
from batuta.eventstore.statements import arguments_of, question_mark, shape_of, upsert

log = logging.getLogger("batuta.eventstore")

_SELECT_STATE = """
SELECT h.epoch, h.last_seq, h.fence, h.link, coalesce(c.done_seq, 0)
FROM log_heads h LEFT JOIN cursors c ON c.consumer = ? AND c.session_id = h.session_id
WHERE h.session_id = ?"""
_SELECT_KNOWN = "SELECT session_id, epoch, seq, event_id, payload FROM message_events WHERE event_id IN ({})"
_SELECT_CLAIM = "SELECT content, epoch, first_seq, count FROM client_keys WHERE session_id = ? AND client_key = ?"
_INSERT_EVENT = """
INSERT INTO message_events (session_id, seq, epoch, event_id, type, occurred_at, payload, salt, digest, link)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPSERT_HEAD = """
INSERT INTO log_heads (session_id, epoch, last_seq, fence, link) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (session_id) DO UPDATE SET
  epoch = excluded.epoch, last_seq = excluded.last_seq, fence = excluded.fence, link = excluded.link"""
_INSERT_CLAIM = "INSERT INTO client_keys VALUES (?, ?, ?, ?, ?, ?)"
_MARK_OTHERS = """
INSERT INTO dirty_sessions (consumer, session_id, last_seq, marked_at)
SELECT name, ?, ?, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now') FROM consumers WHERE name <> ?"""
_MARK_ONE = "INSERT OR IGNORE INTO dirty_sessions (consumer, session_id, last_seq, marked_at) VALUES (?, ?, ?, ?)"
_UPSERT_CURSOR = """
INSERT INTO cursors (consumer, session_id, done_seq) VALUES (?, ?, ?)
ON CONFLICT (consumer, session_id) DO UPDATE SET done_seq = excluded.done_seq"""


class State(NamedTuple):
    """A session as the transaction finds it."""

    head: Head
    link: bytes
    projected: int


def append(connection: sqlite3.Connection, batch: Batch) -> Appended:
    """Store a batch, or answer it as before, or raise. Everything that can be refused is refused before a write."""
    state = state_of(connection, batch.session_id)
    earlier = earlier_answer(batch, state.head, _known(connection, batch), _claim(connection, batch))
    if earlier is not None:
        return earlier
    appended = next_positions(batch, state.head)
    link = _insert(connection, batch, appended, state.link)
    put_head(connection, batch.session_id, head_after(batch, state.head, appended), link)
    _insert_claim(connection, batch, appended)
    _project(connection, batch, appended, state)
    return appended


def state_of(connection: sqlite3.Connection, session_id: str) -> State:
    """Where a session stands."""
    row = connection.execute(_SELECT_STATE, (CONSUMER, session_id)).fetchone()
    if row is None:
        return State(Head(epoch=FIRST_EPOCH), GENESIS, 0)
    epoch, last_seq, fence, link, projected = row
    return State(Head(epoch=epoch, last_seq=last_seq, fence=fence), link, projected)


def put_head(connection: sqlite3.Connection, session_id: str, head: Head, link: bytes) -> None:
    """Remember where a session stands."""
    connection.execute(_UPSERT_HEAD, (session_id, head.epoch, head.last_seq, head.fence, link))


def apply(connection: sqlite3.Connection, changes: list[Upsert]) -> None:
    """Change the read models."""
    for change in chain.from_iterable(in_waves(changes)):
        connection.execute(upsert(shape_of(change), question_mark), [adapted(value) for value in arguments_of(change)])


def set_cursor(connection: sqlite3.Connection, consumer: str, session_id: str, done: int) -> None:
    """Remember how far a consumer is."""
    connection.execute(_UPSERT_CURSOR, (consumer, session_id, done))


def adapted(value: Value) -> Value:
    """A value as SQLite keeps it: times as ISO text in UTC, which sorts as it should."""
    return stamp(value) if isinstance(value, datetime) else value


def stamp(moment: datetime) -> str:
    """A time as text that sorts: UTC, always with microseconds."""
    return (moment if moment.tzinfo is UTC else moment.astimezone(UTC)).isoformat(timespec="microseconds")


def _known(connection: sqlite3.Connection, batch: Batch) -> list[Known]:
    marks = ",".join("?" * len(batch.entries))
    return [Known(*row) for row in connection.execute(_SELECT_KNOWN.format(marks), batch.event_ids)]


def _claim(connection: sqlite3.Connection, batch: Batch) -> Claim | None:
    if batch.client_key is None:
        return None
    row = connection.execute(_SELECT_CLAIM, (batch.session_id, batch.client_key)).fetchone()
    if row is None:
        return None
    content, epoch, first_seq, count = row
    return Claim(content, Appended(epoch=epoch, first_seq=first_seq, count=count))


def _insert(connection: sqlite3.Connection, batch: Batch, appended: Appended, link: bytes) -> bytes:
    rows = []
    for seq, entry in enumerate(batch.entries, appended.first_seq):
        place = Place(batch.session_id, appended.epoch, seq, entry.event_id, entry.type)
        sealed = seal(link, place, entry.payload)
        link = sealed.link
        when = stamp(entry.timestamp)
        rows.append((place.session_id, seq, place.epoch, place.event_id, place.type, when, entry.payload, *sealed))
    connection.executemany(_INSERT_EVENT, rows)
    return link


def _insert_claim(connection: sqlite3.Connection, batch: Batch, appended: Appended) -> None:
    if batch.client_key is not None:
        where = (appended.epoch, appended.first_seq, appended.count)
        connection.execute(_INSERT_CLAIM, (batch.session_id, batch.client_key, batch.content, *where))


def _project(connection: sqlite3.Connection, batch: Batch, appended: Appended, state: State) -> None:
    """Bring the read models along in the same transaction; one that cannot follow is left to the projector."""
    connection.execute(_MARK_OTHERS, (batch.session_id, appended.last_seq, CONSUMER))
    if state.projected == state.head.last_seq and _try_to_apply(connection, batch, appended):
        set_cursor(connection, CONSUMER, batch.session_id, appended.last_seq)
    else:
        now = stamp(datetime.now(UTC))
        connection.execute(_MARK_ONE, (CONSUMER, batch.session_id, appended.last_seq, now))


def _try_to_apply(connection: sqlite3.Connection, batch: Batch, appended: Appended) -> bool:
    connection.execute("SAVEPOINT projection")
    try:
        changes = []
        for seq, event in enumerate(batch.events, appended.first_seq):
            changes += changes_of(Record(appended.epoch, seq, event))
        apply(connection, changes)
    except Exception:
        connection.execute("ROLLBACK TO projection")
        log.exception("session %s: read models do not take %s; left to the projector", batch.session_id, appended)
        return False
    finally:
        connection.execute("RELEASE projection")
    return True
