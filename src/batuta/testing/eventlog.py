"""The conformance suite of the event log: what any backend has to pass. Needs pytest and pytest-asyncio.

class TestMyLog(EventLogContract):
    @pytest.fixture
    async def subject(self) -> AsyncIterator[Subject]:
        yield Subject(log=MyLog(...), another=..., damage=..., alarms=...)
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from batuta.events.conversation import AssistantMessage, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import Alarm, Appended, EventLog, Record
from batuta.events.progress import ContentDelta
from batuta.events.runtime import EffectRecorded
from batuta.kernel.errors import (
    EventRefusedError,
    EventTooLargeError,
    FencedError,
    IdempotencyConflictError,
    SequenceConflictError,
    StaleEpochError,
    UnattributedEventError,
    UndecodableEventError,
    UnknownEventTypeError,
)
from batuta.kernel.ids import new_id


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The log under test, and what the suite does to it from outside."""

    log: EventLog
    another: Callable[[], Awaitable[EventLog]]
    """Open one more log on the same store, as another process would. The fixture closes it."""
    damage: Callable[[str, int, str], Awaitable[None]]
    """Put this text in place of what the store holds at a position of a session."""
    alarms: list[Alarm] = field(default_factory=list)
    """What the log under test reported."""
    event_bytes: int = 1_048_576
    """The size limit it was configured with."""


class LostAnswers:
    """A log whose every operation takes effect, while the caller only sees a timeout."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def executed_but_unanswered(*args: Any, **kwargs: Any) -> None:
            await getattr(self._log, name)(*args, **kwargs)
            raise TimeoutError(f"{name} was executed; its answer got lost")

        return executed_but_unanswered


async def sent_again(log: EventLog, operation: str, *args: Any, **kwargs: Any) -> Any:
    """What an operation answers when it is sent again after its first answer got lost."""
    with pytest.raises(TimeoutError):
        await getattr(LostAnswers(log), operation)(*args, **kwargs)
    return await getattr(log, operation)(*args, **kwargs)


def said(text: str, **envelope: Any) -> UserMessage:
    """A person's message."""
    return UserMessage(content=text, **envelope)


def noted(key: str, result: Any = None, **envelope: Any) -> EffectRecorded:
    """Something an owner of a turn writes down."""
    return EffectRecorded(key=key, kind="read", name="note", result=result, **envelope)


async def everything(log: EventLog, session: str, limit: int = 500) -> list[Record]:
    """All records of a session, page by page."""
    records: list[Record] = []
    while True:
        page = await log.read(session, after=records[-1].seq if records else 0, limit=limit)
        records += page.records
        if page.is_last:
            return records


async def words(log: EventLog, session: str) -> list[str]:
    """What the people of a session said, in order."""
    return [record.event.content for record in await everything(log, session) if isinstance(record.event, UserMessage)]


def _is_dense(records: Sequence[Record]) -> bool:
    return [record.seq for record in records] == list(range(1, len(records) + 1))


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

    async def test_concurrent_writers_leave_neither_holes_nor_doubles(self, subject: Subject) -> None:
        """OR-02: and each writer's own events stay in the order it wrote them."""
        session = new_id()

        async def write(writer: int) -> list[Appended]:
            return [await subject.log.append(session, [said(f"{writer}:{turn}")]) for turn in range(8)]

        answers = await asyncio.gather(*(write(writer) for writer in range(16)))
        records = await everything(subject.log, session, limit=50)
        assert _is_dense(records)
        assert len(records) == 16 * 8
        said_at = {record.seq: record.event.content for record in records if isinstance(record.event, UserMessage)}
        for writer, appended in enumerate(answers):
            assert [said_at[answer.first_seq] for answer in appended] == [f"{writer}:{turn}" for turn in range(8)]

    async def test_writers_of_two_processes_share_one_numbering(self, subject: Subject) -> None:
        session, other = new_id(), await subject.another()
        await asyncio.gather(*(log.append(session, [said("x")]) for log in (subject.log, other) for _ in range(10)))
        assert _is_dense(await everything(subject.log, session))
        assert (await other.head(session)).last_seq == 20

    async def test_a_batch_with_one_bad_event_is_refused_as_a_whole(self, subject: Subject) -> None:
        session = new_id()
        with pytest.raises(UnattributedEventError):
            await subject.log.append(session, [said("good"), AssistantMessage(content="by nobody")])
        assert (await subject.log.head(session)).last_seq == 0
        assert (await subject.log.append(session, [said("next")])).first_seq == 1

    async def test_order_is_the_order_of_appending_whatever_the_clock_says(self, subject: Subject) -> None:
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
    async def test_odd_text_comes_back_unchanged(self, subject: Subject, text: str) -> None:
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
            (AssistantMessage(content="by nobody"), UnattributedEventError),
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

    async def test_an_event_above_the_size_limit_is_refused_and_says_the_limit(self, subject: Subject) -> None:
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


