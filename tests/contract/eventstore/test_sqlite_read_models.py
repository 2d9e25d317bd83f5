"""When the read models in an SQLite file follow the log: with an event that needs its rows, else a little later."""

import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from batuta.events.envelope import Event
from batuta.events.runtime import LlmResponse
from batuta.eventstore import sqlite_append, sqlite_projections
from batuta.eventstore.readmodels import CONSUMER
from batuta.kernel import failpoints
from batuta.kernel.ids import SessionId, new_id
from batuta.testing.eventlog import noted, said
from tests.contract.eventstore.test_projections import a_turn, tables
from tests.support.stores import Store, sqlite_opener


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with sqlite_opener(str(tmp_path / "log.db"))() as opened:
        yield opened


async def marks(store: Store) -> int:
    return len(await store.projections.behind())


async def test_the_end_of_a_turn_brings_the_rows_of_the_whole_turn(store: Store) -> None:
    """Without the projector, and without reading anything back."""
    session = new_id()
    asked, *work, end = (event for event in a_turn(session) if not event.type.startswith("approval"))
    await store.log.append(session, [asked])
    assert len(await store.projections.rows("messages")) == 1
    for event in work:
        await store.log.append(session, [event])
    assert (len(await store.projections.rows("messages")), await marks(store)) == (1, 1)
    await store.log.append(session, [end])
    found = await tables(store)
    assert await marks(store) == 0
    await store.projector.rebuild()
    assert found == await tables(store)


async def test_the_projector_need_not_read_back_what_its_process_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = new_id()
    await store.log.append(session, [event for event in a_turn(session) if isinstance(event, LlmResponse)])
    monkeypatch.setattr(sqlite_projections, "_record", None)
    assert await store.projector.catch_up() == 2
    assert len(await store.projections.rows("usage")) == 2


@pytest.mark.parametrize("seed", range(12))
async def test_however_processes_meet_the_rows_are_those_of_the_log(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Two processes append to the same sessions, projectors look in between, little is kept in memory."""
    monkeypatch.setattr(sqlite_append, "MOST_SESSIONS", 2)
    monkeypatch.setattr(sqlite_append, "MOST_LACKING", 6)
    rng, sessions = random.Random(seed), [new_id() for _ in range(4)]
    ahead = {session: list[Event](a_turn(session)) for session in sessions}
    async with sqlite_opener(str(tmp_path / "log.db"))() as other:
        while any(ahead.values()):
            session = rng.choice([one for one in sessions if ahead[one]])
            count, at = rng.randint(1, 3), rng.choice((store, other))
            batch, ahead[session] = ahead[session][:count], ahead[session][count:]
            await at.log.append(session, batch)
            if rng.random() < 0.2:
                await rng.choice((store, other)).projector.run_once()
        await other.projector.catch_up()
    assert await marks(store) == 0
    found = await tables(store)
    await store.projector.rebuild()
    assert found == await tables(store)


async def test_what_was_not_committed_is_in_no_read_model(store: Store) -> None:
    """Its place in the log may be taken by something else."""
    session = new_id()
    await store.log.append(session, [said("hello"), noted("a")])
    with failpoints.active({"log.append.before_commit": "raise"}), pytest.raises(failpoints.InjectedFaultError):
        await store.log.append(session, [event for event in a_turn(session) if isinstance(event, LlmResponse)][:1])
    await store.log.append(session, [noted("b")])
    await store.log.append(session, [said("and again")])
    await store.projector.catch_up()
    assert await store.projections.rows("usage") == []
    assert len(await store.projections.rows("messages")) == 2


async def test_is13_nothing_erased_comes_back_out_of_memory(store: Store) -> None:
    session = SessionId(new_id())
    await store.audit.assign(session, "ana")
    asked, *work, end = a_turn(session)
    await store.log.append(session, [asked])
    await store.log.append(session, [event for event in work if not event.type.startswith("approval")])
    await store.audit.erase("ana")
    await store.log.append(session, [end])
    await store.projector.catch_up()
    assert await store.projections.rows("tool_executions") == []
    assert "pay the invoice" not in str(await tables(store))


async def test_long_work_is_followed_before_its_end(store: Store) -> None:
    session, size = new_id(), 60
    for first in range(0, sqlite_append.MOST_LACKING + size, size):
        await store.log.append(session, [noted(f"{first + n}") for n in range(size)])
    (row,) = await store.projections.rows("sessions")
    assert row["last_seq"] > sqlite_append.MOST_LACKING


async def test_marks_say_that_the_read_models_are_behind_and_go_when_they_are_not(store: Store) -> None:
    session = SessionId(new_id())
    for n in range(3):
        await store.log.append(session, [noted(f"{n}")])
    (lag,) = await store.log.behind(CONSUMER)
    assert (lag.session_id, lag.after) == (session, 0)
    assert (await store.projections.behind())[session] == (0, 3)
    assert await store.projections.project([session], max_events=2) == 2
    assert (await store.projections.behind())[session] == (2, 3)
    assert await store.projector.catch_up() == 1
    assert await store.projections.behind() == {}
