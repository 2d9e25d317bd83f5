"""The conformance suite of the turn queue: what any backend has to pass. Needs pytest and pytest-asyncio.

class TestMyQueue(TurnQueueContract):
    @pytest.fixture
    async def subject(self) -> AsyncIterator[QueueSubject]: ...
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from batuta.events.log import EventLog
from batuta.events.queue import Lease, NewWork, TurnQueue, WorkStatus
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.kernel.errors import EventRefusedError, FencedError, IdempotencyConflictError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import noted, said, words

EXPIRED = timedelta(seconds=-1)
"""The length of a lease that has run out before anybody looks at it."""
NO_DELAY = timedelta()
AN_HOUR = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class QueueSubject:
    """The queue under test, the log of the same store, and what the suite does to them from outside."""

    queue: TurnQueue
    log: EventLog
    another: Callable[[], Awaitable[TurnQueue]]
    """One more queue on the same store, as another process would open it."""
    project: Callable[[], Awaitable[None]]
    """Bring the read models up to date."""


async def sent_again(queue: TurnQueue, operation: str, *args: Any, **kwargs: Any) -> Any:
    """What an operation answers when it is sent again after its first answer got lost."""
    await getattr(queue, operation)(*args, **kwargs)
    return await getattr(queue, operation)(*args, **kwargs)


async def leased(queue: TurnQueue, owner: str = "worker", **options: Any) -> Lease:
    """A lease on work that must be there."""
    lease = await queue.lease(owner, **options)
    assert lease is not None, "there is nothing to do"
    return lease


def turn(session: str | None = None, **fields: Any) -> NewWork:
    """A turn of a session, of a new one if none is given."""
    return NewWork(session_id=session or new_id(), **fields)


@pytest.mark.asyncio
class AcceptContract:
    """Accepting is one step."""

    async def test_accepting_stores_the_message_and_the_turn(self, subject: QueueSubject) -> None:
        """S-5: event and turn row in one transaction."""
        session = new_id()
        answer = await subject.queue.accept(turn(session, payload={"a": [1]}, user_id="ana"), [said("hello")])
        assert answer.appended is not None
        assert answer.appended.first_seq == 1
        assert await words(subject.log, session) == ["hello"]
        work = await subject.queue.get(answer.work.turn_id)
        assert work is not None
        assert (work.status, work.payload, work.user_id) == (WorkStatus.QUEUED, {"a": [1]}, "ana")

    async def test_a_refused_message_leaves_no_turn(self, subject: QueueSubject) -> None:
        work = turn()
        with pytest.raises(EventRefusedError):
            await subject.queue.accept(work, [said("\ud800")])
        assert await subject.queue.get(work.turn_id) is None

    async def test_a_message_sent_twice_gives_one_turn_and_the_same_answer(self, subject: QueueSubject) -> None:
        """S-6: the second delivery has another turn id, other event ids, the same key and the same words."""
        session = new_id()
        first = await subject.queue.accept(turn(session), [said("hello")], client_key="m1")
        again = await subject.queue.accept(turn(session), [said("hello")], client_key="m1")
        assert again == first
        assert await words(subject.log, session) == ["hello"]
        assert await subject.queue.depth() == {WorkStatus.QUEUED: 1}

    async def test_a_message_sent_twice_at_once_gives_one_turn(self, subject: QueueSubject) -> None:
        session, other = new_id(), await subject.another()
        answers = await asyncio.gather(
            *(queue.accept(turn(session), [said("hello")], client_key="m1") for queue in (subject.queue, other) * 3)
        )
        assert len({answer.work.turn_id for answer in answers}) == 1
        assert await words(subject.log, session) == ["hello"]

    async def test_the_answer_stays_the_same_while_the_turn_goes_on(self, subject: QueueSubject) -> None:
        session = new_id()
        first = await subject.queue.accept(turn(session), [said("hello")], client_key="m1")
        await subject.queue.finish(await leased(subject.queue), "completed")
        assert await subject.queue.accept(turn(session), [said("hello")], client_key="m1") == first

    async def test_a_key_with_other_words_is_refused(self, subject: QueueSubject) -> None:
        session = new_id()
        await subject.queue.accept(turn(session), [said("hello")], client_key="m1")
        with pytest.raises(IdempotencyConflictError):
            await subject.queue.accept(turn(session), [said("goodbye")], client_key="m1")
        assert await words(subject.log, session) == ["hello"]

    async def test_work_whose_answer_got_lost_can_be_sent_again(self, subject: QueueSubject) -> None:
        """FT-01: by its own id, where there is no client key."""
        work = turn()
        await sent_again(subject.queue, "accept", work, [said("hello")])
        assert await subject.queue.depth() == {WorkStatus.QUEUED: 1}
        assert await words(subject.log, str(work.session_id)) == ["hello"]

    async def test_the_context_of_a_request_goes_with_its_work(self, subject: QueueSubject) -> None:
        work = turn(payload={"text": "hello"}, context={"trace_id": "a" * 32, "correlation_id": "ticket-7"})
        accepted = await subject.queue.accept(work)
        lease = await leased(subject.queue)
        for told in (accepted.work, lease.work):
            assert told.context == {"trace_id": "a" * 32, "correlation_id": "ticket-7"}
            assert told.payload == {"text": "hello"}

    async def test_the_same_work_in_another_context_is_the_same_work(self, subject: QueueSubject) -> None:
        """Who sends a message again sends it in a new request."""
        session, events = new_id(), [said("hello")]
        first = await subject.queue.accept(turn(session, context={"trace_id": "a" * 32}), events, client_key="m1")
        again = await subject.queue.accept(turn(session, context={"trace_id": "b" * 32}), events, client_key="m1")
        assert again.work.turn_id == first.work.turn_id
        assert again.work.context == {"trace_id": "a" * 32}

    async def test_a_payload_cannot_pretend_a_context(self, subject: QueueSubject) -> None:
        with pytest.raises(ValueError, match="@context"):
            await subject.queue.accept(turn(payload={"@context": {}}))

    async def test_events_need_a_session(self, subject: QueueSubject) -> None:
        with pytest.raises(ValueError, match="session"):
            await subject.queue.accept(NewWork(kind="job"), [said("hello")])

    async def test_a_payload_that_is_no_json_is_refused(self, subject: QueueSubject) -> None:
        with pytest.raises(ValueError, match="JSON"):
            await subject.queue.accept(NewWork(payload={"file": object()}))


@pytest.mark.asyncio
class LeaseContract:
    """One owner, in order."""

    async def test_an_empty_queue_has_nothing_to_do(self, subject: QueueSubject) -> None:
        assert await subject.queue.lease("worker") is None

    async def test_work_has_one_owner(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue, "one")
        assert (lease.owner, lease.work.status, lease.work.attempts) == ("one", WorkStatus.RUNNING, 1)
        assert await subject.queue.lease("two") is None

    async def test_many_workers_share_the_work_without_doubles(self, subject: QueueSubject) -> None:
        for _ in range(12):
            await subject.queue.accept(turn())
        queues = (subject.queue, await subject.another())
        leases = await asyncio.gather(*(queue.lease(f"w{n}") for n in range(8) for queue in queues))
        taken = [lease.work.turn_id for lease in leases if lease is not None]
        assert len(taken) == len(set(taken)) == 12

    async def test_turns_of_one_session_run_one_at_a_time_in_order(self, subject: QueueSubject) -> None:
        """O-2, OR-01: also if the second is more urgent."""
        session = new_id()
        first = await subject.queue.accept(turn(session))
        second = await subject.queue.accept(turn(session, priority=9))
        lease = await leased(subject.queue)
        assert lease.work.turn_id == first.work.turn_id
        assert await subject.queue.lease("other") is None
        await subject.queue.finish(lease, "completed")
        assert (await leased(subject.queue)).work.turn_id == second.work.turn_id

    async def test_sessions_do_not_wait_for_one_another(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        await subject.queue.accept(turn())
        await leased(subject.queue, "one")
        await leased(subject.queue, "two")

    async def test_urgent_work_goes_first_and_equals_keep_their_order(self, subject: QueueSubject) -> None:
        works = [turn(priority=priority) for priority in (0, 5, 5, -1)]
        for work in works:
            await subject.queue.accept(work)
        order = [(await leased(subject.queue)).work.turn_id for _ in works]
        assert order == [works[index].turn_id for index in (1, 2, 0, 3)]

    async def test_delayed_work_waits_for_its_time(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn(delay=AN_HOUR))
        assert await subject.queue.lease("worker") is None

    async def test_delayed_work_holds_back_its_session_but_no_other(self, subject: QueueSubject) -> None:
        session = new_id()
        await subject.queue.accept(turn(session, delay=AN_HOUR))
        await subject.queue.accept(turn(session))
        other = await subject.queue.accept(turn())
        assert (await leased(subject.queue)).work.turn_id == other.work.turn_id
        assert await subject.queue.lease("worker") is None

    async def test_a_worker_takes_only_the_kinds_it_knows(self, subject: QueueSubject) -> None:
        await subject.queue.accept(NewWork(kind="ingest"))
        assert await subject.queue.lease("worker", kinds=["turn"]) is None
        assert (await leased(subject.queue, kinds=["ingest", "turn"])).work.kind == "ingest"

    async def test_jobs_need_no_session(self, subject: QueueSubject) -> None:
        await subject.queue.accept(NewWork(kind="job"))
        await subject.queue.accept(NewWork(kind="job"))
        fences = [(await leased(subject.queue)).fence for _ in range(2)]
        assert min(fences) >= 1


@pytest.mark.asyncio
class OwnershipContract:
    """An owner that lost its work is refused everything."""

    async def lost(self, subject: QueueSubject, session: str | None = None) -> tuple[Lease, Lease]:
        """The lease of an owner that was thought dead, and that of the one who took over."""
        await subject.queue.accept(turn(session))
        stale = await leased(subject.queue, "stale", length=EXPIRED)
        await subject.queue.recover()
        return stale, await leased(subject.queue, "fresh")

    async def test_work_of_a_lost_owner_is_found_and_given_to_another(self, subject: QueueSubject) -> None:
        stale, fresh = await self.lost(subject)
        assert fresh.work.turn_id == stale.work.turn_id
        assert fresh.fence > stale.fence
        assert (fresh.work.attempts, fresh.work.resumed_by) == (2, "recovered")

    async def test_the_lost_owner_can_append_nothing(self, subject: QueueSubject) -> None:
        """CR-13, I7: from the takeover on, before the new owner wrote anything."""
        session = new_id()
        stale, fresh = await self.lost(subject, session)
        with pytest.raises(FencedError):
            await subject.log.append(session, [noted("late")], fence=stale.fence)
        await subject.log.append(session, [noted("mine")], fence=fresh.fence)
        assert (await subject.log.head(session)).last_seq == 1

    @pytest.mark.parametrize("operation", ["heartbeat", "finish", "retry", "release", "pause"])
    async def test_the_lost_owner_can_do_nothing_with_the_work(self, subject: QueueSubject, operation: str) -> None:
        stale, fresh = await self.lost(subject)
        arguments: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
            "finish": (("completed", [noted("last words")]), {}),
            "retry": (("broken",), {"delay": NO_DELAY}),
            "pause": ((), {"waiting_for": "a decision"}),
        }
        args, kwargs = arguments.get(operation, ((), {}))
        with pytest.raises(FencedError):
            await getattr(subject.queue, operation)(stale, *args, **kwargs)
        work = await subject.queue.get(fresh.work.turn_id)
        assert work is not None
        assert work.status is WorkStatus.RUNNING
        assert (await subject.log.head(str(fresh.work.session_id))).last_seq == 0

    async def test_a_heartbeat_keeps_the_work(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue, length=EXPIRED)
        renewed = Lease(work=lease.work, owner=lease.owner, fence=lease.fence, length=AN_HOUR)
        assert await subject.queue.heartbeat(renewed) is False
        assert (await subject.queue.recover()).requeued == ()

    async def test_work_that_loses_every_owner_is_dead(self, subject: QueueSubject) -> None:
        """CR-12: it does not kill workers for ever."""
        accepted = await subject.queue.accept(turn(max_attempts=2))
        await leased(subject.queue, length=EXPIRED)
        await subject.queue.recover()
        await leased(subject.queue, length=EXPIRED)
        found = await subject.queue.recover()
        assert found.dead == (accepted.work.turn_id,)
        work = await subject.queue.get(accepted.work.turn_id)
        assert work is not None
        assert work.status is WorkStatus.DEAD
        assert "owner" in str(work.error)

    async def test_a_dead_turn_no_longer_holds_back_its_session(self, subject: QueueSubject) -> None:
        session = new_id()
        await subject.queue.accept(turn(session, max_attempts=1))
        second = await subject.queue.accept(turn(session))
        await leased(subject.queue, length=EXPIRED)
        await subject.queue.recover()
        assert (await leased(subject.queue)).work.turn_id == second.work.turn_id

    async def test_a_dead_one_can_be_given_another_chance(self, subject: QueueSubject) -> None:
        accepted = await subject.queue.accept(turn(max_attempts=1))
        await leased(subject.queue, length=EXPIRED)
        await subject.queue.recover()
        assert await subject.queue.revive(accepted.work.turn_id)
        assert not await subject.queue.revive(accepted.work.turn_id)
        assert (await leased(subject.queue)).work.attempts == 1


@pytest.mark.asyncio
class EndContract:
    """How work ends, rests and goes on."""

    async def test_the_last_events_and_the_end_are_one_step(self, subject: QueueSubject) -> None:
        """I9: exactly one terminal event."""
        session = new_id()
        await subject.queue.accept(turn(session))
        lease = await leased(subject.queue)
        await sent_again(subject.queue, "finish", lease, "completed", [noted("the end")])
        work = await subject.queue.get(lease.work.turn_id)
        assert work is not None
        assert work.status is WorkStatus.COMPLETED
        assert (await subject.log.head(session)).last_seq == 1

    async def test_failed_work_keeps_its_reason(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue)
        await subject.queue.finish(lease, "failed", error="no such customer")
        work = await subject.queue.get(lease.work.turn_id)
        assert work is not None
        assert (work.status, work.error) == (WorkStatus.FAILED, "no such customer")

    async def test_work_is_tried_again_after_its_delay(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        assert await subject.queue.retry(await leased(subject.queue), "busy", delay=NO_DELAY) is WorkStatus.QUEUED
        again = await leased(subject.queue)
        assert (again.work.attempts, again.work.resumed_by, again.work.error) == (2, "retried", "busy")
        await sent_again(subject.queue, "retry", again, "busy", delay=AN_HOUR)
        assert await subject.queue.lease("worker") is None

    async def test_work_that_fails_every_attempt_is_dead(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn(max_attempts=2))
        await subject.queue.retry(await leased(subject.queue), "one", delay=NO_DELAY)
        assert await subject.queue.retry(await leased(subject.queue), "two", delay=NO_DELAY) is WorkStatus.DEAD
        assert await subject.queue.depth() == {WorkStatus.DEAD: 1}

    async def test_released_work_costs_no_attempt(self, subject: QueueSubject) -> None:
        """CR-11: a worker that shuts down in good order."""
        await subject.queue.accept(turn(max_attempts=1))
        await sent_again(subject.queue, "release", await leased(subject.queue))
        assert (await leased(subject.queue)).work.attempts == 1

    async def test_a_paused_turn_holds_back_its_session_and_nothing_else(self, subject: QueueSubject) -> None:
        """O-2, O-4."""
        session = new_id()
        await subject.queue.accept(turn(session))
        await subject.queue.accept(turn(session))
        await sent_again(subject.queue, "pause", await leased(subject.queue), waiting_for="a1")
        assert await subject.queue.lease("worker") is None
        other = await subject.queue.accept(turn())
        assert (await leased(subject.queue)).work.turn_id == other.work.turn_id
        assert (await subject.queue.recover()).requeued == ()

    async def test_a_decision_resumes_the_turn_once(self, subject: QueueSubject) -> None:
        """O-30: however often the answer is sent."""
        await subject.queue.accept(turn())
        paused = await leased(subject.queue)
        await subject.queue.pause(paused, waiting_for="a1")
        answers = [await subject.queue.resume(paused.work.turn_id, waiting_for="a1") for _ in range(3)]
        assert answers == [True, False, False]
        again = await leased(subject.queue)
        assert (again.work.resumed_by, again.work.attempts) == ("decided", 1)
        assert again.fence > paused.fence

    async def test_a_decision_about_something_else_resumes_nothing(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue)
        await subject.queue.pause(lease, waiting_for="a1")
        assert not await subject.queue.resume(lease.work.turn_id, waiting_for="a2")
        assert not await subject.queue.resume(new_id(), waiting_for="a1")

    async def test_a_paused_turn_wakes_at_its_time(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue)
        await subject.queue.pause(lease, waiting_for="a1", wake_at=datetime.now(UTC) - AN_HOUR)
        assert (await subject.queue.recover()).requeued == (lease.work.turn_id,)
        await leased(subject.queue)

    async def test_a_decision_nobody_acted_on_is_found(self, subject: QueueSubject) -> None:
        """S-5: the process died between the decision and the resumption."""
        session = new_id()
        await subject.queue.accept(turn(session))
        lease = await leased(subject.queue)
        request = ApprovalRequested(
            approval_id="a1", tool_use_id="t1", tool_name="pay", args={}, reason="money", source_agent_id="erp"
        )
        await subject.queue.pause(lease, waiting_for="a1", events=[request])
        await subject.log.append(session, [ApprovalResolved(approval_id="a1", decision="approved", by="ana")])
        await subject.project()
        assert (await subject.queue.recover()).requeued == (lease.work.turn_id,)

    async def test_a_decision_quicker_than_the_pause_is_not_missed(self, subject: QueueSubject) -> None:
        session = new_id()
        await subject.queue.accept(turn(session))
        lease = await leased(subject.queue)
        await subject.log.append(session, [ApprovalResolved(approval_id="a1", decision="approved", by="ana")])
        await subject.project()
        await subject.queue.pause(lease, waiting_for="a1")
        assert (await leased(subject.queue)).work.turn_id == lease.work.turn_id

    @pytest.mark.parametrize("is_paused", [False, True], ids=["queued", "paused"])
    async def test_waiting_work_is_cancelled_at_once(self, subject: QueueSubject, is_paused: bool) -> None:
        session = new_id()
        accepted = await subject.queue.accept(turn(session))
        following = await subject.queue.accept(turn(session))
        if is_paused:
            await subject.queue.pause(await leased(subject.queue), waiting_for="a1")
        assert await sent_again(subject.queue, "cancel", accepted.work.turn_id) is WorkStatus.CANCELLED
        assert (await leased(subject.queue)).work.turn_id == following.work.turn_id

    async def test_running_work_learns_of_its_cancellation_at_the_next_heartbeat(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue)
        assert await subject.queue.cancel(lease.work.turn_id) is WorkStatus.RUNNING
        assert await subject.queue.heartbeat(lease) is True
        await subject.queue.finish(lease, "cancelled")

    async def test_cancelling_what_is_over_or_unknown_changes_nothing(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue)
        await subject.queue.finish(lease, "completed")
        assert await subject.queue.cancel(lease.work.turn_id) is WorkStatus.COMPLETED
        assert await subject.queue.cancel(new_id()) is None


class TurnQueueContract(AcceptContract, LeaseContract, OwnershipContract, EndContract):
    """All of it. Subclass it with a fixture `subject`."""
