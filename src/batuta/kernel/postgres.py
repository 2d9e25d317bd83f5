"""Many rows to PostgreSQL in a way that a cancellation cannot break.

`asyncpg` ends its `executemany` with `finally: return await waiter`. A cancellation that comes while the rows do not
fit into the socket is thereby swallowed: the call goes on to wait for an answer, and since neither the other rows nor
the final sync are sent, it waits for ever, or returns as if nothing had been asked of it. So nothing but this function
calls it, and it lets the driver come to its end first.
"""

from collections.abc import Coroutine, Iterable
from typing import Any, Protocol

from batuta.kernel.tasks import await_shielded


class ManyRows(Protocol):
    """A connection of `asyncpg`, or one of its pool."""

    def executemany(self, command: str, args: Iterable[Any]) -> Coroutine[Any, Any, None]:
        """Run a statement with each row of arguments."""
        ...


async def execute_many(connection: ManyRows, statement: str, rows: Iterable[Any]) -> None:
    """Run a statement with each row; a cancellation is raised when all of them were sent and answered."""
    await await_shielded(connection.executemany(statement, rows))