@pytest.mark.asyncio
class IdempotencyContract:
    """Sending something again is harmless and answers the same."""

    async def test_the_same_events_again_are_stored_once(self, subject: Subject) -> None:
        session, batch = new_id(), [said("a"), said("b")]
        first = await subject.log.append(session, batch)
        await subject.log.append(session, [said("c")])
        assert await subject.log.append(session, batch) == first
        assert await words(subject.log, session) == ["a", "b", "c"]

    async def test_an_append_whose_answer_got_lost_can_be_sent_again(self, subject: Subject) -> None:
        """FT-01: executed, but the caller saw a timeout."""
        session = new_id()
        answer = await sent_again(subject.log, "append", session, [said("once")])
        assert answer == Appended(epoch=1, first_seq=1, count=1)
        assert await words(subject.log, session) == ["once"]

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

    async def test_a_message_whose_answer_got_lost_can_be_sent_again(self, subject: Subject) -> None:
        session = new_id()
        answer = await sent_again(subject.log, "append", session, [said("hello")], client_key="m1")
        assert answer == Appended(epoch=1, first_seq=1, count=1)

    @pytest.mark.parametrize("key", ["", "x" * 256, "a\x00b", "a\ud800"], ids=["empty", "long", "nul", "surrogate"])
    async def test_a_client_key_is_a_short_plain_text(self, subject: Subject, key: str) -> None:
        with pytest.raises(EventRefusedError, match="client key"):
            await subject.log.append(new_id(), [said("x")], client_key=key)


@pytest.mark.asyncio
class FenceContract:
    """A stale owner writes nothing."""

    async def test_an_owner_with_a_lower_token_is_refused(self, subject: Subject) -> None:
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

    async def test_a_fence_whose_answer_got_lost_can_be_raised_again(self, subject: Subject) -> None:
        session = new_id()
        await sent_again(subject.log, "raise_fence", session, 4)
        assert (await subject.log.head(session)).fence == 4


