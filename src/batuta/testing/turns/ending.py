"""How work ends, rests and goes on."""

from datetime import UTC, datetime

import pytest

from batuta.events.queue import WorkStatus
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import noted, said, words
from batuta.testing.turns.subject import AN_HOUR, EXPIRED, NO_DELAY, QueueSubject, leased, turn


@pytest.mark.asyncio
class EndContract:
    """How work ends, rests and goes on."""

    async def test_the_last_events_and_the_end_are_one_step(self, subject: QueueSubject) -> None:
        """I9: exactly one terminal event."""
        session = new_id()
        await subject.queue.accept(turn(session))
        lease = await leased(subject.queue)
        await subject.queue.finish(lease, "completed", [noted("the end")])
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
        await subject.queue.retry(again, "busy", delay=AN_HOUR)
        assert await subject.queue.lease("worker") is None

    async def test_work_that_fails_every_attempt_is_dead(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn(max_attempts=2))
        await subject.queue.retry(await leased(subject.queue), "one", delay=NO_DELAY)
        assert await subject.queue.retry(await leased(subject.queue), "two", delay=NO_DELAY) is WorkStatus.DEAD
        assert await subject.queue.depth() == {WorkStatus.DEAD: 1}

    async def test_a_revived_turn_waits_for_the_one_that_runs_meanwhile(self, subject: QueueSubject) -> None:
        session = new_id()
        dead = await subject.queue.accept(turn(session, max_attempts=1))
        await subject.queue.retry(await leased(subject.queue), "broken", delay=NO_DELAY)
        await subject.queue.accept(turn(session))
        running = await leased(subject.queue)
        assert await subject.queue.revive(dead.work.turn_id)
        assert await subject.queue.lease("another") is None
        await subject.queue.finish(running, "completed", [noted("not fenced")])
        assert (await leased(subject.queue)).work.turn_id == dead.work.turn_id

    async def test_cr11_released_work_costs_no_attempt(self, subject: QueueSubject) -> None:
        """CR-11: a worker that shuts down in good order."""
        await subject.queue.accept(turn(max_attempts=1))
        await subject.queue.release(await leased(subject.queue))
        assert (await leased(subject.queue)).work.attempts == 1

    async def test_released_work_is_not_begun_again_before_its_delay(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn(max_attempts=1))
        await subject.queue.release(await leased(subject.queue), delay=AN_HOUR)
        assert await subject.queue.lease("worker") is None
        assert (await subject.queue.depth())[WorkStatus.QUEUED] == 1

    async def test_a_paused_turn_holds_back_its_session_and_nothing_else(self, subject: QueueSubject) -> None:
        """O-2, O-4."""
        session = new_id()
        await subject.queue.accept(turn(session))
        await subject.queue.accept(turn(session))
        await subject.queue.pause(await leased(subject.queue), waiting_for="a1")
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
        """O-30: the log knows it, with or without read models."""
        session = new_id()
        await subject.queue.accept(turn(session))
        lease = await leased(subject.queue)
        decided = ApprovalResolved(approval_id="a1", decision="approved", by="ana", turn_id=lease.work.turn_id)
        await subject.log.append(session, [decided])
        await subject.queue.pause(lease, waiting_for="a1")
        assert (await leased(subject.queue)).work.turn_id == lease.work.turn_id

    @pytest.mark.parametrize("is_paused", [False, True], ids=["queued", "paused"])
    async def test_waiting_work_is_cancelled_at_once(self, subject: QueueSubject, is_paused: bool) -> None:
        session = new_id()
        accepted = await subject.queue.accept(turn(session))
        following = await subject.queue.accept(turn(session))
        if is_paused:
            await subject.queue.pause(await leased(subject.queue), waiting_for="a1")
        assert await subject.queue.cancel(accepted.work.turn_id) is WorkStatus.CANCELLED
        assert (await leased(subject.queue)).work.turn_id == following.work.turn_id

    async def test_work_that_was_stopped_does_not_wait(self, subject: QueueSubject) -> None:
        """O-2: a stop that crosses the pause is not forgotten; the owner still has to end it."""
        session = new_id()
        await subject.queue.accept(turn(session))
        lease = await leased(subject.queue)
        await subject.queue.cancel(lease.work.turn_id)
        assert not await subject.queue.pause(lease, waiting_for="a1", events=[said("not stored")])
        assert await words(subject.log, session) == []
        await subject.queue.finish(lease, "cancelled")
        assert await subject.queue.depth() == {WorkStatus.CANCELLED: 1}

    async def test_work_whose_owner_was_lost_after_a_stop_is_stopped_again_at_once(self, subject: QueueSubject) -> None:
        accepted = await subject.queue.accept(turn())
        await leased(subject.queue, length=EXPIRED)
        assert await subject.queue.cancel(accepted.work.turn_id) is WorkStatus.RUNNING
        assert (await subject.queue.recover()).requeued == (accepted.work.turn_id,)
        assert await subject.queue.cancel(accepted.work.turn_id) is WorkStatus.CANCELLED

    async def test_running_work_learns_of_its_cancellation_at_the_next_heartbeat(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue)
        other = (await subject.queue.accept(turn())).work.turn_id
        assert await subject.queue.cancel(lease.work.turn_id) is WorkStatus.RUNNING
        assert await subject.queue.stopped([lease.work.turn_id, other, new_id()]) == {lease.work.turn_id}
        assert await subject.queue.stopped([]) == frozenset()
        assert await subject.queue.heartbeat(lease) is True
        await subject.queue.finish(lease, "cancelled")

    async def test_cancelling_what_is_over_or_unknown_changes_nothing(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn())
        lease = await leased(subject.queue)
        await subject.queue.finish(lease, "completed")
        assert await subject.queue.cancel(lease.work.turn_id) is WorkStatus.COMPLETED
        assert await subject.queue.cancel(new_id()) is None
