"""PostgreSQL for the SQL tool: a read-only transaction, a statement timeout, one prepared statement."""

from typing import Any

from batuta.kernel.errors import MissingExtraError, ToolFailedError, ToolRefusedError
from batuta.tools.builtin.sql import Rows

try:
    import asyncpg
except ImportError as error:
    raise MissingExtraError("postgres", needed_for="SQL on PostgreSQL") from error


class PostgresDatabase:
    """PostgreSQL through a read-only transaction and a statement timeout. Give it a role that may only read."""

    dialect = "postgres"

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    async def query(self, sql: str, *, max_rows: int, seconds: float) -> Rows:
        """Ask through a prepared statement, which the server refuses for more than one."""
        settings = {"statement_timeout": f"{max(int(seconds * 1000), 1)}", "default_transaction_read_only": "on"}
        connection = await asyncpg.connect(self._dsn, timeout=seconds, server_settings=settings)
        try:
            async with connection.transaction(readonly=True):
                statement = await connection.prepare(sql)
                found = await _first(statement, max_rows + 1)
                columns = [attribute.name for attribute in statement.get_attributes()]
        except asyncpg.QueryCanceledError:
            raise TimeoutError("the query took too long") from None
        except (asyncpg.ReadOnlySQLTransactionError, asyncpg.InsufficientPrivilegeError) as error:
            raise ToolRefusedError(f"the database refused: {error}") from error
        except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise ToolFailedError(f"the database says: {error}") from error
        finally:
            await connection.close(timeout=5)
        return Rows(columns, [list(row) for row in found[:max_rows]], len(found) > max_rows)


async def _first(statement: Any, count: int) -> list[Any]:
    cursor = await statement.cursor()
    return list(await cursor.fetch(count))
