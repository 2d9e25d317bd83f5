"""What happens inside a write transaction of the SQLite log: a batch is decided on, stored and projected.

The read models follow with the next event that must not be seen without its rows, such as the end of a turn: one
transaction writes the rows of a whole turn, which each of its batches would change again. What is left until then is
kept in memory, so that it need not be read back, and marked in the file for the projector.
"""

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

from batuta.events.admission import Batch
from batuta.events.log import FIRST_EPOCH, Appended, Head, Record
from batuta.eventstore.chain import GENESIS, digest_of, fresh_salt, link_of
from batuta.eventstore.decisions import Claim, Known, earlier_answer, next_positions
from batuta.eventstore.readmodels import CONSUMER, Upsert, Value, changes_of, in_waves
from batuta.eventstore.statements import grouped, question_mark, upsert
from batuta.kernel.errors import BatutaError

log = logging.getLogger("batuta.eventstore")

_SELECT_STATES = """
SELECT h.session_id, h.epoch, h.last_seq, h.fence, h.link, coalesce(c.done_seq, 0)
FROM log_heads h LEFT JOIN cursors c ON c.consumer = ? AND c.session_id = h.session_id
WHERE h.session_id IN ({})"""
_OTHERS = "SELECT 1 FROM consumers WHERE name <> ?"
_SELECT_KNOWN = "SELECT session_id, epoch, seq, event_id, payload FROM message_events WHERE event_id IN ({})"
_SELECT_CLAIM = "SELECT content, epoch, first_seq, count FROM client_keys WHERE session_id = ? AND client_key = ?"
_INSERT_EVENTS = """
INSERT INTO message_events (session_id, seq, epoch, event_id, type, occurred_at, payload, salt, digest, link)
VALUES {}"""
_UPSERT_HEADS = """
INSERT INTO log_heads (session_id, epoch, last_seq, fence, link) VALUES {}
ON CONFLICT (session_id) DO UPDATE SET
  epoch = excluded.epoch, last_seq = excluded.last_seq, fence = excluded.fence, link = excluded.link"""
_INSERT_CLAIM = """
INSERT INTO client_keys (session_id, client_key, content, epoch, first_seq, count) VALUES (?, ?, ?, ?, ?, ?)"""
_MARK_OTHERS = """
INSERT INTO dirty_sessions (consumer, session_id, last_seq, marked_at)
SELECT name, ?, ?, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now') FROM consumers WHERE name <> ?"""
_MARK_ONE = "INSERT OR IGNORE INTO dirty_sessions (consumer, session_id, last_seq, marked_at) VALUES (?, ?, ?, ?)"
_UPSERT_CURSORS = """
INSERT INTO cursors (consumer, session_id, done_seq) VALUES {}
ON CONFLICT (consumer, session_id) DO UPDATE SET done_seq = excluded.done_seq"""

_UNMARK = "DELETE FROM dirty_sessions WHERE consumer = ? AND session_id = ?"

MOST_LACKING = 256
"""Events of a session that are left out of the read models before they follow in any case."""
MOST_SESSIONS = 256
"""Sessions of which that is kept in memory."""

ROWS_AT_ONCE = (64, 32, 16)
"""How many rows one statement writes where there are more than the last of these; as many as there are, else."""

T = TypeVar("T")


class State(NamedTuple):
    """A session as the transaction finds it."""

    epoch: int
    last_seq: int
    fence: int
    link: bytes
    projected: int

    @property
    def head(self) -> Head:
        """Where the session stands."""
        return Head(epoch=self.epoch, last_seq=self.last_seq, fence=self.fence)


NEW = State(FIRST_EPOCH, 0, 0, GENESIS, 0)


class Lacking(NamedTuple):
    """What the read models of a session lack, as this process stored it."""

    after: int
    """How far the read models are."""
    link: bytes
    """Of the last event. The log holds these very events after that position if its own link is the same."""
    news: tuple[tuple[Batch, Appended], ...]


