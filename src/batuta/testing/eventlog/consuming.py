"""How far consumers are, and what an acknowledgement is worth."""

import pytest

from batuta.kernel.errors import (
    SequenceConflictError,
)
from batuta.kernel.ids import new_id
from batuta.testing.eventlog.subject import Subject, said, words


@pytest.mark.asyncio
class ConsumerContract:
    """A consumer knows its position, and double work is noticed."""

    async def test_a_new_consumer_begins_at_the_beginning(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said("a"), said("b")])
        await subject.log.subscribe("views")
        (lag,) = await subject.log.behind("views")
        assert (lag.session_id, lag.after, lag.last_seq) == (session, 0, 2)

    async def test_a_consumer_that_is_done_is_behind_again_after_the_next_append(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.subscribe("views")
        await subject.log.append(session, [said("a")])
        await subject.log.advance("views", session, after=0, to=1)
        assert await subject.log.behind("views") == []
        await subject.log.append(session, [said("b")])
        (lag,) = await subject.log.behind("views")
        assert (lag.after, lag.last_seq) == (1, 2)

    async def test_a_consumer_that_did_a_part_is_still_behind(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.subscribe("views")
        await subject.log.append(session, [said("a"), said("b")])
        await subject.log.advance("views", session, after=0, to=1)
        (lag,) = await subject.log.behind("views")
        assert (lag.after, lag.last_seq) == (1, 2)

    async def test_two_of_a_kind_on_one_session_are_noticed(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.subscribe("views")
        await subject.log.append(session, [said("a"), said("b"), said("c")])
        await subject.log.advance("views", session, after=0, to=2)
        with pytest.raises(SequenceConflictError):
            await subject.log.advance("views", session, after=0, to=1)
        (lag,) = await subject.log.behind("views")
        assert lag.after == 2

    async def test_no_consumer_is_ahead_of_the_log(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.subscribe("views")
        await subject.log.append(session, [said("a")])
        with pytest.raises(ValueError, match="between"):
            await subject.log.advance("views", session, after=0, to=2)

    async def test_consumers_do_not_disturb_one_another(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.subscribe("views")
        await subject.log.subscribe("exports")
        await subject.log.append(session, [said("a")])
        await subject.log.advance("views", session, after=0, to=1)
        assert [lag.after for lag in await subject.log.behind("exports")] == [0]

    async def test_subscribing_again_keeps_the_place(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.subscribe("views")
        await subject.log.append(session, [said("a")])
        await subject.log.advance("views", session, after=0, to=1)
        await subject.log.subscribe("views")
        assert await subject.log.behind("views") == []

    async def test_behind_gives_at_most_as_many_as_asked_for(self, subject: Subject) -> None:
        await subject.log.subscribe("views")
        for _ in range(3):
            await subject.log.append(new_id(), [said("a")])
        assert len(await subject.log.behind("views", limit=2)) == 2


@pytest.mark.asyncio
class LifeContract:
    """Opening, closing, and what an acknowledgement is worth."""

    async def test_the_log_says_what_its_acknowledgement_survives(self, subject: Subject) -> None:
        """S-10: read back from the store, not from our own configuration."""
        durability = await subject.log.durability()
        assert durability.mode
        assert durability.verified_at.tzinfo is not None

    async def test_what_one_process_wrote_another_reads(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said("a")], fence=3)
        other = await subject.another()
        assert await words(other, session) == ["a"]
        assert await other.head(session) == await subject.log.head(session)

    async def test_closing_twice_is_harmless(self, subject: Subject) -> None:
        await subject.log.append(new_id(), [said("a")])
        await subject.log.close()
        await subject.log.close()
