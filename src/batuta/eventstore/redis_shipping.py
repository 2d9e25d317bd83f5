"""Phase two of the Redis log: events go to the database, in order, and only then are acknowledged and trimmed.

Every append leaves a note in the shipping stream. A shipper reads notes as a member of a consumer group, brings the
sessions they name up to date in the database, and acknowledges them after the commit. Notes of a shipper that died are
claimed by another. A note is a hint: what is shipped is whatever the session's stream holds beyond the database.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import asyncpg
from pydantic_core import from_json
from redis.exceptions import ResponseError

from batuta.events.log import Alarm, AlarmListener, log_alarm
from batuta.eventstore.postgres_database import PostgresPool
from batuta.eventstore.redis_connection import Call, RedisConnection, StreamEntry, errors_as_ours
from batuta.eventstore.redis_scripts import Keys
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.failpoints import failpoint
from batuta.kernel.ids import SessionId, new_id

log = logging.getLogger("batuta.eventstore")

GROUP = "shippers"
NOTES_AT_ONCE = 256
EVENTS_AT_ONCE = 500
IDLE_MS = 5_000
"""After this, notes of a silent shipper are taken over; if it is only slow, both ship the same, which is harmless."""
KEPT = 1_000
"""How many events of a session stay in Redis after they were shipped, for readers and for recognising repeats."""
POLL_SECONDS = 0.1
REST_AFTER_SECONDS = 3_600
"""Of a session that was not used for so long, Redis keeps only where it stands."""
REST_EVERY_SECONDS = 600
HEADS_AT_ONCE = 500

_LAST = """
SELECT h.last_seq, e.epoch FROM log_heads h
LEFT JOIN message_events e ON e.session_id = h.session_id AND e.seq = h.last_seq WHERE h.session_id = $1"""
_HELD = "SELECT event_id FROM message_events WHERE session_id = $1 AND seq = $2"
_POSITIONS = "SELECT session_id, last_seq FROM log_heads WHERE session_id = ANY ($1)"
_UNSHIPPED = "SELECT session_id FROM log_heads WHERE is_seeded AND last_seq = 0"
_IMPORT = "SELECT * FROM batuta_import($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"


class Shipper:
    """Brings the database up to date with Redis. Several may work at once."""

    def __init__(
        self,
        connection: RedisConnection,
        database: PostgresPool,
        keys: Keys,
        *,
        on_alarm: AlarmListener = log_alarm,
        clock: Clock = SYSTEM_CLOCK,
        kept: int = KEPT,
    ) -> None:
        self._connection = connection
        self._database = database
        self._keys = keys
        self._alarm = on_alarm
        self._clock = clock
        self._kept = kept
        self._name = new_id()
        self._look_for_idle_at = time.monotonic() + REST_EVERY_SECONDS

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            try:
                is_idle = await self.run_once() == 0
            except StoreUnavailableError as error:
                log.warning("shipper: %s", error)
                is_idle = True
            if is_idle:
                await self._clock.sleep(POLL_SECONDS)

    async def run_once(self) -> int:
        """Ship the sessions of the next notes, abandoned ones first. How many notes."""
        if time.monotonic() > self._look_for_idle_at:
            self._look_for_idle_at = time.monotonic() + REST_EVERY_SECONDS
            await self.let_rest()
        with errors_as_ours():
            # Its own unfinished ones come first: they may have been handed out in an answer that got lost.
            notes = await self._read("0") or await self._abandoned() or await self._read(">")
        if notes:
            await self._ship_and_acknowledge(notes)
        return len(notes)

    async def _ship_and_acknowledge(self, notes: Sequence[tuple[str, dict[str, str]]]) -> None:
        for owner in sorted({SessionId(fields["s"]) for _, fields in notes if fields}):
            await self.ship(owner)
        failpoint("shipper.before_ack")
        with errors_as_ours():
            ids = [note_id for note_id, _ in notes]
            await self._connection.client.xack(self._keys.shipping, GROUP, *ids)
            await self._connection.client.xdel(self._keys.shipping, *ids)

    async def ship_all(self) -> None:
        """Ship what was noted up to now; what is appended meanwhile does not keep it going."""
        with errors_as_ours():
            left = await self._connection.client.xlen(self._keys.shipping)
        while left > 0 and (done := await self.run_once()):
            left -= done

    async def ship_new(self) -> None:
        """Ship the sessions of which the database has nothing yet, regardless of who holds their notes."""
        async with self._database.connection() as connection:
            rows = await connection.fetch(_UNSHIPPED)
        for row in rows:
            await self.ship(SessionId(row["session_id"]))

    async def let_rest(self, after_seconds: int = REST_AFTER_SECONDS) -> int:
        """Let Redis forget the contents of idle sessions that the database holds whole. How many sessions.

        Otherwise it would fill up with abandoned ones, and refuse the others.
        """
        cursor, rested, is_first = 0, 0, True
        while is_first or cursor:
            with errors_as_ours():
                cursor, keys = await self._connection.client.scan(
                    cursor, match=self._keys.head("*"), count=HEADS_AT_ONCE
                )
            owners = [SessionId(str(key).rpartition(":")[2]) for key in keys]
            rested += await self._let_rest_of(owners, after_seconds)
            is_first = False
        return rested

    async def _let_rest_of(self, owners: Sequence[SessionId], after_seconds: int) -> int:
        async with self._database.connection() as connection:
            rows = await connection.fetch(_POSITIONS, owners)
        calls = [self._rest(SessionId(owner), last, after_seconds) for owner, last in rows if last > 0]
        answers = await self._connection.run(*calls) if calls else []
        return sum(answer == 1 for answer in answers)

    def _rest(self, owner: SessionId, last: int, after_seconds: int) -> Call:
        keys = [self._keys.head(owner), self._keys.log(owner), self._keys.claims(owner), self._keys.ids]
        return Call("rest", keys, [last, after_seconds])

    async def ship(self, owner: SessionId) -> int:
        """Bring one session up to date with what Redis holds now. The position the database has then."""
        # First: what is appended from here on leaves a note of its own.
        _, head = await self._connection.run(
            Call("begin_shipping", [self._keys.head(owner)]), Call("head", [self._keys.head(owner)])
        )
        last, epoch = await self._last(owner)
        if isinstance(head, list) and head[0] == "known" and int(head[1]) < epoch:
            await self._check_stale(owner, int(head[2]))
            return last
        is_more = True
        while is_more:
            entries = await self._connection.entries(self._keys.log(owner), after=last, limit=EVENTS_AT_ONCE)
            if not entries or not await self._import(owner, entries):
                break
            last, is_more = entries[-1].seq, len(entries) == EVENTS_AT_ONCE
        if last > self._kept:
            await self._connection.run_one(Call("trim", [self._keys.log(owner), self._keys.ids], [last - self._kept]))
        return last

    async def _last(self, owner: SessionId) -> tuple[int, int]:
        """How far the database is, and the epoch of its last event."""
        async with self._database.connection() as connection:
            row = await connection.fetchrow(_LAST, owner)
        return (0, 0) if row is None else (row["last_seq"], row["epoch"] or 0)

    async def _check_stale(self, owner: SessionId, last: int) -> None:
        """The database has events of a later epoch: since then another Redis is the log (a failover that this one did
        not notice), and what was appended here afterwards belongs nowhere. Nothing of it is shipped.
        """
        for entry in await self._connection.entries(self._keys.log(owner), after=last - 1, limit=1):
            async with self._database.connection() as connection:
                held = await connection.fetchval(_HELD, owner, entry.seq)
            if held != entry.fields["i"]:
                self._report(owner, "stale", f"position {entry.seq} was given out by a Redis that is the log no more")

    async def _import(self, owner: SessionId, entries: Sequence[StreamEntry]) -> bool:
        try:
            columns = _columns(entries)
        except (ValueError, KeyError, TypeError) as error:
            return self._report(owner, "undecodable", f"an entry behind position {entries[0].seq - 1}: {error!r}")
        try:
            async with self._database.transaction() as connection:
                row = await connection.fetchrow(_IMPORT, owner, *columns)
        except asyncpg.PostgresError as error:  # what may pass is a `StoreUnavailableError` by now
            return self._report(owner, "refused", f"behind position {entries[0].seq - 1}: {error}")
        assert row is not None, "the function answers once"
        failpoint("shipper.after_commit")
        if row["verdict"] == "imported":
            return True
        return self._report(owner, row["verdict"], f"position {row['at_seq']}: {row['detail']}")

    def _report(self, owner: SessionId, verdict: str, what: str) -> bool:
        """Alarm, and leave the session as it is: a person has to look. Others are shipped all the same."""
        message = f"Redis does not fit the database: {what}"
        self._alarm(Alarm(kind=f"shipping_{verdict}", session_id=owner, message=message))
        return False

    async def _abandoned(self) -> list[tuple[str, dict[str, str]]]:
        try:
            _, notes, *_ = await self._connection.client.xautoclaim(
                self._keys.shipping, GROUP, self._name, IDLE_MS, count=NOTES_AT_ONCE
            )
        except ResponseError as error:
            await self._make_group(error)
            return []
        return [(note_id, fields) for note_id, fields in notes if fields]

    async def _read(self, start: str) -> list[tuple[str, dict[str, str]]]:
        """Fresh notes (`>`), or those given to this shipper that it did not finish with (`0`)."""
        try:
            streams = await self._connection.client.xreadgroup(
                GROUP, self._name, {self._keys.shipping: start}, count=NOTES_AT_ONCE
            )
        except ResponseError as error:
            await self._make_group(error)
            return []
        return _notes(streams)

    async def _make_group(self, error: ResponseError) -> None:
        """The group is gone if Redis forgot everything, and was never there at the first start."""
        if "NOGROUP" not in str(error):
            raise error
        try:
            await self._connection.client.xgroup_create(self._keys.shipping, GROUP, id="0", mkstream=True)
        except ResponseError as race:
            if "BUSYGROUP" not in str(race):
                raise


def _notes(streams: Any) -> list[tuple[str, dict[str, str]]]:
    pairs: Iterable[Any] = streams.values() if isinstance(streams, dict) else [found for _, found in streams or ()]
    return [(note_id, fields) for found in pairs for note_id, fields in _flat(found)]


def _flat(found: Any) -> list[tuple[str, dict[str, str]]]:
    return [note for part in found for note in (part if isinstance(part, list) else [part])]


def _columns(entries: Sequence[StreamEntry]) -> list[list[Any]]:
    fields = [entry.fields for entry in entries]
    payloads = [from_json(entry["p"]) for entry in fields]
    return [
        [entry.seq for entry in entries],
        [int(entry["e"]) for entry in fields],
        [entry["i"] for entry in fields],
        [payload["type"] for payload in payloads],
        [datetime.fromisoformat(payload["timestamp"]) for payload in payloads],
        [entry["p"] for entry in fields],
        [entry.get("k") for entry in fields],
        [bytes.fromhex(entry["c"]) if "c" in entry else None for entry in fields],
        [int(entry["n"]) if "n" in entry else None for entry in fields],
    ]
