"""Begin a session in Redis with what the database says: at its first event, and after Redis restarted or forgot.

The database counts the epochs, so that no two lives of a session share one. If Redis is behind the database, something
acknowledged was lost there; the numbering goes on from the database and an alarm tells of it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from batuta.events.log import Alarm, AlarmListener
from batuta.eventstore.postgres_append import Executor
from batuta.eventstore.postgres_database import PostgresPool
from batuta.eventstore.redis_connection import Call, RedisConnection
from batuta.eventstore.redis_scripts import Keys, payload_digest
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import SessionId

REMEMBERED = 1_000
"""How many of the last events of a session are recognised if they are sent again after Redis forgot them."""

_LOCK = "SELECT pg_advisory_lock(hashtextextended(id, 0)) FROM unnest($1::text[]) AS wanted (id)"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(id, 0)) FROM unnest($1::text[]) AS wanted (id)"
_MAKE_NEW = """
INSERT INTO log_heads (session_id, epoch, last_seq, fence, link, is_seeded)
SELECT wanted.id, 1, 0, 0, decode(repeat('00', 32), 'hex'), true FROM unnest($1::text[]) AS wanted (id)
ON CONFLICT (session_id) DO UPDATE SET is_seeded = true RETURNING session_id, epoch, fence"""
_SELECT_KNOWN = "SELECT session_id FROM log_heads WHERE session_id = ANY($1) AND (is_seeded OR last_seq > 0)"
_LOCK_HEAD = "SELECT epoch, last_seq, fence, is_seeded FROM log_heads WHERE session_id = $1 FOR UPDATE"
_NEXT_LIFE = "UPDATE log_heads SET epoch = $2, is_seeded = true WHERE session_id = $1"
_SELECT_CLAIMS = "SELECT client_key, epoch, first_seq, content FROM client_keys WHERE session_id = $1"
_SELECT_IDS = """
SELECT event_id, epoch, seq, payload FROM message_events WHERE session_id = $1 AND payload IS NOT NULL
ORDER BY seq DESC LIMIT $2"""


class Seeder:
    """Compares sessions in Redis with the database."""

    def __init__(
        self, connection: RedisConnection, database: PostgresPool, keys: Keys, *, on_alarm: AlarmListener
    ) -> None:
        self._connection = connection
        self._database = database
        self._keys = keys
        self._alarm = on_alarm

    async def ensure(self, owner: SessionId) -> None:
        """Seed a session unless this life of Redis knows it."""
        if await self._unknown([owner]):
            await self.seed([owner])

    async def seed(self, owners: Iterable[SessionId]) -> None:
        """Give Redis the sessions as the database has them, each in an epoch of its own unless it is new.

        One process at a time for each session: another that came between the two stores would take a session that is
        just being begun for one that Redis forgot.
        """
        wanted = sorted(set(owners))
        async with self._database.writer() as connection:
            await connection.execute(_LOCK, wanted)
            unknown = await self._unknown(wanted)
            known = {row[0] for row in await connection.fetch(_SELECT_KNOWN, list(unknown))}
            await self._begin(connection, [owner for owner in unknown if owner not in known])
            for owner, status in unknown.items():
                if owner in known:
                    await self._begin_again(connection, owner, status)
            await connection.execute(_UNLOCK, wanted)

    async def _unknown(self, owners: Sequence[SessionId]) -> dict[SessionId, str]:
        answers = await self._run([Call("head", [self._keys.head(owner)]) for owner in owners])
        return {owner: status for owner, (status, *_) in zip(owners, answers, strict=True) if status != "known"}

    async def _begin(self, connection: Executor, owners: Sequence[SessionId]) -> None:
        """Sessions that were never in Redis, and of which the database has no events.

        They are announced in Redis first: an announcement found later, beside a row without events, means that
        the seeding got no further than this, and that nothing was lost.
        """
        await self._run([Call("announce", [self._keys.head(owner)]) for owner in owners])
        rows = await connection.fetch(_MAKE_NEW, owners)
        await self._run(
            [Call("seed", [self._keys.head(owner)], [owner, epoch, 0, fence, 0]) for owner, epoch, fence in rows]
        )

    async def _begin_again(self, connection: Executor, owner: SessionId, status: str) -> None:
        async with connection.transaction():
            (row,) = await connection.fetch(_LOCK_HEAD, owner)
            last = row["last_seq"]
            was_known = last > 0 or (row["is_seeded"] and status != "begun")
            epoch = row["epoch"] + int(was_known and status != "resting")
            await connection.execute(_NEXT_LIFE, owner, epoch)
            claims = await connection.fetch(_SELECT_CLAIMS, owner)
            events = await connection.fetch(_SELECT_IDS, owner, REMEMBERED)
        arguments: list[str | bytes | int] = [owner, epoch, last, row["fence"], len(claims)]
        for key, at_epoch, first, content in claims:
            arguments += (key, f"{at_epoch} {first} {content.hex()}")
        for event_id, at_epoch, seq, payload in events:
            arguments += (event_id, f"{owner} {at_epoch} {seq} {payload_digest(payload)}")
        verdict, had = await self._connection.run_one(Call("seed", [self._keys.head(owner)], arguments))
        if verdict == "seeded" and was_known and (int(had) < 0 or int(had) < last):
            self._alarm_of_loss(owner, int(had), last, epoch)

    async def _run(self, calls: Sequence[Call]) -> list[Any]:
        answers = await self._connection.run(*calls) if calls else []
        for answer in answers:
            if isinstance(answer, Exception):
                raise StoreUnavailableError(f"Redis did not do it: {answer}") from answer
        return answers

    def _alarm_of_loss(self, owner: SessionId, had: int, last: int, epoch: int) -> None:
        what = "forgot the session" if had < 0 else f"went back to position {had}"
        self._alarm(
            Alarm(
                kind="log_went_back",
                session_id=owner,
                message=f"Redis {what}; the database has {last}, from where it goes on in epoch {epoch}",
                facts={"redis": had, "database": last, "epoch": epoch},
            )
        )