class SqliteAppends:
    """Appends of one process to one file. Every call is made within a transaction of its only writer."""

    def __init__(self) -> None:
        self._lacking: dict[str, Lacking] = {}

    def append(self, connection: sqlite3.Connection, batch: Batch) -> Appended:
        """Store a batch, or answer it as before, or raise. Everything that can be refused is refused before a write."""
        (answer,) = self.append_all(connection, [batch])
        if isinstance(answer, Exception):
            raise answer
        return answer

    def append_all(
        self, connection: sqlite3.Connection, batches: Sequence[Batch], *, are_new: bool = False
    ) -> list[Appended | Exception]:
        """Store batches that share no event and no client key: read once, decide one by one, write once.

        For batches that are taken to be new nothing is looked up by the ids of their events: the unique index of these
        refuses what is in the log already (`sqlite3.IntegrityError`), and a fence may refuse what was stored before.
        """
        before = _states(connection, {batch.session_id for batch in batches})
        states = dict(before)
        known = {} if are_new else _known(connection, batches)
        answers: list[Appended | Exception] = []
        news: list[tuple[Batch, Appended]] = []
        rows: list[tuple[Any, ...]] = []
        for batch in batches:
            state = states.get(batch.session_id, NEW)
            try:
                earlier = earlier_answer(batch, state.fence, _places(known, batch), _claim(connection, batch))
            except BatutaError as refusal:
                answers.append(refusal)
                continue
            if earlier is not None:
                answers.append(earlier)
                continue
            appended = next_positions(batch, state.epoch, state.last_seq)
            link = _chained(batch, appended, state.link, rows)
            fence = max(state.fence, batch.fence or 0)
            states[batch.session_id] = State(state.epoch, appended.last_seq, fence, link, state.projected)
            news.append((batch, appended))
            answers.append(appended)
        if news:
            _write(connection, news, rows, states)
            self._project(connection, news, before, states)
        return answers

    def lacking(self, owner: str, state: State) -> tuple[tuple[Batch, Appended], ...] | None:
        """What the read models of a session lack; nothing (`None`) if this process does not know all of it."""
        if state.projected == state.last_seq:
            return ()
        found = self._lacking.get(owner)
        return found.news if found is not None and (found.after, found.link) == (state.projected, state.link) else None

    def _project(
        self,
        connection: sqlite3.Connection,
        news: Sequence[tuple[Batch, Appended]],
        before: Mapping[str, State],
        states: Mapping[str, State],
    ) -> None:
        """Bring the read models along in the same transaction where that is due, and leave the rest for later.

        A session that cannot follow, or of which this process does not know what is lacking, is left to the projector:
        its read models follow in order, or not at all.
        """
        if connection.execute(_OTHERS, (CONSUMER,)).fetchone() is not None:
            ends = [(batch.session_id, appended.last_seq, CONSUMER) for batch, appended in news]
            connection.executemany(_MARK_OTHERS, ends)
        due: dict[str, Sequence[tuple[Batch, Appended]]] = {}
        marked: set[str] = set()
        left: list[str] = []
        for owner, added in _by_session(news).items():
            earlier, state = self.lacking(owner, before.get(owner, NEW)), states[owner]
            self._lacking.pop(owner, None)
            if earlier:
                marked.add(owner)
            if earlier is None:
                left.append(owner)
            elif _is_due(added) or state.last_seq - state.projected > MOST_LACKING:
                due[owner] = (*earlier, *added)
            else:
                self._leave(owner, Lacking(state.projected, state.link, (*earlier, *added)))
                left.append(owner)
        failed = _projected(connection, due, states) if due else []
        if unmarked := marked.intersection(due).difference(failed):
            connection.executemany(_UNMARK, [(CONSUMER, owner) for owner in unmarked])
        now = stamp(datetime.now(UTC))
        new = [owner for owner in (*left, *failed) if owner not in marked]
        connection.executemany(_MARK_ONE, [(CONSUMER, owner, states[owner].last_seq, now) for owner in new])

    def _leave(self, owner: str, lacking: Lacking) -> None:
        """Keep it, and let go of the oldest if there are too many: the projector finds it in the log."""
        self._lacking[owner] = lacking
        if len(self._lacking) > MOST_SESSIONS:
            del self._lacking[next(iter(self._lacking))]


def state_of(connection: sqlite3.Connection, session_id: str) -> State:
    """Where a session stands."""
    return _states(connection, {session_id}).get(session_id, NEW)


def put_head(connection: sqlite3.Connection, session_id: str, head: Head, link: bytes) -> None:
    """Remember where a session stands."""
    write_rows(connection, _UPSERT_HEADS, [(session_id, head.epoch, head.last_seq, head.fence, link)])


def apply(connection: sqlite3.Connection, changes: Iterable[Upsert]) -> None:
    """Change the read models."""
    for wave in in_waves(changes):
        for shape, rows in grouped(wave).items():
            for some in _portions(rows):
                adapted = [value for row in some for value in adapted_row(row)]
                connection.execute(upsert(shape, question_mark, rows=len(some)), adapted)


def write_rows(connection: sqlite3.Connection, statement: str, rows: Sequence[Sequence[Any]]) -> None:
    """Run a statement with `VALUES {}` for rows of one width."""
    for some in _portions(rows):
        values = [value for row in some for value in row]
        connection.execute(_for_rows(statement, len(some[0]), len(some)), values)


@cache
def _for_rows(statement: str, width: int, count: int) -> str:
    row = f"({', '.join('?' * width)})"
    return statement.format(", ".join([row] * count))


