"""An owner that lost a session writes nothing more to it."""

import pytest

from batuta.kernel.errors import (
    FencedError,
)
from batuta.kernel.ids import new_id
from batuta.testing.eventlog.subject import Subject, noted, said


@pytest.mark.asyncio
class FenceContract:
    """A stale owner writes nothing."""

    async def test_cr13_an_owner_with_a_lower_token_is_refused(self, subject: Subject) -> None:
        """I7, CR-13."""
        session = new_id()
        await subject.log.append(session, [noted("new")], fence=2)
        with pytest.raises(FencedError):
            await subject.log.append(session, [noted("old")], fence=1)
        assert await subject.log.head(session) == (await (await subject.another()).head(session))
        assert (await subject.log.head(session)).last_seq == 1

    async def test_a_raised_fence_keeps_the_old_owner_out_before_the_new_one_writes(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [noted("a")], fence=1)
        await subject.log.raise_fence(session, 2)
        with pytest.raises(FencedError):
            await subject.log.append(session, [noted("b")], fence=1)
        assert (await subject.log.append(session, [noted("c")], fence=2)).first_seq == 2

    async def test_a_fence_is_never_lowered(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.raise_fence(session, 5)
        await subject.log.raise_fence(session, 3)
        assert (await subject.log.head(session)).fence == 5

    async def test_events_without_an_owner_pass_every_fence(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.raise_fence(session, 7)
        assert (await subject.log.append(session, [said("still here")])).first_seq == 1
        assert (await subject.log.head(session)).fence == 7

    async def test_a_fenced_owner_still_learns_that_its_events_are_stored(self, subject: Subject) -> None:
        session, batch = new_id(), [noted("a")]
        first = await subject.log.append(session, batch, fence=1)
        await subject.log.raise_fence(session, 2)
        assert await subject.log.append(session, batch, fence=1) == first

    async def test_a_fenced_owner_that_names_an_event_like_its_successor_is_told_that_it_is_fenced(
        self, subject: Subject
    ) -> None:
        """Repeated runs give the same ids to the same doings, at other times: that is no alarm."""
        session, event = new_id(), noted("a")
        await subject.log.append(session, [event], fence=2)
        with pytest.raises(FencedError):
            await subject.log.append(session, [noted("a", event_id=event.event_id)], fence=1)
        assert subject.alarms == []
