"""How a turn is stopped: its end is written with its last status, or by its owner."""

from collections.abc import Sequence

import pytest

from batuta.events.envelope import Event
from batuta.events.queue import Ending, Lease, TurnQueue, Work, WorkStatus
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import said, words
from batuta.testing.turns.subject import EXPIRED, QueueSubject, leased, turn


@pytest.mark.asyncio
class StopContract:
    """A turn without an owner ends in one step with its closing events (O-2, I9)."""

    @pytest.mark.parametrize("is_paused", [False, True], ids=["queued", "paused"])
    async def test_the_end_of_a_stopped_turn_is_told_with_it(self, subject: QueueSubject, is_paused: bool) -> None:
        session = new_id()
        accepted = await subject.queue.accept(turn(session), [said("hello")])
        if is_paused:
            await subject.queue.pause(await leased(subject.queue), waiting_for="a1")
        ending = Ending(
            work=await _seen(subject.queue, accepted.work), events={"k1": [said("no")], "k2": [said("end")]}
        )
        assert await subject.queue.cancel(accepted.work.turn_id, ending) is WorkStatus.CANCELLED
        assert await words(subject.log, session) == ["hello", "no", "end"]
        assert await subject.queue.depth() == {WorkStatus.CANCELLED: 1}

    async def test_what_was_told_under_its_key_stays(self, subject: QueueSubject) -> None:
        """It was decided at the last moment: that decision counts, and the turn ends all the same."""
        session = new_id()
        accepted = await subject.queue.accept(turn(session))
        ending = Ending(work=accepted.work, events={"k1": [said("rejected")], "k2": [said("end")]})
        await subject.log.append(session, [said("approved")], client_key="k1")
        assert await subject.queue.cancel(accepted.work.turn_id, ending) is WorkStatus.CANCELLED
        assert await words(subject.log, session) == ["approved", "end"]

    async def test_a_turn_that_went_on_since_somebody_looked_stays(self, subject: QueueSubject) -> None:
        """It may have written more: the caller looks again."""
        session = new_id()
        before, lease = await _taken_up(subject.queue, session)
        await subject.queue.pause(lease, waiting_for="a1", events=[said("asked")])
        assert await subject.queue.cancel(before.work.turn_id, before) is WorkStatus.PAUSED
        assert await words(subject.log, session) == ["asked"]
        now = Ending(work=await _seen(subject.queue, before.work), events=_end())
        assert await subject.queue.cancel(before.work.turn_id, now) is WorkStatus.CANCELLED
        assert await words(subject.log, session) == ["asked", "end"]

    async def test_nothing_is_told_of_a_turn_that_has_an_owner(self, subject: QueueSubject) -> None:
        session = new_id()
        before, lease = await _taken_up(subject.queue, session)
        assert await subject.queue.cancel(before.work.turn_id, before) is WorkStatus.RUNNING
        assert await subject.queue.heartbeat(lease) is True
        assert await words(subject.log, session) == []

    async def test_an_end_written_while_it_ran_does_not_count(self, subject: QueueSubject) -> None:
        """Its owner was lost meanwhile; what it wrote last was not read."""
        session = new_id()
        accepted = await subject.queue.accept(turn(session))
        await leased(subject.queue, length=EXPIRED)
        ending = Ending(work=await _seen(subject.queue, accepted.work), events=_end())
        await subject.queue.recover()
        assert await subject.queue.cancel(accepted.work.turn_id, ending) is WorkStatus.QUEUED
        assert await words(subject.log, session) == []


async def _taken_up(queue: TurnQueue, session: str) -> tuple[Ending, Lease]:
    """A turn to be ended as it was when it was accepted, and that has an owner since."""
    accepted = await queue.accept(turn(session))
    return Ending(work=accepted.work, events=_end()), await leased(queue)


def _end() -> dict[str, Sequence[Event]]:
    return {"end": [said("end")]}


async def _seen(queue: TurnQueue, work: Work) -> Work:
    seen = await queue.get(work.turn_id)
    assert seen is not None
    return seen
