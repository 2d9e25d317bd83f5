"""The event log in Redis streams, with PostgreSQL behind it: phase one is one script, phase two ships to the database.

    append -> script: fence, number, store           (acknowledged when Redis has synced its file)
    ship   -> PostgreSQL, in order, then acknowledge (what the database holds may be trimmed from Redis)
    read   -> Redis where it has the records, the database where it has not

Redis is never the only home for long, and the database is the authority about epochs: when Redis forgot something, or
only restarted, the next append to a session first compares the two and begins a new epoch.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Unpack

from batuta.events.admission import Batch
from batuta.events.log import PAGE_SIZE, Appended, Durability, Head, Lag, Stored, StoredPage
from batuta.eventstore.base import LogOptions, StoreLog, check_position, check_range
from batuta.eventstore.decisions import fenced, key_conflict, sequence_conflict
from batuta.eventstore.grouping import GroupCommit
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.redis_connection import Call, RedisConnection
from batuta.eventstore.redis_scripts import Keys
from batuta.eventstore.redis_seed import Seeder
from batuta.eventstore.redis_shipping import Shipper
from batuta.kernel.errors import ConfigurationError, StoreUnavailableError
from batuta.kernel.failpoints import failpoint
from batuta.kernel.ids import SessionId
from batuta.kernel.ids import session_id as _session

DURABLE = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}

UNSEEDED = "unseeded"
PRESENT = ("known", "resting")
"""What Redis says of sessions whose position it knows."""
TAKEN = "equal or smaller than the target stream top item"
"""What Redis says when another program wrote to the stream of a session."""
_RESTARTED_AGAIN = "Redis restarted again while the session was being compared: send it again"
WRITERS = 2
"""One group is put together while the other is on its way."""


class RedisEventLog(StoreLog):
    """An `EventLog` in Redis, shipped to the database of a `PostgresEventLog`. It owns both connections."""

    def __init__(
        self, url: str, database: PostgresEventLog, *, prefix: str = "batuta", **options: Unpack[LogOptions]
    ) -> None:
        super().__init__(**options)
        self.keys = Keys(prefix)
        self.connection = RedisConnection(url, self.keys.tag)
        self.database = database
        self.shipper = Shipper(self.connection, database.database, self.keys, on_alarm=self._alarm)
        self._seeder = Seeder(self.connection, database.database, self.keys, on_alarm=self._alarm)
        self._group: GroupCommit[Batch, Appended] = GroupCommit(
            self._commit,
            weight=lambda batch: len(batch.entries),
            key=lambda batch: batch.session_id,
            workers=WRITERS,
        )

    async def append_together(self, batches: Sequence[Batch]) -> Sequence[Appended | BaseException]:
        """Append batches that have passed the gate in one step of the server: readers see all of them or none."""
        answers = await self._commit(batches)
        self.bells.ring([batch.session_id for batch in batches])
        return answers

    async def read_stored(
        self, session_id: str, *, after: int = 0, epoch: int | None = None, limit: int = PAGE_SIZE
    ) -> StoredPage:
        """See `EventLog.read_stored`."""
        owner = _session(session_id)
        check_range(after, limit)
        # Before the records: one that comes in between is then beyond this head, and left for the next page.
        head = await self.head(owner)
        if epoch is not None and after:
            held = await self._records(owner, after - 1, 1) if after <= head.last_seq else []
            check_position(owner, epoch=epoch, after=after, held=held[0][0] if held else None)
        rows = [Stored(*row) for row in await self._records(owner, after, limit) if row[1] <= head.last_seq]
        return StoredPage(session_id=owner, records=tuple(rows), head=head)

    async def head(self, session_id: str) -> Head:
        """See `EventLog.head`."""
        owner = _session(session_id)
        return await self._known_head(owner) or await self.database.head(owner)

    async def fence_in_redis(self, session_id: str) -> int:
        """The highest token Redis has seen; 0 if it does not know the session.

        It takes no connection of the database's pool, so that a caller that holds one can ask.
        """
        head = await self._known_head(_session(session_id))
        return 0 if head is None else head.fence

    async def raise_fence(self, session_id: str, fence: int) -> None:
        """See `EventLog.raise_fence`. In the database too, so that it outlives Redis."""
        await self.database.raise_fence(session_id, fence)
        await self.highest_fence(session_id, fence)

    async def highest_fence(self, session_id: str, fence: int) -> int:
        """Raise the fence in Redis to a token that the database knows already. The token that stands there then."""
        return await self._raise(_session(session_id), fence=fence)

    async def begin_epoch(self, session_id: str) -> int:
        """See `EventLog.begin_epoch`. The database gives out epochs."""
        owner = _session(session_id)
        await self._seeder.ensure(owner)
        epoch = await self.database.begin_epoch(owner)
        await self._raise(owner, epoch=epoch)
        return epoch

    async def sessions(self, *, after: str | None = None, limit: int = PAGE_SIZE) -> Sequence[SessionId]:
        """See `EventLog.sessions`."""
        await self.shipper.ship_new()
        return await self.database.sessions(after=after, limit=limit)

    async def subscribe(self, consumer: str) -> None:
        """See `EventLog.subscribe`."""
        await self.database.subscribe(consumer)

    async def behind(self, consumer: str, *, limit: int = PAGE_SIZE) -> Sequence[Lag]:
        """See `EventLog.behind`."""
        await self.shipper.ship_all()
        return await self.database.behind(consumer, limit=limit)

    async def advance(self, consumer: str, session_id: str, *, after: int, to: int) -> None:
        """See `EventLog.advance`."""
        await self.shipper.ship(_session(session_id))
        await self.database.advance(consumer, session_id, after=after, to=to)

    async def durability(self) -> Durability:
        """See `EventLog.durability`."""
        settings = await self.connection.settings()
        weak = {name: settings.get(name) for name, value in DURABLE.items() if settings.get(name) != value}
        if weak:
            raise ConfigurationError(f"Redis acknowledges what it may lose: {weak}, needed is {DURABLE}")
        behind = await self.database.durability()
        return Durability(
            mode="redis always, then postgres synchronous",
            rpo_seconds=0.0,
            verified_at=self.clock.now(),
            settings={**behind.settings, **settings},
        )

    async def close(self) -> None:
        """See `EventLog.close`."""
        await self._group.close()
        await self.connection.close()
        await self.database.close()

    async def _store(self, batch: Batch) -> Appended:
        return await self._group.submit(batch)

    async def _commit(self, batches: Sequence[Batch]) -> Sequence[Appended | BaseException]:
        failpoint("log.append.before_commit")
        answers = await self._send(batches)
        unseeded = [index for index, answer in enumerate(answers) if answer == [UNSEEDED]]
        if unseeded:
            await self._seeder.seed(batches[index].session_id for index in unseeded)
            again = await self._send([batches[index] for index in unseeded])
            for index, answer in zip(unseeded, again, strict=True):
                answers[index] = answer
        failpoint("log.append.after_commit")
        return [_answer(batch, answer) for batch, answer in zip(batches, answers, strict=True)]

    async def _send(self, batches: Sequence[Batch]) -> list[Any]:
        """One call for all: what a call costs the client is most of what an append costs."""
        heads = [self.keys.head(batch.session_id) for batch in batches]
        arguments = [argument for batch in batches for argument in _arguments(batch)]
        (answers,) = await self.connection.run(Call("append", heads, arguments))
        if not isinstance(answers, Exception):
            return list(answers)
        if len(batches) == 1:
            return [answers]
        # One of them is to blame; what was stored before it is recognised when it comes again.
        return [answer for batch in batches for answer in await self._send([batch])]

    async def _known_head(self, owner: SessionId) -> Head | None:
        status, *found = await self._head(owner)
        if status == "stale":
            await self._seeder.seed([owner])
            status, *found = await self._head(owner)
        if status not in PRESENT:
            return None
        epoch, seq, fence = (int(text) for text in found)
        return Head(epoch=epoch, last_seq=seq, fence=fence)

    async def _head(self, owner: SessionId) -> list[str]:
        found: list[str] = await self.connection.run_one(Call("head", [self.keys.head(owner)]))
        return found

    async def _raise(self, owner: SessionId, *, fence: int = 0, epoch: int = 0) -> int:
        call = Call("raise", [self.keys.head(owner)], [fence, epoch])
        answer = await self.connection.run_one(call)
        if answer == UNSEEDED:
            await self._seeder.seed([owner])
            answer = await self.connection.run_one(call)
        if answer == UNSEEDED:
            raise StoreUnavailableError(_RESTARTED_AGAIN)
        return int(answer)

    async def _records(self, owner: SessionId, after: int, limit: int) -> list[tuple[int, int, str, str | None]]:
        """Rows behind a position: from Redis as far as it has them without a hole, else from the database."""
        entries = await self.connection.entries(self.keys.log(owner), after=after, limit=limit)
        rows: list[tuple[int, int, str, str | None]] = []
        for seq, fields in entries:
            if seq != after + 1 + len(rows):
                break
            # What another program put there is found to be unreadable when it is read, at its position.
            epoch = fields.get("e", "")
            rows.append((int(epoch) if epoch.isdecimal() else 0, seq, fields.get("i", ""), fields.get("p", "")))
        return rows or await self.database.rows(owner, after=after, limit=limit)

    async def heads(self, session_ids: Collection[str]) -> Mapping[SessionId, int]:
        """See `EventLog.heads`."""
        wanted = list(map(_session, session_ids))
        answers = await self.connection.run(*(Call("head", [self.keys.head(owner)]) for owner in wanted))
        known = zip(wanted, answers, strict=True)
        here = {owner: int(found[2]) for owner, found in known if isinstance(found, list) and found[0] in PRESENT}
        elsewhere = [owner for owner in wanted if owner not in here]
        found = {owner: last for owner, last in here.items() if last}
        return {**found, **await self.database.heads(elsewhere)} if elsewhere else found


def _arguments(batch: Batch) -> list[str | bytes | int]:
    fence = "" if batch.fence is None else batch.fence
    key, content = batch.client_key or "", batch.content.hex()
    arguments: list[str | bytes | int] = [batch.session_id, fence, key, content, len(batch.entries)]
    for entry in batch.entries:
        arguments += (entry.event_id, entry.payload)
    return arguments


def _answer(batch: Batch, answer: Any) -> Appended | BaseException:
    if isinstance(answer, Exception):
        if TAKEN in str(answer):
            return sequence_conflict(batch, why=str(answer))
        return StoreUnavailableError(f"Redis did not do it: {answer}")
    verdict, *facts = answer
    if verdict in ("appended", "repeated"):
        is_new = verdict == "appended"
        return Appended(epoch=int(facts[0]), first_seq=int(facts[1]), count=len(batch.entries), is_new=is_new)
    if verdict == "fenced":
        return fenced(batch, int(facts[2]))
    if verdict == "claimed":
        return key_conflict(batch)
    if verdict == UNSEEDED:
        return StoreUnavailableError(_RESTARTED_AGAIN)
    return sequence_conflict(batch, why=facts[2])
