"""The log as JSON Lines: out of one store, into another, and it is the same log.

    async for line in export_lines(log): print(line, file=file)
    await import_lines(other, lines)

The first line names the format. Each of the others is a record: its epoch, its position and its event.
"""

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from batuta.events.admission import revive
from batuta.events.catalogue import encode
from batuta.events.conversation import UserMessage
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.eventstore.replay import records_of
from batuta.kernel.errors import EventRefusedError, SequenceConflictError, UndecodableEventError
from batuta.kernel.ids import SessionId, session_id

FORMAT = {"format": "batuta event log", "version": 1}
BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import brought."""

    sessions: int
    events: int


@dataclass(frozen=True, slots=True)
class _Line:
    session_id: SessionId
    epoch: int
    seq: int
    event: Event


async def export_lines(log: EventLog, sessions: Iterable[str] | None = None) -> AsyncIterator[str]:
    """The log, or some of its sessions, line by line. What was erased is not in it, nor what follows it there."""
    yield json.dumps(FORMAT)
    async for owner in _chosen(log, sessions):
        async for record in records_of(log, owner):
            if record.event is None:
                break
            event = encode(record.event).decode()
            yield f'{{"epoch":{record.epoch},"seq":{record.seq},"event":{event}}}'


async def import_lines(log: EventLog, lines: AsyncIterable[str]) -> Imported:
    """Append what the lines hold, at the same positions. An import that broke off can be begun again.

    Raises:
        SequenceConflictError: the store holds something else at a position.
        UndecodableEventError: a line that is no record, with its number.
    """
    batch: list[_Line] = []
    sessions: set[SessionId] = set()
    events = 0
    async for line in _parsed(lines):
        if batch and not _belongs(line, batch):
            events += await _append(log, batch)
            batch = []
        batch.append(line)
        sessions.add(line.session_id)
    if batch:
        events += await _append(log, batch)
    return Imported(sessions=len(sessions), events=events)


async def _chosen(log: EventLog, sessions: Iterable[str] | None) -> AsyncIterator[SessionId]:
    if sessions is not None:
        for text in sessions:
            yield session_id(text)
        return
    after: SessionId | None = None
    while found := await log.sessions(after=after):
        for owner in found:
            yield owner
        after = found[-1]


async def _parsed(lines: AsyncIterable[str]) -> AsyncIterator[_Line]:
    number = 0
    async for text in lines:
        number += 1
        if number == 1:
            _check_format(text)
        elif text.strip():
            yield _line(text, number)


def _check_format(text: str) -> None:
    try:
        heading = json.loads(text)
    except ValueError:
        heading = None
    if heading != FORMAT:
        raise UndecodableEventError(f"line 1 must be {json.dumps(FORMAT)}, got {text[:100]!r}")


def _line(text: str, number: int) -> _Line:
    try:
        record: dict[str, Any] = json.loads(text)
        fields = record["event"]
        owner = session_id(fields["session_id"])
        event = revive(owner, record["seq"], str(fields["event_id"]).upper(), json.dumps(fields))
        return _Line(owner, int(record["epoch"]), int(record["seq"]), event)
    except (ValueError, KeyError, TypeError, UndecodableEventError) as error:
        raise UndecodableEventError(f"line {number} is no record of an event log: {error}") from error


def _belongs(line: _Line, batch: Sequence[_Line]) -> bool:
    last = batch[-1]
    return (
        (line.session_id, line.epoch, line.seq) == (last.session_id, last.epoch, last.seq + 1)
        and len(batch) < BATCH
        and _client_key(line) is None
        and _client_key(last) is None
    )


def _client_key(line: _Line) -> str | None:
    """A message keeps its key, so that a client that sends it once more is still recognised."""
    return line.event.client_message_id if isinstance(line.event, UserMessage) else None


async def _append(log: EventLog, batch: Sequence[_Line]) -> int:
    """Append what the store does not hold yet; what it holds must be the same."""
    owner = batch[0].session_id
    head = await log.head(owner)
    if batch[0].seq > head.last_seq + 1:
        raise EventRefusedError(f"session {owner}: the file jumps from {head.last_seq} to {batch[0].seq}")
    held = [line for line in batch if line.seq <= head.last_seq]
    await _check_same(log, held)
    news = batch[len(held) :]
    if news:
        await _reach_epoch(log, news[0])
        await log.append(owner, [line.event for line in news], client_key=_client_key(news[0]))
    return len(batch)


async def _check_same(log: EventLog, lines: Sequence[_Line]) -> None:
    if not lines:
        return
    page = await log.read(lines[0].session_id, after=lines[0].seq - 1, limit=len(lines))
    stored = [(record.epoch, record.seq, record.event and record.event.event_id) for record in page.records]
    if stored != [(line.epoch, line.seq, line.event.event_id) for line in lines]:
        raise SequenceConflictError(
            f"session {lines[0].session_id}: the store holds other events from position {lines[0].seq} on"
        )


async def _reach_epoch(log: EventLog, line: _Line) -> None:
    while (await log.head(line.session_id)).epoch < line.epoch:
        await log.begin_epoch(line.session_id)
