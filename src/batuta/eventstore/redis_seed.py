"""Begin a session in Redis with what the database says: at its first event, and after Redis restarted or forgot.

The database counts the epochs, so that no two lives of a session share one. If Redis is behind the database, something
acknowledged was lost there; the numbering goes on from the database and an alarm tells of it.
"""

from batuta.events.log import Alarm, AlarmListener
from batuta.eventstore.postgres_database import PostgresDatabase
from batuta.eventstore.redis_connection import Call, RedisConnection
from batuta.eventstore.redis_scripts import Keys, payload_digest
from batuta.kernel.ids import SessionId

REMEMBERED = 1_000
"""How many of the last events of a session are recognised if they are sent again after Redis forgot them."""

_MAKE_HEAD = """
INSERT INTO log_heads (session_id, epoch, last_seq, fence, link) VALUES ($1, 1, 0, 0, decode(repeat('00', 32), 'hex'))
ON CONFLICT DO NOTHING"""
_LOCK_HEAD = "SELECT epoch, last_seq, fence, is_seeded FROM log_heads WHERE session_id = $1 FOR UPDATE"
_NEXT_LIFE = "UPDATE log_heads SET epoch = $2, is_seeded = true WHERE session_id = $1"
_SELECT_CLAIMS = "SELECT client_key, epoch, first_seq, content FROM client_keys WHERE session_id = $1"
_SELECT_IDS = """
SELECT event_id, epoch, seq, payload FROM message_events WHERE session_id = $1 AND payload IS NOT NULL
ORDER BY seq DESC LIMIT $2"""


class Seeder:
    """Compares sessions in Redis with the database."""

    def __init__(
        self, connection: RedisConnection, database: PostgresDatabase, keys: Keys, *, on_alarm: AlarmListener
    ) -> None:
        self._connection = connection
        self._database = database
        self._keys = keys
        self._alarm = on_alarm

    async def ensure(self, owner: SessionId) -> None:
        """Seed a session unless this life of Redis knows it."""
        status, *_ = await self._connection.run_one(Call("head", [self._keys.head(owner)]))
        if status != "known":
            await self.seed(owner)

    async def seed(self, owner: SessionId) -> None:
        """Give Redis the session as the database has it, in an epoch of its own unless it is new."""
        async with self._database.transaction() as connection:
            await connection.execute(_MAKE_HEAD, owner)
            (row,) = await connection.fetch(_LOCK_HEAD, owner)
            last, was_known = row["last_seq"], row["is_seeded"] or row["last_seq"] > 0
            epoch = row["epoch"] + int(was_known)
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
