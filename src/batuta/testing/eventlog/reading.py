"""What readers get, and who tells them that there is something to read."""

import pytest

from batuta.events.log import Appended, Grown
from batuta.events.wire import opened
from batuta.kernel.errors import (
    EventRefusedError,
    StaleEpochError,
    UndecodableEventError,
)
from batuta.kernel.ids import SessionId, new_id
from batuta.testing.eventlog.subject import Subject, everything, said, words


@pytest.mark.asyncio
class ReadContract:
    """Readers get everything, in order, or an error that says why not."""

    async def test_pages_follow_one_another_without_overlap(self, subject: Subject) -> None:
        session = new_id()
        await subject.log.append(session, [said(str(number)) for number in range(7)])
        first = await subject.log.read(session, limit=3)
        last = await subject.log.read(session, after=6, limit=3)
        assert [record.seq for record in first.records] == [1, 2, 3]
        assert (first.is_last, last.is_last) == (False, True)
        assert [record.seq for record in last.records] == [7]
        assert await words(subject.log, session) == [str(number) for number in range(7)]

    async def test_records_can_be_had_as_they_are_kept(self, subject: Subject) -> None:
        """The same positions, ids and head, page by page; `opened` makes of them what `read` gives."""
        session = new_id()
        await subject.log.append(session, [said(str(number)) for number in range(5)])
        for after in (0, 3, 5):
            page = await subject.log.read(session.lower(), after=after, limit=3)
            stored = await subject.log.read_stored(session.lower(), after=after, limit=3)
            assert opened(stored) == page
            assert (stored.session_id, stored.is_last) == (session, page.is_last)
            assert [record.event_id for record in stored.records] == [event.event_id for event in page.events]
        with pytest.raises(StaleEpochError):
            await subject.log.read_stored(session, after=6, epoch=1)
        with pytest.raises(ValueError, match="position"):
            await subject.log.read_stored(session, after=-1)

    async def test_a_session_nobody_wrote_to_is_empty(self, subject: Subject) -> None:
        page = await subject.log.read(new_id())
        assert (page.records, page.is_last, page.head.position) == ((), True, (1, 0))

    @pytest.mark.parametrize("position", [{"after": -1}, {"limit": 0}, {"after": 0, "limit": -5}], ids=str)
    async def test_bi12_positions_that_make_no_sense_are_refused(
        self, subject: Subject, position: dict[str, int]
    ) -> None:
        """BI-12."""
        with pytest.raises(ValueError, match=r"position|limit"):
            await subject.log.read(new_id(), **position)

    @pytest.mark.parametrize("after", [3, 2**63, 2**80])
    async def test_bi12_a_position_beyond_the_end_is_stale(self, subject: Subject, after: int) -> None:
        """BI-12: its reader saw something this log does not hold."""
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

    async def test_se03_a_damaged_record_hides_nothing_else(self, subject: Subject) -> None:
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

    async def test_the_heads_of_many_sessions_are_seen_in_one_look(self, subject: Subject) -> None:
        short, long, leased, unknown = (new_id() for _ in range(4))
        await subject.log.append(short, [said("a")])
        await subject.log.append(long, [said("b"), said("c")])
        await subject.log.raise_fence(leased, 3)
        assert await subject.log.heads([short.lower(), long, leased, unknown]) == {short: 1, long: 2}
        assert await subject.log.heads([]) == {}


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

    async def test_who_listens_hears_what_was_stored_and_where(self, subject: Subject) -> None:
        """It can be read already when it is heard of; what was refused is not heard of."""
        session, heard, batch = new_id(), list[Grown](), [said("b"), said("c")]
        await subject.log.append(session, [said("a")])
        with subject.log.listening(heard.append):
            await subject.log.append(session.lower(), batch)
            with pytest.raises(EventRefusedError):
                await subject.log.append(session, [])
        await subject.log.append(session, [said("d")])
        ((owner, appended, events, payloads),) = heard
        assert (owner, appended) == (session, Appended(epoch=1, first_seq=2, count=2))
        page = await subject.log.read_stored(session, after=1, limit=2)
        assert [record.event_id for record in page.records] == [event.event_id for event in events]
        assert [record.payload for record in page.records] == list(payloads)

    async def test_what_comes_again_is_not_handed_to_those_who_listen(self, subject: Subject) -> None:
        """Its ids, and what was erased meanwhile, may differ from what the log holds: a caller has to look."""
        session, heard, batch = new_id(), list[Grown](), [said("a")]
        await subject.log.append(session, batch)
        await subject.log.append(session, [said("b")], client_key="k")
        with subject.log.listening(heard.append):
            await subject.log.append(session, batch)
            await subject.log.append(session, [said("b")], client_key="k")
        assert heard == [Grown(SessionId(session))] * 2

    async def test_a_listener_that_fails_harms_no_append(self, subject: Subject) -> None:
        def broken(grown: Grown) -> None:
            raise RuntimeError(grown.session_id)

        session = new_id()
        with subject.log.listening(broken):
            await subject.log.append(session, [said("a")])
        assert await words(subject.log, session) == ["a"]

    async def test_or08_a_doorbell_that_does_not_ring_answers_in_time(self, subject: Subject) -> None:
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
