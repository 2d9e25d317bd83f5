"""Random clients on the log and the queue, against a model that is nothing but lists. Seeds are fixed."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from batuta.events.conversation import UserMessage
from batuta.events.log import Appended
from batuta.events.queue import Accepted, Lease, NewWork, TurnQueue, WorkStatus
from batuta.eventstore.audit import verify_session
from batuta.kernel.errors import FencedError, SequenceConflictError, StaleEpochError, StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import everything, said
from tests.support.eventstore import empty
from tests.support.servers import PostgresServer, RedisServer
from tests.support.stores import Opener, Store, memory_opener, postgres_opener, redis_opener, sqlite_opener

T = TypeVar("T")
SESSIONS = ["E2E10001-0000-7000-8000-00000000000A", "E2E10001-0000-7000-8000-00000000000B"]
LONG, EXPIRED = timedelta(hours=1), timedelta(seconds=-1)


class StoreMachine(RuleBasedStateMachine):
    """OR-12: append, repeat, crash and reopen, take over, new epochs, resume; accept, lease, lose, pause, finish."""

    opener: Opener
    clean: Any = staticmethod(lambda: None)
    shutdown: Any = staticmethod(lambda: None)
    """What a store has to go through at a crash, besides losing its client."""
    epochs_of_a_crash: tuple[int, ...] = (0,)
    """By how many epochs a crash may put a session further."""

    sent = Bundle("sent")
    leases = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.log: dict[str, list[tuple[int, str]]] = {session: [] for session in SESSIONS}
        self.epochs = dict.fromkeys(SESSIONS, 1)
        self.fences = dict.fromkeys(SESSIONS, 0)
        self.turns: dict[str, list[tuple[str, WorkStatus]]] = {session: [] for session in SESSIONS}
        self.current: dict[str, int] = {}

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    @initialize()
    def open(self) -> None:
        self.clean()
        self.store: Store = self.run(self.stack.enter_async_context(type(self).opener()))

    @rule(target=sent, session=st.sampled_from(SESSIONS), size=st.integers(1, 3))
    def append(self, session: str, size: int) -> tuple[str, list[UserMessage], Appended]:
        batch = [said("x") for _ in range(size)]
        answer = self.run(self.store.log.append(session, batch))
        first = len(self.log[session]) + 1
        assert answer == Appended(epoch=self.epochs[session], first_seq=first, count=size)
        self.log[session] += [(self.epochs[session], event.event_id) for event in batch]
        return session, batch, answer

    @rule(entry=sent)
    def send_again(self, entry: tuple[str, list[UserMessage], Appended]) -> None:
        session, batch, answer = entry
        assert self.run(self.store.log.append(session, batch)) == answer

    @rule(entry=sent, session=st.sampled_from(SESSIONS))
    def send_to_the_wrong_session(self, entry: tuple[str, list[UserMessage], Appended], session: str) -> None:
        owner, batch, _ = entry
        if session != owner:
            with pytest.raises(SequenceConflictError):
                self.run(self.store.log.append(session, batch))

    @rule(session=st.sampled_from(SESSIONS), step=st.integers(-2, 2))
    def append_as_owner(self, session: str, step: int) -> None:
        fence = max(0, self.fences[session] + step)
        event = said("owned")
        if fence < self.fences[session]:
            with pytest.raises(FencedError):
                self.run(self.store.log.append(session, [event], fence=fence))
            return
        self.run(self.store.log.append(session, [event], fence=fence))
        self.fences[session] = fence
        self.log[session].append((self.epochs[session], event.event_id))

    @rule(session=st.sampled_from(SESSIONS), clients=st.integers(2, 6))
    def append_at_once(self, session: str, clients: int) -> None:
        """Several clients, half of them in another process, each sending its own event twice."""
        events = [said("at once") for _ in range(clients)]

        async def all_of_them() -> list[Appended]:
            async with type(self).opener() as other:
                logs = [(self.store.log, other.log)[number % 2] for number in range(clients)]
                calls = [log.append(session, [event]) for log, event in zip(logs, events, strict=True)]
                again = [other.log.append(session, [event]) for event in events]
                answers = await asyncio.gather(*calls, *again)
            assert answers[:clients] == answers[clients:]
            return answers[:clients]

        answers = self.run(all_of_them())
        placed = sorted(zip((answer.first_seq for answer in answers), events, strict=True), key=lambda pair: pair[0])
        assert [seq for seq, _ in placed] == [len(self.log[session]) + 1 + index for index in range(clients)]
        self.log[session] += [(self.epochs[session], event.event_id) for _, event in placed]

    @rule(clients=st.integers(2, 4))
    def lease_at_once(self, clients: int) -> None:
        """Several workers, half of them in another process: nobody gets what another got; all is given back."""

        async def all_of_them() -> list[Lease | None]:
            async with type(self).opener() as other:
                queues = [(self.store.queue, other.queue)[number % 2] for number in range(clients)]
                calls = [queue.lease(f"w{number}", length=LONG) for number, queue in enumerate(queues)]
                return list(await asyncio.gather(*calls))

        taken = [lease for lease in self.run(all_of_them()) if lease is not None]
        ready = [turn for turn, status in filter(None, map(self._first_open, SESSIONS)) if status is WorkStatus.QUEUED]
        assert len({lease.work.turn_id for lease in taken}) == len(taken)
        assert {lease.work.turn_id for lease in taken} <= set(ready)
        assert taken or not ready
        for lease in taken:
            self.fences[str(lease.work.session_id)] = lease.fence
            self.run(self.store.queue.release(lease))

    @rule(session=st.sampled_from(SESSIONS), clients=st.integers(2, 4))
    def accept_at_once(self, session: str, clients: int) -> None:
        """One message, sent by several clients under one key: one turn, one event."""
        key = new_id()

        async def all_of_them() -> list[Accepted]:
            async with type(self).opener() as other:
                queues = [(self.store.queue, other.queue)[number % 2] for number in range(clients)]
                return list(await asyncio.gather(*(self._accept_until_heard(queue, session, key) for queue in queues)))

        (turn,) = {accepted.work.turn_id for accepted in self.run(all_of_them())}
        (event_id,) = [
            record.event.event_id
            for record in self.run(everything(self.store.log, session))[len(self.log[session]) :]
            if record.event is not None
        ]
        self.turns[session].append((turn, WorkStatus.QUEUED))
        self.log[session].append((self.epochs[session], event_id))

    async def _accept_until_heard(self, queue: TurnQueue, session: str, key: str) -> Accepted:
        while True:
            try:
                work = NewWork(session_id=session, max_attempts=99)
                return await queue.accept(work, [said("many times")], client_key=key)
            except StoreUnavailableError:
                await asyncio.sleep(0.01)

    @rule(session=st.sampled_from(SESSIONS))
    def begin_epoch(self, session: str) -> None:
        self.epochs[session] += 1
        assert self.run(self.store.log.begin_epoch(session)) == self.epochs[session]

    @rule()
    def crash_and_reopen(self) -> None:
        self.run(self.stack.aclose())
        self.shutdown()
        self.store = self.run(self.stack.enter_async_context(type(self).opener()))
        for session in SESSIONS:
            epoch = self.run(self.store.log.head(session)).epoch
            assert epoch - self.epochs[session] in self.epochs_of_a_crash
            self.epochs[session] = epoch

    @rule(session=st.sampled_from(SESSIONS), epoch=st.integers(1, 3), after=st.integers(0, 12))
    def resume_reading(self, session: str, epoch: int, after: int) -> None:
        log = self.log[session]
        is_good = after == 0 or (after <= len(log) and log[after - 1][0] == epoch)
        if not is_good:
            with pytest.raises(StaleEpochError):
                self.run(self.store.log.read(session, after=after, epoch=epoch))
            return
        page = self.run(self.store.log.read(session, after=after, epoch=epoch, limit=5))
        assert [record.seq for record in page.records] == list(range(after + 1, min(after + 5, len(log)) + 1))

    @rule(session=st.sampled_from(SESSIONS))
    def accept(self, session: str) -> None:
        message = said("a turn")
        accepted = self.run(self.store.queue.accept(NewWork(session_id=session, max_attempts=99), [message]))
        self.turns[session].append((accepted.work.turn_id, WorkStatus.QUEUED))
        self.log[session].append((self.epochs[session], message.event_id))

    @rule(target=leases, is_lost=st.booleans())
    def lease(self, is_lost: bool) -> Lease | None:
        found = self.run(self.store.queue.lease("worker", length=EXPIRED if is_lost else LONG))
        expected = [self._first_open(session) for session in SESSIONS]
        ready = {turn for turn, status in filter(None, expected) if status is WorkStatus.QUEUED}
        if found is None:
            assert not ready
            return None
        session = str(found.work.session_id)
        assert found.work.turn_id in ready
        assert found.fence > self.fences[session]
        self.fences[session] = found.fence
        self.current[found.work.turn_id] = found.fence
        self._set(found.work.turn_id, WorkStatus.RUNNING)
        return found

    @rule(lease=leases)
    def heartbeat(self, lease: Lease | None) -> None:
        if lease is None:
            return
        renewed = replace(lease)
        if self._owns(lease):
            assert self.run(self.store.queue.heartbeat(renewed)) is False
        else:
            with pytest.raises(FencedError):
                self.run(self.store.queue.heartbeat(renewed))

    @rule(lease=consumes(leases))
    def finish(self, lease: Lease | None) -> None:
        if lease is None:
            return
        session, event = str(lease.work.session_id), said("the end")
        if not self._owns(lease) or lease.fence < self.fences[session]:
            with pytest.raises(FencedError):
                self.run(self.store.queue.finish(lease, "completed", [event]))
            return
        self.run(self.store.queue.finish(lease, "completed", [event]))
        self._set(lease.work.turn_id, WorkStatus.COMPLETED)
        self.log[session].append((self.epochs[session], event.event_id))

    @rule(lease=leases)
    def pause_and_resume(self, lease: Lease | None) -> None:
        if lease is None or not self._owns(lease):
            return
        self.run(self.store.queue.pause(lease, waiting_for="a1"))
        assert self.run(self.store.queue.resume(lease.work.turn_id, waiting_for="a1"))
        self._set(lease.work.turn_id, WorkStatus.QUEUED)

    @rule()
    def recover(self) -> None:
        found = self.run(self.store.queue.recover())
        for turn in found.requeued:
            assert self._status(turn) is WorkStatus.RUNNING
            self._set(turn, WorkStatus.QUEUED)

    @invariant()
    @precondition(lambda self: hasattr(self, "store"))
    def the_log_is_the_list(self) -> None:
        for session in SESSIONS:
            stored = [
                (record.epoch, record.event.event_id)
                for record in self.run(everything(self.store.log, session))
                if record.event is not None
            ]
            assert stored == self.log[session]
            head = self.run(self.store.log.head(session))
            assert (head.last_seq, head.fence) == (len(stored), self.fences[session])

    def teardown(self) -> None:
        if hasattr(self, "store"):
            for session in SESSIONS:
                assert self.run(verify_session(self.store.audit, session)).is_sound
        self.run(self.stack.aclose())
        self.loop.close()

    def _first_open(self, session: str) -> tuple[str, WorkStatus] | None:
        return next(
            ((turn, status) for turn, status in self.turns[session] if status is not WorkStatus.COMPLETED), None
        )

    def _status(self, turn_id: str) -> WorkStatus:
        return next(status for turns in self.turns.values() for turn, status in turns if turn == turn_id)

    def _set(self, turn_id: str, status: WorkStatus) -> None:
        for session, turns in self.turns.items():
            self.turns[session] = [(turn, status if turn == turn_id else was) for turn, was in turns]

    def _owns(self, lease: Lease) -> bool:
        is_current = self.current.get(lease.work.turn_id) == lease.fence
        return is_current and self._status(lease.work.turn_id) is WorkStatus.RUNNING


def explore(examples: int, **attributes: Any) -> None:
    machine = type("Machine", (StoreMachine,), attributes)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_or12_memory_behaves_like_the_model() -> None:
    explore(120, **_renewed(memory_opener))


def test_or12_sqlite_behaves_like_the_model(tmp_path: Path) -> None:
    explore(25, **_renewed(lambda: sqlite_opener(str(tmp_path / f"{new_id()}.db"))))


def test_or12_postgres_behaves_like_the_model(
    postgres_server: PostgresServer, migrated_database: str, log_url: str
) -> None:
    explore(
        15,
        opener=staticmethod(postgres_opener(log_url)),
        clean=staticmethod(lambda: empty(postgres_server, migrated_database)),
    )


def test_or12_redis_behaves_like_the_model(
    postgres_server: PostgresServer, migrated_database: str, log_url: str, private_redis: RedisServer
) -> None:
    """Redis itself dies at every crash: its next life begins a new epoch, and has everything."""

    def clean() -> None:
        empty(postgres_server, migrated_database)
        private_redis.flush()

    def shutdown() -> None:
        private_redis.kill()
        private_redis.start()

    explore(
        5,
        opener=staticmethod(redis_opener(private_redis.url(), log_url)),
        clean=staticmethod(clean),
        shutdown=staticmethod(shutdown),
        epochs_of_a_crash=(0, 1),
    )


def _renewed(make: Callable[[], Opener]) -> dict[str, Any]:
    """A new store for every example, the same one for every reopening within it."""
    current: list[Opener] = []

    def clean() -> None:
        current[:] = [make()]

    def opener() -> AbstractAsyncContextManager[Store]:
        return current[0]()

    return {"opener": staticmethod(opener), "clean": staticmethod(clean)}