def _portions(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """Rows that are written by one statement, in few sizes, so that every statement is prepared once.

    Between two statements, and between two rows of `executemany`, the thread lets go of the interpreter and has to wait
    for the consumer: under load that costs more than the writing.
    """
    begin = 0
    for size in ROWS_AT_ONCE if len(rows) > ROWS_AT_ONCE[-1] else ():
        while len(rows) - begin >= size:
            yield rows[begin : begin + size]
            begin += size
    if begin < len(rows):
        yield rows[begin:]


def set_cursor(connection: sqlite3.Connection, consumer: str, session_id: str, done: int) -> None:
    """Remember how far a consumer is."""
    write_rows(connection, _UPSERT_CURSORS, [(consumer, session_id, done)])


def adapted_row(row: Iterable[Value]) -> list[Value]:
    """A row as SQLite keeps it: times as ISO text in UTC, which sorts as it should."""
    return [stamp(value) if type(value) is datetime else value for value in row]


def stamp(moment: datetime) -> str:
    """A time as text that sorts: UTC, always with microseconds."""
    return _utc_stamp(moment if moment.tzinfo is UTC else moment.astimezone(UTC))


@lru_cache(maxsize=1_024)
def _utc_stamp(moment: datetime) -> str:
    """Remembered: an event's time is written to the log and to several read models."""
    return moment.isoformat(timespec="microseconds")


def _states(connection: sqlite3.Connection, owners: Set[str]) -> dict[str, State]:
    query = _SELECT_STATES.format(",".join("?" * len(owners)))
    return {owner: State(*state) for owner, *state in connection.execute(query, (CONSUMER, *owners))}


def _known(connection: sqlite3.Connection, batches: Sequence[Batch]) -> dict[str, Known]:
    ids = [entry.event_id for batch in batches for entry in batch.entries]
    query = _SELECT_KNOWN.format(",".join("?" * len(ids)))
    return {row[3]: Known(*row) for row in connection.execute(query, ids)}


def _places(known: Mapping[str, Known], batch: Batch) -> list[Known]:
    return [known[event_id] for event_id in batch.event_ids if event_id in known] if known else []


def _claim(connection: sqlite3.Connection, batch: Batch) -> Claim | None:
    if batch.client_key is None:
        return None
    row = connection.execute(_SELECT_CLAIM, (batch.session_id, batch.client_key)).fetchone()
    if row is None:
        return None
    content, epoch, first_seq, count = row
    return Claim(content, Appended(epoch=epoch, first_seq=first_seq, count=count))


def _chained(batch: Batch, appended: Appended, link: bytes, rows: list[tuple[Any, ...]]) -> bytes:
    """Add the rows of a batch, each chained to the one before it. The last link."""
    owner, epoch = batch.session_id, appended.epoch
    for seq, (event_id, kind, timestamp, payload) in enumerate(batch.entries, appended.first_seq):
        salt = fresh_salt()
        digest = digest_of(salt, payload)
        link = link_of(link, (owner, epoch, seq, event_id, kind), digest)
        rows.append((owner, seq, epoch, event_id, kind, stamp(timestamp), payload, salt, digest, link))
    return link


def _write(
    connection: sqlite3.Connection,
    news: Sequence[tuple[Batch, Appended]],
    rows: Sequence[tuple[Any, ...]],
    states: Mapping[str, State],
) -> None:
    write_rows(connection, _INSERT_EVENTS, rows)
    changed = {batch.session_id for batch, _ in news}
    write_rows(connection, _UPSERT_HEADS, [(owner, *states[owner][:4]) for owner in changed])
    for batch, appended in news:
        if batch.client_key is not None:
            where = (appended.epoch, appended.first_seq, appended.count)
            connection.execute(_INSERT_CLAIM, (batch.session_id, batch.client_key, batch.content, *where))


def _by_session(news: Iterable[tuple[Batch, Appended]]) -> dict[str, list[tuple[Batch, Appended]]]:
    found: dict[str, list[tuple[Batch, Appended]]] = {}
    for one in news:
        found.setdefault(one[0].session_id, []).append(one)
    return found


def _is_due(news: Iterable[tuple[Batch, Appended]]) -> bool:
    """Whether an event must not be seen without its rows."""
    return any(event.is_sync_required for batch, _ in news for event in batch.events)


def _projected(
    connection: sqlite3.Connection, due: Mapping[str, Sequence[tuple[Batch, Appended]]], states: Mapping[str, State]
) -> list[str]:
    """Change the read models of these sessions, and their cursors. Those that cannot follow."""
    failed: list[str] = []
    if not _try_to_apply(connection, [one for news in due.values() for one in news]):
        # One of them is to blame: find out which, and let the others go on.
        failed = [owner for owner, news in due.items() if not _try_to_apply(connection, news)]
    done = [owner for owner in due if owner not in failed]
    write_rows(connection, _UPSERT_CURSORS, [(CONSUMER, owner, states[owner].last_seq) for owner in done])
    return failed


def changes_of_news(news: Iterable[tuple[Batch, Appended]]) -> list[Upsert]:
    """What stored batches change in the read models."""
    news = list(news)
    records = [
        Record(appended.epoch, seq, event)
        for batch, appended in news
        for seq, event in enumerate(batch.events, appended.first_seq)
    ]
    return changes_of(records, [entry.payload for batch, _ in news for entry in batch.entries])


def _try_to_apply(connection: sqlite3.Connection, news: Sequence[tuple[Batch, Appended]]) -> bool:
    connection.execute("SAVEPOINT projection")
    try:
        apply(connection, changes_of_news(news))
    except Exception:
        connection.execute("ROLLBACK TO projection")
        log.exception("read models do not take %s", [(batch.session_id, appended) for batch, appended in news[:3]])
        return False
    finally:
        connection.execute("RELEASE projection")
    return True
