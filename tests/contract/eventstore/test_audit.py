"""The hash-chained audit, on every store: what was tampered with is seen, what was erased still verifies."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from batuta.events.queue import NewWork, WorkStatus
from batuta.eventstore.audit import ChainHead, ChainRow, Erased, Verified, verify, verify_session
from batuta.eventstore.chain import SALT_BYTES, digest_of
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_audit import SqliteAudit
from batuta.kernel.errors import FencedError
from batuta.kernel.ids import SessionId, new_id
from batuta.testing.eventlog import everything, noted, said
from tests.contract.eventstore.test_projections import a_turn
from tests.support.stores import Store

CANARY = "canary-7f3a"
OWNER = "E2E10001-0000-7000-8000-000000000001"


Change = Callable[[list[ChainRow]], ChainRow]


class Tampered:
    """The audit of a store whose rows somebody changed on the way to the verifier."""

    def __init__(self, rows: list[ChainRow], head: ChainHead) -> None:
        self.rows, self.head = rows, head

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> list[ChainRow]:
        return [row for row in self.rows if row.seq > after][:limit]

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        return self.head

    async def assign(self, session_id: SessionId, user_id: str, *, tenant_id: str | None = None) -> None:
        raise NotImplementedError

    async def erase(self, user_id: str) -> Erased:
        raise NotImplementedError

    async def erase_session(self, session_id: SessionId) -> Erased:
        raise NotImplementedError


async def test_an_untouched_session_verifies(store: Store) -> None:
    """S-21: also over batches and epochs."""
    session = new_id()
    await store.log.append(session, a_turn(session))
    await store.log.begin_epoch(session)
    await store.log.append(session, [said("ünïcode 😀"), noted("b")])
    assert await verify_session(store.audit, session) == Verified(session_id=SessionId(session), records=17, erased=0)


async def test_the_whole_log_can_be_verified(store: Store) -> None:
    sessions = sorted(new_id() for _ in range(3))
    for session in sessions:
        await store.log.append(session, [said("x")])
    found = [verdict async for verdict in verify(store.log, store.audit)]
    assert [verdict.session_id for verdict in found] == sessions
    assert all(verdict.is_sound for verdict in found)


async def test_a_session_nobody_wrote_to_verifies(store: Store) -> None:
    assert (await verify_session(store.audit, new_id())).is_sound


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda rows: rows[1]._replace(payload='{"content": "other"}'), "position 2: the content"),
        (lambda rows: rows[1]._replace(salt=None), "position 2: the content"),
        (lambda rows: rows[1]._replace(type="other"), "position 2: it does not follow"),
        (lambda rows: rows[1]._replace(event_id=new_id()), "position 2: it does not follow"),
        (lambda rows: rows[1]._replace(epoch=2), "position 2: it does not follow"),
        (lambda rows: rows[1]._replace(link=bytes(32)), "position 2: it does not follow"),
        (lambda rows: rows[1]._replace(payload=None, salt=None, digest=bytes(32)), "position 2: it does not follow"),
    ],
    ids=["content", "salt", "type", "id", "epoch", "link", "digest"],
)
async def test_a_changed_record_is_seen(store: Store, change: Change, complaint: str) -> None:
    rows, head = await _chain_of_three(store)
    rows[1] = change(rows)
    verdict = await verify_session(Tampered(rows, head), OWNER)
    assert complaint in verdict.problems[0]


async def test_a_missing_record_is_seen(store: Store) -> None:
    rows, head = await _chain_of_three(store)
    verdict = await verify_session(Tampered([rows[0], rows[2]], head), OWNER)
    assert "records are missing" in verdict.problems[0]


async def test_a_missing_end_is_seen(store: Store) -> None:
    rows, head = await _chain_of_three(store)
    verdict = await verify_session(Tampered(rows[:2], head), OWNER)
    assert verdict.problems == ("the session stands at 3, its records end at 2",)


async def test_an_exchanged_end_is_seen(store: Store) -> None:
    rows, head = await _chain_of_three(store)
    verdict = await verify_session(Tampered(rows, head._replace(link=bytes(32))), OWNER)
    assert verdict.problems == ("the last record is not the one the session ended with",)


async def test_is11_an_erased_session_still_verifies_and_holds_nothing(store: Store) -> None:
    """S-21, IS-11: contents and salts are gone, positions and digests stay, other users' sessions too."""
    mine, other = new_id(), new_id()
    await store.queue.accept(NewWork(session_id=mine, user_id="ana", payload={"text": CANARY}), [said(CANARY)])
    await store.log.append(mine, a_turn(mine), fence=1)
    await store.queue.accept(NewWork(session_id=other, user_id="bob"), [said("bob's")])
    await store.projector.catch_up()
    assert await store.audit.erase("ana") == Erased(sessions=(SessionId(mine),), events=16)
    assert await verify_session(store.audit, mine) == Verified(session_id=SessionId(mine), records=16, erased=16)
    assert [record.event for record in await everything(store.log, mine)] == [None] * 16
    assert await store.projections.rows("messages", SessionId(mine)) == []
    assert [row["content"] for row in await store.projections.rows("messages", SessionId(other))] == ["bob's"]


