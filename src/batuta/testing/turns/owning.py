"""An owner that lost a piece of work can do nothing more with it."""

from dataclasses import replace
from typing import Any

import pytest

from batuta.events.envelope import Event
from batuta.events.queue import Lease, WorkStatus
from batuta.events.runtime import EffectRecorded, TurnResumed
from batuta.events.turn_ends import MOST_OWNERS
from batuta.kernel.errors import FencedError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import noted
from batuta.testing.turns.subject import AN_HOUR, EXPIRED, NO_DELAY, QueueSubject, leased, turn


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

    async def test_cr13_the_lost_owner_can_append_nothing(self, subject: QueueSubject) -> None:
        """CR-13, I7: from the takeover on, before the new owner wrote anything."""
        session = new_id()
        stale, fresh = await self.lost(subject, session)
        with pytest.raises(FencedError):
            await subject.log.append(session, [noted("late")], fence=stale.fence)
        await subject.log.append(session, [noted("mine")], fence=fresh.fence)
        assert (await subject.log.head(session)).last_seq == 1

    async def test_an_owner_gets_a_token_above_every_one_the_log_has_seen(self, subject: QueueSubject) -> None:
        """Otherwise the log would refuse the first event of the turn's owner."""
        session = new_id()
        await subject.log.append(session, [noted("by hand")], fence=7)
        await subject.queue.accept(turn(session))
        lease = await leased(subject.queue)
        assert lease.fence > 7
        await subject.log.append(session, [noted("mine")], fence=lease.fence)

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
        renewed = replace(lease, length=AN_HOUR)
        assert await subject.queue.heartbeat(renewed) is False
        assert (await subject.queue.recover()).requeued == ()

    async def test_cr12_work_that_loses_every_owner_is_dead(self, subject: QueueSubject) -> None:
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

    async def work_on(self, subject: QueueSubject, key: str | None = None) -> Lease:
        """An owner that says that it took the turn up, records an effect if there is one, and is lost."""
        lease = await leased(subject.queue, length=EXPIRED)
        facts = lease.work.stamp.envelope()
        events: list[Event] = [
            TurnResumed(**facts, owner=lease.owner, attempt=lease.work.attempts, reason="recovered"),
            *([] if key is None else [EffectRecorded(**facts, key=key, kind="write", name="pay", result=None)]),
        ]
        await subject.log.append(str(lease.work.session_id), events, fence=lease.fence)
        return lease

    async def test_owners_that_make_progress_cost_no_attempt(self, subject: QueueSubject) -> None:
        """A long turn outlives many owners; one that gets nowhere is dead after its attempts."""
        accepted = await subject.queue.accept(turn(max_attempts=2))
        for effect in range(3):
            await self.work_on(subject, str(effect))
            assert (await subject.queue.recover()).requeued == (accepted.work.turn_id,)
        await leased(subject.queue, length=EXPIRED)
        assert (await subject.queue.recover()).dead == ()
        await leased(subject.queue, length=EXPIRED)
        assert (await subject.queue.recover()).dead == (accepted.work.turn_id,)

    async def test_slow_progress_is_not_given_up(self, subject: QueueSubject) -> None:
        """Only owners that are lost in a row without progress count: every second one gets further here."""
        await subject.queue.accept(turn(max_attempts=2))
        for effect in range(4):
            await self.work_on(subject, str(effect))
            await subject.queue.recover()
            await self.work_on(subject)
            assert (await subject.queue.recover()).dead == ()

    async def test_an_effect_that_is_recorded_again_is_no_progress(self, subject: QueueSubject) -> None:
        accepted = await subject.queue.accept(turn(max_attempts=2))
        for _ in range(2):
            await self.work_on(subject, "the same")
            assert (await subject.queue.recover()).dead == ()
        await self.work_on(subject, "the same")
        assert (await subject.queue.recover()).dead == (accepted.work.turn_id,)

    async def test_a_turn_that_records_something_new_for_ever_is_stopped(self, subject: QueueSubject) -> None:
        """One whose effects have other keys in each process would kill its owners for ever."""
        accepted = await subject.queue.accept(turn(max_attempts=2))
        for owner in range(2 * MOST_OWNERS - 1):
            await self.work_on(subject, str(owner))
            assert (await subject.queue.recover()).dead == ()
        await self.work_on(subject, "one more")
        assert (await subject.queue.recover()).dead == (accepted.work.turn_id,)

    async def test_an_owner_that_gave_its_attempt_back_earns_none(self, subject: QueueSubject) -> None:
        """Otherwise every pause and every orderly end of a process would let the turn take one worker more with it."""
        accepted = await subject.queue.accept(turn(max_attempts=2))
        for effect in range(3):
            await subject.queue.release(await self.work_on(subject, str(effect)))
        await self.work_on(subject)
        assert (await subject.queue.recover()).dead == ()
        await self.work_on(subject)
        assert (await subject.queue.recover()).dead == (accepted.work.turn_id,)

    async def test_a_revived_turn_is_counted_from_the_beginning(self, subject: QueueSubject) -> None:
        accepted = await subject.queue.accept(turn(max_attempts=1))
        for effect in range(3):
            await self.work_on(subject, str(effect))
            await subject.queue.recover()
        await self.work_on(subject)
        assert (await subject.queue.recover()).dead == (accepted.work.turn_id,)
        await subject.queue.revive(accepted.work.turn_id)
        await leased(subject.queue, length=EXPIRED)
        assert (await subject.queue.recover()).dead == (accepted.work.turn_id,)

    async def test_a_failure_after_progress_is_tried_again(self, subject: QueueSubject) -> None:
        await subject.queue.accept(turn(max_attempts=1))
        lease = await self.work_on(subject, "first")
        assert await subject.queue.retry(lease, "busy", delay=NO_DELAY) is WorkStatus.QUEUED
        assert await subject.queue.retry(await leased(subject.queue), "busy", delay=NO_DELAY) is WorkStatus.DEAD

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
