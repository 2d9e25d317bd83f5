"""Messages go before files, and files are read all the same (P-36)."""

import asyncio
from datetime import timedelta

import pytest

from batuta.server.policy import EVENTS, ROUTES, Priority
from batuta.server.precedence import MessagePrecedence

FOREVER = timedelta(days=1)


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_step_of_a_file_waits_until_the_message_is_accepted() -> None:
    precedence = MessagePrecedence(patience=FOREVER)
    async with precedence.by_priority(Priority.FIRST):
        step = asyncio.create_task(precedence.give_way())
        await _settled()
        assert not step.done()
    await step


async def test_it_waits_for_the_last_of_several_messages() -> None:
    precedence = MessagePrecedence(patience=FOREVER)
    async with precedence.by_priority(Priority.FIRST):
        async with precedence.by_priority(Priority.FIRST):
            step = asyncio.create_task(precedence.give_way())
            await _settled()
        await _settled()
        assert not step.done()
    await step


async def test_messages_that_never_stop_do_not_starve_files() -> None:
    """Patience ends, though the message is still there."""
    precedence = MessagePrecedence(patience=timedelta(milliseconds=1))
    async with precedence.by_priority(Priority.FIRST), precedence.by_priority(Priority.LATER):
        pass


async def test_a_message_that_failed_stands_in_the_way_no_longer() -> None:
    precedence = MessagePrecedence(patience=FOREVER)
    with pytest.raises(ZeroDivisionError):
        async with precedence.by_priority(Priority.FIRST):
            _ = 1 // 0
    await precedence.give_way()


async def test_other_requests_neither_wait_nor_are_waited_for() -> None:
    precedence = MessagePrecedence(patience=FOREVER)
    async with precedence.by_priority(Priority.FIRST), precedence.by_priority(Priority.ANY):
        pass
    async with precedence.by_priority(Priority.ANY):
        await precedence.give_way()


def test_messages_go_first_and_uploads_later_whichever_way_they_come() -> None:
    first = {name for name, rule in (ROUTES | EVENTS).items() if rule.priority is Priority.FIRST}
    later = {name for name, rule in (ROUTES | EVENTS).items() if rule.priority is Priority.LATER}
    assert first == {"POST /api/sessions/{session_id}/messages", "POST /api/agui", "chat:message"}
    assert later == {"POST /api/files", "PATCH /api/files/{file_id}/upload"}
