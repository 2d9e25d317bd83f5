"""Export and import: the log as JSON Lines, out of one store and into another."""

import json
from collections.abc import AsyncIterator, Iterable

import pytest

from batuta.events.log import EventLog
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.transfer import BATCH, FORMAT, Imported, export_lines, import_lines
from batuta.kernel.errors import EventRefusedError, SequenceConflictError, UndecodableEventError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import everything, noted, said
from tests.support.stores import Store


async def exported(log: EventLog, sessions: Iterable[str] | None = None) -> list[str]:
    return [line async for line in export_lines(log, sessions)]


async def streamed(lines: Iterable[str]) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def filled(log: EventLog) -> list[str]:
    """Two sessions: one with odd text and a message under a key, one with two epochs and more than a batch."""
    one, other = sorted((new_id(), new_id()))
    await log.append(one, [said('\x00 \u202e 😀 {"seq": 9}', client_message_id="m1")], client_key="m1")
    await log.append(one, [noted("k", {"deep": [1, {"a": None}]}), noted("l", 2.5)])
    await log.append(other, [noted(str(number)) for number in range(BATCH + 50)])
    await log.begin_epoch(other)
    await log.begin_epoch(other)
    await log.append(other, [noted("reborn")])
    return [one, other]


async def test_an_imported_log_equals_the_exported_one(store: Store) -> None:
    """S-23: positions, epochs, ids and contents, from memory into every store and back."""
    source, back = MemoryEventLog(), MemoryEventLog()
    sessions = await filled(source)
    lines = await exported(source)
    assert await import_lines(store.log, streamed(lines)) == Imported(sessions=2, events=BATCH + 54)
    assert await exported(store.log) == lines
    await import_lines(back, streamed(await exported(store.log)))
    for session in sessions:
        assert await everything(back, session) == await everything(source, session)


async def test_an_import_that_broke_off_can_be_begun_again(store: Store) -> None:
    source = MemoryEventLog()
    await filled(source)
    lines = await exported(source)
    await import_lines(store.log, streamed(lines[: 1 + 3 + BATCH]))
    await import_lines(store.log, streamed(lines))
    await import_lines(store.log, streamed(lines))
    assert await exported(store.log) == lines


async def test_a_client_is_still_recognised_after_the_move(store: Store) -> None:
    source = MemoryEventLog()
    one, _ = await filled(source)
    await import_lines(store.log, streamed(await exported(source)))
    again = said('\x00 \u202e 😀 {"seq": 9}', client_message_id="m1")
    assert (await store.log.append(one, [again], client_key="m1")).first_seq == 1


async def test_some_sessions_can_be_exported_alone(store: Store) -> None:
    one, _ = await filled(store.log)
    assert len(await exported(store.log, [one.lower()])) == 1 + 3


async def test_a_session_that_is_somewhere_else_already_is_an_error(store: Store) -> None:
    source, session = MemoryEventLog(), new_id()
    await source.append(session, [said("theirs")])
    await store.log.append(session, [said("ours")])
    with pytest.raises(SequenceConflictError):
        await import_lines(store.log, streamed(await exported(source)))
    assert len(await everything(store.log, session)) == 1


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"seq": 1}', '{"epoch": 1, "seq": 1, "event": {"session_id": "x", "type": "y"}}'],
)
async def test_a_line_that_is_no_record_is_named(line: str) -> None:
    with pytest.raises(UndecodableEventError, match="line 3"):
        await import_lines(MemoryEventLog(), streamed([json.dumps(FORMAT), "", line]))


async def test_a_file_of_something_else_is_refused() -> None:
    with pytest.raises(UndecodableEventError, match="line 1"):
        await import_lines(MemoryEventLog(), streamed(["id,name", "1,a"]))


async def test_a_hole_in_the_file_is_an_error() -> None:
    source, target = MemoryEventLog(), MemoryEventLog()
    session = new_id()
    await source.append(session, [said("a"), said("b"), said("c")])
    lines = await exported(source)
    with pytest.raises(EventRefusedError, match="jumps"):
        await import_lines(target, streamed([lines[0], lines[1], lines[3]]))
