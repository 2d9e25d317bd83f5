"""How a turn is stopped: its end is written with its last status, or by its owner."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from copy import copy
from typing import Any

import pytest

from batuta.events.conversation import Complete
from batuta.events.envelope import Event
from batuta.events.queue import Ending, Lease, TurnQueue, Work, WorkStatus
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.events.turn_ends import decision_key
from batuta.eventstore.stopping import AskedIn, set_aside_turn
from batuta.kernel.errors import IdempotencyConflictError
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

    @pytest.mark.parametrize("moment", ["append", "cancel"])
    async def test_one_of_setting_aside_and_approving_counts(self, subject: QueueSubject, moment: str) -> None:
        """An approval that comes from another process, at either of two moments: there is one decision, and the turn
        ends only if that is the one that sets it aside.
        """
        asked = await _asked(subject)
        approved = ApprovalResolved(
            approval_id=asked.approval_id, session_id=asked.session_id, decision="approved", by="another"
        )
        hurried = _Hurried(subject, approved, moment)
        place = AskedIn(approval_id=asked.approval_id, turn_id=str(asked.turn_id))
        ended = await set_aside_turn(hurried.log, hurried.queue, place, by="me", reason=None, words="nothing was done")
        events = (await subject.log.read(str(asked.session_id))).events
        decided = [event.decision for event in events if isinstance(event, ApprovalResolved)]
        assert hurried.is_done
        assert decided == (["approved"] if moment == "append" else ["set_aside"])
        assert (ended is not None) == (decided == ["set_aside"])
        assert any(isinstance(event, Complete) for event in events) == (decided == ["set_aside"])

    async def test_an_end_written_while_it_ran_does_not_count(self, subject: QueueSubject) -> None:
        """Its owner was lost meanwhile; what it wrote last was not read."""
        session = new_id()
        accepted = await subject.queue.accept(turn(session))
        await leased(subject.queue, length=EXPIRED)
        ending = Ending(work=await _seen(subject.queue, accepted.work), events=_end())
        await subject.queue.recover()
        assert await subject.queue.cancel(accepted.work.turn_id, ending) is WorkStatus.QUEUED
        assert await words(subject.log, session) == []


async def _asked(subject: QueueSubject) -> ApprovalRequested:
    """What a turn waits for."""
    accepted = await subject.queue.accept(turn())
    lease = await leased(subject.queue)
    asked = ApprovalRequested(
        **accepted.work.stamp.envelope(),
        source_agent_id="clerk",
        approval_id=new_id(),
        tool_use_id="c1",
        tool_name="pay",
        args={},
        reason="write",
    )
    await subject.queue.pause(lease, waiting_for=asked.approval_id, events=[asked])
    return asked


class _Hurried:
    """A store at which another process decides in the moment in which this one appends, or ends the turn."""

    def __init__(self, subject: QueueSubject, decision: ApprovalResolved, moment: str) -> None:
        self._decision, self._moment, self._subject = decision, moment, subject
        self.is_done = False
        self.log, self.queue = copy(subject.log), copy(subject.queue)
        for store, name in ((self.log, "append"), (self.queue, "cancel")):
            if name == moment:
                setattr(store, name, self._after_deciding(getattr(store, name)))

    def _after_deciding(self, act: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def hurried(*given: Any, **named: Any) -> Any:
            if not self.is_done:
                self.is_done = True
                key = decision_key(self._decision.approval_id)
                with suppress(IdempotencyConflictError):
                    await self._subject.log.append(str(self._decision.session_id), [self._decision], client_key=key)
            return await act(*given, **named)

        return hurried


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
