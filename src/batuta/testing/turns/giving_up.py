"""How a turn ends that was tried as often as it may be: its user learns of it."""

import pytest

from batuta.events.conversation import Complete, ErrorOccurred
from batuta.events.log import EventLog
from batuta.events.queue import NewWork, WorkStatus
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import said
from batuta.testing.turns.subject import EXPIRED, NO_DELAY, QueueSubject, leased, turn


@pytest.mark.asyncio
class GivingUpContract:
    """A dead turn has an error and an end in its log, in one step with its last status (I9)."""

    async def test_the_end_of_a_turn_that_failed_every_attempt_is_told_with_it(self, subject: QueueSubject) -> None:
        session = new_id()
        work = (await subject.queue.accept(turn(session, max_attempts=2), [said("hello")])).work
        await subject.queue.retry(await leased(subject.queue), "busy", delay=NO_DELAY)
        assert await _ends(subject.log, session) == [], "it will be tried again"
        lease = await leased(subject.queue)
        assert await subject.queue.retry(lease, "no key", delay=NO_DELAY) is WorkStatus.DEAD
        assert await subject.queue.retry(lease, "no key", delay=NO_DELAY) is WorkStatus.DEAD
        failure, end = await _ends(subject.log, session)
        assert isinstance(failure, ErrorOccurred)
        assert isinstance(end, Complete)
        assert "no key" in failure.message
        assert (end.status, end.turn_id, failure.turn_id) == ("failed", work.turn_id, work.turn_id)

    async def test_the_end_of_a_turn_that_lost_every_owner_is_told_with_it(self, subject: QueueSubject) -> None:
        session = new_id()
        work = (await subject.queue.accept(turn(session, max_attempts=1))).work
        await leased(subject.queue, length=EXPIRED)
        assert (await subject.queue.recover()).dead == (work.turn_id,)
        assert (await subject.queue.recover()).dead == ()
        failure, end = await _ends(subject.log, session)
        assert (failure.type, end.type, end.turn_id) == ("error", "complete", work.turn_id)

    async def test_a_turn_that_told_its_own_end_has_no_other(self, subject: QueueSubject) -> None:
        """Its owner was lost between telling the end and finishing."""
        session = new_id()
        work = (await subject.queue.accept(turn(session, max_attempts=1))).work
        lease = await leased(subject.queue, length=EXPIRED)
        end = Complete(**work.stamp.envelope(), status="success")
        await subject.log.append(session, [end], fence=lease.fence)
        assert (await subject.queue.recover()).dead == (work.turn_id,)
        assert [event.event_id for event in await _ends(subject.log, session)] == [end.event_id]

    async def test_a_turn_that_dies_again_is_told_to_have_ended_again(self, subject: QueueSubject) -> None:
        session = new_id()
        work = (await subject.queue.accept(turn(session, max_attempts=1))).work
        for life in (1, 2):
            await subject.queue.retry(await leased(subject.queue), "broken", delay=NO_DELAY)
            assert [event.type for event in await _ends(subject.log, session)] == ["error", "complete"] * life
            assert await subject.queue.revive(work.turn_id)

    async def test_a_job_dies_without_a_word(self, subject: QueueSubject) -> None:
        await subject.queue.accept(NewWork(kind="clean", max_attempts=1))
        assert await subject.queue.retry(await leased(subject.queue), "no", delay=NO_DELAY) is WorkStatus.DEAD


async def _ends(log: EventLog, session: str) -> list[ErrorOccurred | Complete]:
    return [event for event in (await log.read(session)).events if isinstance(event, (ErrorOccurred, Complete))]
