"""What may enter the log, and where it goes."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from batuta.events.conversation import AssistantMessage, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.events.progress import ContentDelta
from batuta.events.runtime import EffectRecorded
from batuta.kernel.errors import (
    EventRefusedError,
    EventTooLargeError,
    UnattributedEventError,
    UnknownEventTypeError,
)
from batuta.kernel.ids import new_id
from batuta.testing.eventlog.subject import Subject, everything, is_dense, noted, said, words


@pytest.mark.asyncio
class AppendContract:
    """What `append` promises: all or nothing, in order, without holes."""

    async def test_positions_begin_at_one_and_have_no_holes(self, subject: Subject) -> None:
        """S-4: the next batch continues where the last one ended."""
        session = new_id()
        first = await subject.log.append(session, [said("a"), said("b")])
        second = await subject.log.append(session, [said("c")])
        assert (first, second) == (
            Appended(epoch=1, first_seq=1, count=2),
            Appended(epoch=1, first_seq=3, count=1),
        )
        assert await words(subject.log, session) == ["a", "b", "c"]

    async def test_events_come_back_as_they_were_with_their_position(self, subject: Subject) -> None:
        session = new_id()
        event = noted("k", {"nested": [1, 2.5, None, "x"]}, session_id=session, turn_id=new_id())
        await subject.log.append(session, [event])
        page = await subject.log.read(session)
        assert page.events == (event.model_copy(update={"sequence_number": 1}),)

    async def test_sessions_number_their_events_independently(self, subject: Subject) -> None:
        one, other = new_id(), new_id()
        await subject.log.append(one, [said("a"), said("b")])
        assert (await subject.log.append(other, [said("c")])).first_seq == 1

    async def test_or02_concurrent_writers_leave_neither_holes_nor_doubles(self, subject: Subject) -> None:
        """OR-02: and each writer's own events stay in the order it wrote them."""
        session = new_id()

        async def write(writer: int) -> list[Appended]:
            return [await subject.log.append(session, [said(f"{writer}:{turn}")]) for turn in range(8)]

        answers = await asyncio.gather(*(write(writer) for writer in range(16)))
        records = await everything(subject.log, session, limit=50)
        assert is_dense(records)
        assert len(records) == 16 * 8
        said_at = {record.seq: record.event.content for record in records if isinstance(record.event, UserMessage)}
        for writer, appended in enumerate(answers):
            assert [said_at[answer.first_seq] for answer in appended] == [f"{writer}:{turn}" for turn in range(8)]

    async def test_writers_of_two_processes_share_one_numbering(self, subject: Subject) -> None:
        session, other = new_id(), await subject.another()
        await asyncio.gather(*(log.append(session, [said("x")]) for log in (subject.log, other) for _ in range(10)))
        assert is_dense(await everything(subject.log, session))
        assert (await other.head(session)).last_seq == 20

    async def test_a_batch_with_one_bad_event_is_refused_as_a_whole(self, subject: Subject) -> None:
        session = new_id()
        with pytest.raises(UnattributedEventError):
            await subject.log.append(session, [said("good"), AssistantMessage(content="unattributed")])
        assert (await subject.log.head(session)).last_seq == 0
        assert (await subject.log.append(session, [said("next")])).first_seq == 1

    async def test_ft11_order_is_the_order_of_appending_whatever_the_clock_says(self, subject: Subject) -> None:
        """FT-11: a clock that jumps back does not move an event."""
        session = new_id()
        for day in (20, 3, 11):
            await subject.log.append(session, [said(str(day), timestamp=datetime(2026, 1, day, tzinfo=UTC))])
        assert await words(subject.log, session) == ["20", "3", "11"]

    async def test_ids_are_accepted_in_any_case_and_kept_in_upper_case(self, subject: Subject) -> None:
        """E-3: also where an event was made without validation."""
        session, event = new_id(), said("hello")
        lower = event.model_copy(update={"event_id": event.event_id.lower(), "session_id": session.lower()})
        await subject.log.append(session.lower(), [lower])
        (stored,) = (await subject.log.read(session)).events
        assert (stored.event_id, stored.session_id) == (event.event_id, session)

    @pytest.mark.parametrize(
        "text",
        ["\x00 null", "\u202e right to left", "\U0001f600\U00010348", "a\u0301" * 2000, '{"lc": 1, "__type__": "x"}'],
        ids=["nul", "direction", "astral", "combining", "reserved"],
    )
    async def test_bi05_bi06_odd_text_comes_back_unchanged(self, subject: Subject, text: str) -> None:
        """BI-05, BI-06."""
        session = new_id()
        await subject.log.append(session, [said(text), noted("k", {"$ref": text, "py/object": [text]})])
        message, note = (await subject.log.read(session)).events
        assert isinstance(message, UserMessage)
        assert isinstance(note, EffectRecorded)
        assert message.content == text
        assert note.result == {"$ref": text, "py/object": [text]}


@pytest.mark.asyncio
class RefusalContract:
    """What never enters the log."""

    @pytest.mark.parametrize(
        ("event", "error"),
        [
            (Event(type="no.such_type"), UnknownEventTypeError),
            (ContentDelta(delta="a piece"), EventRefusedError),
            (AssistantMessage(content="unattributed"), UnattributedEventError),
            (said("other", session_id=new_id()), EventRefusedError),
            (said("half a pair \ud800"), EventRefusedError),
        ],
        ids=["unknown", "transient", "unattributed", "foreign", "surrogate"],
    )
    async def test_what_cannot_be_recorded_is_refused(
        self, subject: Subject, event: Event, error: type[Exception]
    ) -> None:
        session = new_id()
        with pytest.raises(error):
            await subject.log.append(session, [event])
        assert (await subject.log.head(session)).last_seq == 0

    async def test_an_empty_batch_is_refused(self, subject: Subject) -> None:
        with pytest.raises(EventRefusedError, match="at least one"):
            await subject.log.append(new_id(), [])

    async def test_one_event_twice_in_a_batch_is_refused(self, subject: Subject) -> None:
        event = said("twice")
        with pytest.raises(EventRefusedError, match="same id"):
            await subject.log.append(new_id(), [event, event])

    async def test_bi03_an_event_above_the_size_limit_is_refused_and_says_the_limit(self, subject: Subject) -> None:
        """BI-03: one byte too many is too many, and what just fits is stored."""
        session = new_id()
        room = subject.event_bytes - len(said("", session_id=session).model_dump_json())
        await subject.log.append(session, [said("x" * room)])
        with pytest.raises(EventTooLargeError, match=str(subject.event_bytes)):
            await subject.log.append(session, [said("x" * (room + 1))])

    async def test_content_too_deep_to_be_read_back_is_refused(self, subject: Subject) -> None:
        deep: Any = "bottom"
        for _ in range(1000):
            deep = [deep]
        with pytest.raises(EventRefusedError):
            await subject.log.append(new_id(), [noted("k").model_copy(update={"result": deep})])

    async def test_a_session_id_that_is_no_uuid_is_refused(self, subject: Subject) -> None:
        with pytest.raises(ValueError, match="UUID"):
            await subject.log.append("../etc", [said("x")])
