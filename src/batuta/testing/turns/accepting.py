"""Accepting work, and who gets it."""

import asyncio

import pytest

from batuta.events.queue import NewWork, WorkStatus
from batuta.kernel.errors import EventRefusedError, IdempotencyConflictError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import said, words
from batuta.testing.turns.subject import AN_HOUR, QueueSubject, leased, turn


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

    async def test_whoever_follows_the_session_hears_of_the_message(self, subject: QueueSubject) -> None:
        session = new_id()
        async with subject.log.tail([session]) as bell:
            await subject.queue.accept(turn(session), [said("hello")])
            assert await bell.wait(0) == {session}

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

    async def test_the_context_of_a_request_goes_with_its_work(self, subject: QueueSubject) -> None:
        work = turn(payload={"text": "hello"}, context={"trace_id": "a" * 32, "correlation_id": "ticket-7"})
        accepted = await subject.queue.accept(work)
        lease = await leased(subject.queue)
        for kept in (accepted.work, lease.work):
            assert kept.context == {"trace_id": "a" * 32, "correlation_id": "ticket-7"}
            assert kept.payload == {"text": "hello"}

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

    async def test_a_key_with_other_words_is_refused(self, subject: QueueSubject) -> None:
        session = new_id()
        await subject.queue.accept(turn(session), [said("hello")], client_key="m1")
        with pytest.raises(IdempotencyConflictError):
            await subject.queue.accept(turn(session), [said("goodbye")], client_key="m1")
        assert await words(subject.log, session) == ["hello"]

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

    async def test_or01_turns_of_one_session_run_one_at_a_time_in_order(self, subject: QueueSubject) -> None:
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
