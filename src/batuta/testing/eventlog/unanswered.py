"""Executed, but the caller saw a timeout: each operation of the log."""

import inspect
from typing import Any

import pytest

from batuta.events.admission import admit
from batuta.events.log import EventLog, Record
from batuta.kernel.ids import SessionId
from batuta.testing.eventlog.subject import Subject, everything, noted, said
from batuta.testing.lost_answers import LEFT_OUT, Case, Send, check, lost_in_the_process


async def _append(log: EventLog, session: str) -> Send:
    batch = [said("a"), noted("b")]
    return lambda: log.append(session, batch)


async def _append_as_owner(log: EventLog, session: str) -> Send:
    await log.append(session, [noted("before")], fence=2)
    batch = [noted("a")]
    return lambda: log.append(session, batch, fence=3)


async def _append_with_a_key(log: EventLog, session: str) -> Send:
    """A client that repeats itself makes new events."""
    return lambda: log.append(session, [said("hello")], client_key="m1")


async def _append_batch(log: EventLog, session: str) -> Send:
    batch = admit(session, [said("a"), noted("b")], fence=2, limits=log.limits)
    return lambda: log.append_batch(batch)


async def _read(log: EventLog, session: str) -> Send:
    await log.append(session, [said("a"), said("b")])

    async def send() -> Any:
        page = await log.read(session, after=1, epoch=1)
        return [record.seq for record in page.records], page.head

    return send


async def _read_stored(log: EventLog, session: str) -> Send:
    await log.append(session, [said("a"), said("b")])

    async def send() -> Any:
        page = await log.read_stored(session, after=1, epoch=1)
        return [record.seq for record in page.records], page.head

    return send


async def _head(log: EventLog, session: str) -> Send:
    await log.append(session, [said("a")])
    return lambda: log.head(session)


async def _heads(log: EventLog, session: str) -> Send:
    await log.append(session, [said("a")])

    async def last_position() -> int | None:
        return (await log.heads([session])).get(SessionId(session))

    return last_position


async def _raise_fence(log: EventLog, session: str) -> Send:
    await log.append(session, [noted("a")], fence=1)
    return lambda: log.raise_fence(session, 4)


async def _begin_epoch(log: EventLog, session: str) -> Send:
    await log.append(session, [said("a")])

    async def send() -> Any:
        """One epoch more is harmless: readers of the one before get the same answer."""
        await log.begin_epoch(session)

    return send


async def _sessions(log: EventLog, session: str) -> Send:
    await log.append(session, [said("a")])

    async def send() -> Any:
        return session in await log.sessions()

    return send


async def _subscribe(log: EventLog, session: str) -> Send:
    await log.append(session, [said("a")])

    async def send() -> Any:
        await log.subscribe("views")
        return await _lag(log, session)

    return send


async def _behind(log: EventLog, session: str) -> Send:
    await log.subscribe("views")
    await log.append(session, [said("a"), said("b")])
    return lambda: _lag(log, session)


async def _advance(log: EventLog, session: str) -> Send:
    await log.subscribe("views")
    await log.append(session, [said("a"), said("b")])

    async def send() -> Any:
        await log.advance("views", session, after=0, to=1)
        return await _lag(log, session)

    return send


async def _durability(log: EventLog, session: str) -> Send:
    async def send() -> Any:
        return (await log.durability()).mode

    return send


async def _lag(log: EventLog, session: str) -> Any:
    return [(lag.after, lag.last_seq) for lag in await log.behind("views") if lag.session_id == session]


LOG_CASES = (
    Case(operation="append", prepare=_append),
    Case(operation="append", variant="as owner", prepare=_append_as_owner),
    Case(operation="append", variant="with a client key", prepare=_append_with_a_key),
    Case(operation="append_batch", prepare=_append_batch),
    Case(operation="read", prepare=_read),
    Case(operation="read_stored", prepare=_read_stored),
    Case(operation="head", prepare=_head),
    Case(operation="heads", prepare=_heads),
    Case(operation="raise_fence", prepare=_raise_fence),
    Case(operation="begin_epoch", prepare=_begin_epoch),
    Case(operation="sessions", prepare=_sessions),
    Case(operation="subscribe", prepare=_subscribe),
    Case(operation="behind", prepare=_behind),
    Case(operation="advance", prepare=_advance),
    Case(operation="durability", prepare=_durability),
)


async def state_of_log(log: EventLog, session: str) -> dict[str, Any]:
    """What a session holds, without what differs between any two sessions."""
    head = await log.head(session)
    records = await everything(log, session)
    return {"last": head.last_seq, "fence": head.fence, "events": [_content(record) for record in records]}


def _content(record: Record) -> Any:
    event = record.event
    return record.seq, event and event.model_dump(include={"type", "content", "key", "result"})


@pytest.mark.asyncio
class LostAnswerContract:
    """FT-01: nothing is lost, doubled or stuck when an answer is."""

    @pytest.mark.parametrize("case", LOG_CASES, ids=str)
    async def test_an_operation_whose_answer_got_lost_is_sent_again(self, subject: Subject, case: Case) -> None:
        await check(case, subject.log, lambda session: state_of_log(subject.log, session), lost_in_the_process)

    async def test_every_operation_is_among_them(self) -> None:
        promised = {name for name, _ in inspect.getmembers(EventLog, inspect.isfunction) if not name.startswith("_")}
        assert {case.operation for case in LOG_CASES} == promised - set(LEFT_OUT)
