"""Sending something again is harmless."""

import asyncio

import pytest

from batuta.events.log import Appended
from batuta.kernel.errors import (
    EventRefusedError,
    IdempotencyConflictError,
    SequenceConflictError,
)
from batuta.kernel.ids import new_id
from batuta.testing.eventlog.subject import Subject, said, words


@pytest.mark.asyncio
class IdempotencyContract:
    """Sending something again is harmless and answers the same."""

    async def test_the_same_events_again_are_stored_once(self, subject: Subject) -> None:
        session, batch = new_id(), [said("a"), said("b")]
        first = await subject.log.append(session, batch)
        await subject.log.append(session, [said("c")])
        assert await subject.log.append(session, batch) == first
        assert await words(subject.log, session) == ["a", "b", "c"]

    async def test_an_append_that_was_cancelled_can_be_sent_again(self, subject: Subject) -> None:
        session, batch = new_id(), [said("once")]
        task = asyncio.ensure_future(subject.log.append(session, batch))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert await subject.log.append(session, batch) == Appended(epoch=1, first_seq=1, count=1)
        assert await words(subject.log, session) == ["once"]

    async def test_the_same_events_from_two_processes_at_once_are_stored_once(self, subject: Subject) -> None:
        session, batch, other = new_id(), [said("a"), said("b")], await subject.another()
        answers = await asyncio.gather(*(log.append(session, batch) for log in (subject.log, other) for _ in range(4)))
        assert set(answers) == {Appended(epoch=1, first_seq=1, count=2)}
        assert await words(subject.log, session) == ["a", "b"]

    async def test_an_id_with_other_content_is_an_alarm(self, subject: Subject) -> None:
        """S-4: never a silent skip."""
        session, event = new_id(), said("first")
        await subject.log.append(session, [event])
        with pytest.raises(SequenceConflictError):
            await subject.log.append(session, [event.model_copy(update={"content": "second"})])
        assert [alarm.session_id for alarm in subject.alarms] == [session]
        assert await words(subject.log, session) == ["first"]

    async def test_an_id_of_another_session_is_an_alarm(self, subject: Subject) -> None:
        session, other, event = new_id(), new_id(), said("mine")
        await subject.log.append(session, [event])
        with pytest.raises(SequenceConflictError):
            await subject.log.append(other, [event])
        assert [alarm.session_id for alarm in subject.alarms] == [other]
        assert (await subject.log.head(other)).last_seq == 0

    @pytest.mark.parametrize("order", [(1, 0), (0, 2), (2, 0)], ids=str)
    async def test_known_events_in_another_order_or_mixed_with_news_are_an_alarm(
        self, subject: Subject, order: tuple[int, ...]
    ) -> None:
        session, events = new_id(), [said("a"), said("b"), said("c")]
        await subject.log.append(session, events[:2])
        with pytest.raises(SequenceConflictError):
            await subject.log.append(session, [events[index] for index in order])
        assert subject.alarms
        assert await words(subject.log, session) == ["a", "b"]

    async def test_a_part_of_a_stored_batch_is_found_where_it_is(self, subject: Subject) -> None:
        session, events = new_id(), [said("a"), said("b"), said("c")]
        await subject.log.append(session, events)
        assert await subject.log.append(session, events[1:]) == Appended(epoch=1, first_seq=2, count=2)

    async def test_a_client_key_stands_for_one_message(self, subject: Subject) -> None:
        """S-6: a client that repeats itself makes new ids; its key tells that it is the same message."""
        session = new_id()
        first = await subject.log.append(session, [said("hello")], client_key="m1")
        again = await subject.log.append(session, [said("hello")], client_key="m1")
        assert again == first
        assert await words(subject.log, session) == ["hello"]

    async def test_a_client_key_with_other_content_is_refused(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said("hello")], client_key="m1")
        with pytest.raises(IdempotencyConflictError):
            await subject.log.append(session, [said("goodbye")], client_key="m1")
        assert await words(subject.log, session) == ["hello"]

    async def test_a_client_key_belongs_to_its_session(self, subject: Subject) -> None:
        one, other = new_id(), new_id()
        await subject.log.append(one, [said("hello")], client_key="m1")
        assert (await subject.log.append(other, [said("goodbye")], client_key="m1")).first_seq == 1

    async def test_a_client_key_sent_many_times_at_once_is_stored_once(self, subject: Subject) -> None:
        session, other = new_id(), await subject.another()
        logs = (subject.log, other) * 4
        answers = await asyncio.gather(*(log.append(session, [said("hello")], client_key="m1") for log in logs))
        assert len(set(answers)) == 1
        assert await words(subject.log, session) == ["hello"]

    @pytest.mark.parametrize("key", ["", "x" * 256, "a\x00b", "a\ud800"], ids=["empty", "long", "nul", "surrogate"])
    async def test_a_client_key_is_a_short_plain_text(self, subject: Subject, key: str) -> None:
        with pytest.raises(EventRefusedError, match="client key"):
            await subject.log.append(new_id(), [said("x")], client_key=key)
