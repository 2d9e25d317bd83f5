"""A cancellation while PostgreSQL takes no more rows ends the call, and the connection can be used again."""

import asyncio
import os
import signal

import asyncpg
import pytest

from batuta.kernel.postgres import execute_many

INSERT = "INSERT INTO words VALUES ($1)"
ROWS = [("x" * 100_000,)] * 300
"""More than the buffers of both sides hold."""


async def test_rows_that_are_cancelled_half_way_end_and_leave_the_connection_whole(log_url: str) -> None:
    """The server is stopped in the middle: without `execute_many` the call waits for ever once the server goes on."""
    connection = await asyncpg.connect(log_url)
    try:
        await connection.execute("CREATE TEMP TABLE words (word text)")
        await execute_many(connection, INSERT, ROWS[:1])  # from now on the statement is prepared
        server = await connection.fetchval("SELECT pg_backend_pid()")
        os.kill(server, signal.SIGSTOP)
        try:
            writing = asyncio.create_task(execute_many(connection, INSERT, ROWS))
            while not connection._transport.get_write_buffer_size():  # type: ignore[attr-defined]
                await asyncio.sleep(0.01)
            writing.cancel()
            for _ in range(5):
                await asyncio.sleep(0)
        finally:
            os.kill(server, signal.SIGCONT)
        async with asyncio.timeout(60):
            with pytest.raises(asyncio.CancelledError):
                await writing
        assert await connection.fetchval("SELECT count(*) FROM words") == len(ROWS) + 1
    finally:
        await connection.close(timeout=5)