@pytest.mark.asyncio
class ReadContract:
    """Readers get everything, in order, or are told that they cannot."""

    async def test_pages_follow_one_another_without_overlap(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said(str(number)) for number in range(7)])
        first = await subject.log.read(session, limit=3)
        last = await subject.log.read(session, after=6, limit=3)
        assert [record.seq for record in first.records] == [1, 2, 3]
        assert (first.is_last, last.is_last) == (False, True)
        assert [record.seq for record in last.records] == [7]
        assert await words(subject.log, session) == [str(number) for number in range(7)]

    async def test_a_session_nobody_wrote_to_is_empty(self, subject: Subject) -> None:
        page = await subject.log.read(new_id())
        assert (page.records, page.is_last, page.head.position) == ((), True, (1, 0))

    @pytest.mark.parametrize("position", [{"after": -1}, {"limit": 0}, {"after": 0, "limit": -5}], ids=str)
    async def test_positions_that_make_no_sense_are_refused(self, subject: Subject, position: dict[str, int]) -> None:
        """BI-12."""
        with pytest.raises(ValueError, match=r"position|limit"):
            await subject.log.read(new_id(), **position)

    @pytest.mark.parametrize("after", [3, 2**63, 2**80])
    async def test_a_position_beyond_the_end_is_stale(self, subject: Subject, after: int) -> None:
        """BI-12: whoever saw it saw something this log does not hold."""
        session = new_id()
        await subject.log.append(session, [said("a"), said("b")])
        with pytest.raises(StaleEpochError):
            await subject.log.read(session, after=after, epoch=1)

    async def test_a_new_epoch_continues_the_numbering(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said("a")])
        assert await subject.log.begin_epoch(session) == 2
        assert await subject.log.append(session, [said("b")]) == Appended(epoch=2, first_seq=2, count=1)
        assert [(record.epoch, record.seq) for record in await everything(subject.log, session)] == [(1, 1), (2, 2)]

    async def test_a_position_of_a_lost_epoch_is_stale(self, subject: Subject) -> None:
        """FP14: the reader saw position 2 of epoch 1, which is gone; what is there now is another event."""
        session = new_id()
        await subject.log.append(session, [said("a")])
        await subject.log.begin_epoch(session)
        await subject.log.append(session, [said("b"), said("c")])
        with pytest.raises(StaleEpochError):
            await subject.log.read(session, after=2, epoch=1)

    async def test_a_position_that_survived_its_epoch_is_good(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said("a")])
        await subject.log.begin_epoch(session)
        await subject.log.append(session, [said("b")])
        page = await subject.log.read(session, after=1, epoch=1)
        assert [(record.epoch, record.seq) for record in page.records] == [(2, 2)]

    async def test_a_damaged_record_hides_nothing_else(self, subject: Subject) -> None:
        """SE-03: one record is unreadable; its neighbours and other sessions are not."""
        session, other = new_id(), new_id()
        await subject.log.append(session, [said("a"), said("b"), said("c")])
        await subject.log.append(other, [said("fine")])
        await subject.damage(session, 2, "\x80\x04c__builtin__\neval")
        with pytest.raises(UndecodableEventError, match=f"{session} position 2"):
            await subject.log.read(session)
        assert [record.seq for record in (await subject.log.read(session, limit=1)).records] == [1]
        assert [record.seq for record in (await subject.log.read(session, after=2)).records] == [3]
        assert await words(subject.log, other) == ["fine"]
        assert (await subject.log.append(session, [said("d")])).first_seq == 4

    async def test_a_record_of_a_type_nobody_knows_is_unreadable(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said("a")])
        await subject.damage(session, 1, '{"type": "from.the.future", "version": 9}')
        with pytest.raises(UndecodableEventError, match="position 1"):
            await subject.log.read(session)

    async def test_a_foreign_event_in_place_of_ours_is_unreadable(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said("a")])
        await subject.damage(session, 1, said("planted", session_id=session).model_dump_json())
        with pytest.raises(UndecodableEventError, match="stored as event"):
            await subject.log.read(session)

    async def test_sessions_are_listed_in_order_page_by_page(self, subject: Subject) -> None:
        ids = sorted(new_id() for _ in range(5))
        for session in reversed(ids):
            await subject.log.append(session, [said("x")])
        assert list(await subject.log.sessions()) == ids
        assert list(await subject.log.sessions(after=ids[1], limit=2)) == ids[2:4]


@pytest.mark.asyncio
class TailContract:
    """The doorbell is a hint."""

    async def test_the_doorbell_rings_for_a_session_that_was_written_to(self, subject: Subject) -> None:
        session = new_id()
        async with subject.log.tail() as bell:
            await subject.log.append(session, [said("ring")])
            assert session in await bell.wait(5)

    async def test_a_doorbell_for_one_session_is_silent_for_others(self, subject: Subject) -> None:
        mine, other = new_id(), new_id()
        async with subject.log.tail([mine.lower()]) as bell:
            await subject.log.append(other, [said("not for me")])
            await subject.log.append(mine, [said("for me")])
            assert await bell.wait(5) == {mine}

    async def test_a_doorbell_that_does_not_ring_answers_in_time(self, subject: Subject) -> None:
        async with subject.log.tail([new_id()]) as bell:
            assert await bell.wait(0.01) == frozenset()

    async def test_the_doorbell_rings_for_another_process(self, subject: Subject) -> None:
        """Within a second, by whatever means; a reader that also looks by time would not need it."""
        session, other = new_id(), await subject.another()
        await other.append(session, [said("earlier")])
        async with subject.log.tail([session]) as bell:
            await bell.wait(0)
            await other.append(session, [said("ring")])
            assert await bell.wait(5) == {session}


@pytest.mark.asyncio
class ConsumerContract:
    """A consumer knows how far it is, and nobody works twice unnoticed."""

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

    async def test_nobody_is_ahead_of_the_log(self, subject: Subject) -> None:
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
        await sent_again(subject.log, "subscribe", "views")
        await subject.log.append(session, [said("a")])
        await subject.log.advance("views", session, after=0, to=1)
        await subject.log.subscribe("views")
        assert await subject.log.behind("views") == []

    async def test_an_advance_whose_answer_got_lost_can_be_sent_again(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.subscribe("views")
        await subject.log.append(session, [said("a")])
        await sent_again(subject.log, "advance", "views", session, after=0, to=1)
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


class EventLogContract(
    AppendContract,
    RefusalContract,
    IdempotencyContract,
    FenceContract,
    ReadContract,
    TailContract,
    ConsumerContract,
    LifeContract,
):
    """All of it. Subclass it with a fixture `subject`."""
