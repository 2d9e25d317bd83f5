"""Rows to measure on: a hundred thousand sessions of one person, and one session of five thousand events."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa

from batuta.events.conversation import AssistantMessage, UserMessage
from batuta.events.envelope import Event
from batuta.events.tools import ToolRequest, ToolResponse
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.ids import MessageId, SessionId, TurnId, new_id
from batuta.server.backends import open_backends
from batuta.server.config import Settings
from batuta.server.database.tables import messages, read_sessions, user_sessions, users

BATCH = 5_000


async def add_sessions(settings: Settings, email: str, count: int) -> None:
    """Sessions with a title and a message each."""
    async with open_backends(settings) as store:
        for begin in range(0, count, BATCH):
            await store.database.write(partial(_add_batch, email=email, begin=begin))
        if settings.database_url is not None:
            await store.database.write(lambda connection: connection.execute(sa.text("ANALYZE")).close())


def _add_batch(connection: sa.Connection, email: str, begin: int) -> None:
    now = SYSTEM_CLOCK.now()
    owner = _owner(connection, email)
    moments = [(new_id(), now - timedelta(seconds=number)) for number in range(begin, begin + BATCH)]
    connection.execute(
        sa.insert(user_sessions),
        [{**owner, "session_id": session, "created_at": at, "touched_at": at} for session, at in moments],
    )
    connection.execute(sa.insert(read_sessions), [_read_row(session, at) for session, at in moments])
    connection.execute(sa.insert(messages), [_message_row(session, at) for session, at in moments])


def _read_row(session: str, at: datetime) -> dict[str, Any]:
    counts = dict.fromkeys(("message_count", "turn_count", "llm_calls", "input_tokens", "output_tokens"), 0)
    row = {"session_id": session, "epoch": 1, "last_seq": 1, "title": f"Chairs and {session[-4:]}"}
    return {**row, **counts, "cost_nanos": 0, "unpriced_calls": 0, "created_at": at, "updated_at": at}


def _message_row(session: str, at: datetime) -> dict[str, Any]:
    row = {"session_id": session, "seq": 1, "epoch": 1, "event_id": new_id(), "role": "user", "type": "user_message"}
    return {**row, "content": "How many chairs are there?", "is_internal": False, "body": "{}", "created_at": at}


def _owner(connection: sa.Connection, email: str) -> dict[str, Any]:
    person = connection.execute(sa.select(users).where(users.c.email == email)).mappings().one()
    return {"user_id": person["user_id"], "workspace_id": person["workspace_id"], "is_archived": False}


async def add_long_session(settings: Settings, email: str, count: int) -> str:
    """A session of so many stored events: questions, tool calls, answers."""
    session, now = new_id(), SYSTEM_CLOCK.now()

    def add(connection: sa.Connection) -> None:
        row = {**_owner(connection, email), "session_id": session, "created_at": now, "touched_at": now}
        connection.execute(sa.insert(user_sessions).values(row))

    async with open_backends(settings) as store:
        await store.database.write(add)
        for _ in range(0, count, 500):
            await store.log.append(session, [event for _ in range(125) for event in _exchange(session)])
        await store.projector.catch_up()
    return session


def _exchange(session: str) -> list[Event]:
    facts: dict[str, Any] = {
        "session_id": SessionId(session),
        "turn_id": TurnId(new_id()),
        "source_agent_id": "stock",
    }
    call: dict[str, Any] = {**facts, "tool_use_id": new_id(), "tool_name": "look_up"}
    return [
        UserMessage(**facts, message_id=MessageId(new_id()), content="How many chairs are there?"),
        ToolRequest(**call, args={"item": "chair"}),
        ToolResponse(**call, success=True, content="12 in stock"),
        AssistantMessage(**facts, message_id=MessageId(new_id()), content="There are twelve. " * 12),
    ]