async def test_what_an_erasure_leaves_does_not_tell_what_was_erased(store: Store) -> None:
    """S-21: a digest is of the content under a salt of its own; whoever guesses the content cannot confirm it."""
    session = SessionId(new_id())
    await store.audit.assign(session, OWNER)
    await store.log.append(session, [said("yes"), said("yes"), said("no")])
    await store.settle()
    before = await store.audit.chain(session, after=0, limit=10)
    assert len({row.salt for row in before}) == len(before)
    assert all(row.salt is not None and len(row.salt) == SALT_BYTES for row in before)
    await store.audit.erase(OWNER)
    for row, was in zip(await store.audit.chain(session, after=0, limit=10), before, strict=True):
        assert (row.payload, row.salt, row.digest) == (None, None, was.digest)
        assert row.digest == digest_of(was.salt or b"", str(was.payload))
        assert row.digest not in {digest_of(b"", str(was.payload)), sha256(str(was.payload).encode()).digest()}


async def test_numbers_for_billing_survive_the_erasure_and_a_rebuild(store: Store) -> None:
    session = new_id()
    await store.audit.assign(SessionId(session), "ana", tenant_id="t")
    await store.log.append(session, a_turn(session))
    await store.projector.catch_up()
    await store.audit.erase("ana")
    await store.projector.rebuild()
    rows = await store.projections.rows("usage", SessionId(session))
    assert [row["input_tokens"] for row in rows] == [10, None]
    assert {row["actor"] for row in await store.projections.rows("audit", SessionId(session))} == {"erased"}


async def test_is13_nothing_comes_back_after_an_erasure(store: Store) -> None:
    """IS-13: the running turn is cancelled and its owner fenced; projectors find nothing to do."""
    session = new_id()
    await store.queue.accept(NewWork(session_id=session, user_id="ana"), [said(CANARY)])
    lease = await store.queue.lease("worker")
    assert lease is not None
    await store.audit.erase("ana")
    with pytest.raises(FencedError):
        await store.log.append(session, [noted("late", CANARY)], fence=lease.fence)
    with pytest.raises(FencedError):
        await store.queue.heartbeat(lease)
    work = await store.queue.get(lease.work.turn_id)
    assert work is not None
    assert (work.status, work.payload, work.user_id) == (WorkStatus.CANCELLED, {}, None)
    assert await store.projector.catch_up() == 0


async def test_erasing_twice_erases_nothing_more(store: Store) -> None:
    session = new_id()
    await store.audit.assign(SessionId(session), "ana")
    await store.log.append(session, [said("x")])
    await store.audit.erase("ana")
    assert await store.audit.erase("ana") == Erased(sessions=(), events=0)
    assert await store.audit.erase("nobody") == Erased(sessions=(), events=0)


async def test_one_session_is_erased_and_the_others_stay(store: Store) -> None:
    """Whoever owns it, and also if nobody does; the chain still verifies."""
    mine, other = SessionId(new_id()), SessionId(new_id())
    await store.audit.assign(mine, "ana")
    for session in (mine, other):
        await store.log.append(session, [said(CANARY), noted("b")])
    await store.projector.catch_up()
    assert await store.audit.erase_session(mine) == Erased(sessions=(mine,), events=2)
    assert await store.audit.erase_session(mine) == Erased(sessions=(), events=0)
    verdicts = {session: await verify_session(store.audit, session) for session in (mine, other)}
    assert [verdicts[session].erased for session in (mine, other)] == [2, 0]
    assert all(verdict.is_sound for verdict in verdicts.values())
    assert not (await store.log.read(mine, after=0)).events
    assert len((await store.log.read(other, after=0)).events) == 2
    assert (await store.audit.erase_session(other)).sessions == (other,)


async def test_sessions_are_erased_one_after_the_other_while_redis_rewrites_its_file(store: Store) -> None:
    """A rewrite that is running may hold what is to be forgotten: each erasure gets one that began after it."""
    sessions = [SessionId(new_id()) for _ in range(5)]
    for session in sessions:
        await store.log.append(session, [said(CANARY)])
    await store.projector.catch_up()
    for session in sessions:
        assert (await store.audit.erase_session(session)).sessions == (session,)


async def test_an_erased_session_is_overwritten_in_the_file(tmp_path: Path) -> None:
    """Without rewriting the rest of it."""
    session = SessionId(new_id())
    async with SqliteEventLog(tmp_path / "team.db") as log:
        await log.append(session, [said(f"{number} {CANARY} " * 300) for number in range(20)])
        await SqliteAudit(log).erase_session(session)
        assert _files_with_canary(tmp_path) == []


async def test_the_first_owner_of_a_session_stays(store: Store) -> None:
    session = SessionId(new_id())
    await store.audit.assign(session, "ana")
    await store.audit.assign(session, "eve")
    assert (await store.audit.erase("eve")).sessions == ()


async def test_is11_an_erased_text_is_in_no_file(tmp_path: Path) -> None:
    """IS-11: not in the database file, not in its write-ahead log."""
    session = new_id()
    async with SqliteEventLog(tmp_path / "team.db") as log:
        await log.append(session, [said(CANARY)])
        audit = SqliteAudit(log)
        await audit.assign(SessionId(session), "ana")
        assert _files_with_canary(tmp_path)
        await audit.erase("ana")
        assert _files_with_canary(tmp_path) == []


def _files_with_canary(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir() if CANARY.encode() in path.read_bytes()]


async def _chain_of_three(store: Store) -> tuple[list[ChainRow], ChainHead]:
    session = SessionId(OWNER)
    await store.log.append(session, [said("a"), said("b"), said("c")])
    return list(await store.audit.chain(session, after=0, limit=10)), await store.audit.chain_head(session)
