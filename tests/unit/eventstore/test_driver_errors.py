"""Which errors of a driver pass, and which stay (S-5): one table for the store and the platform."""

import asyncpg
import pytest
import sqlalchemy.exc as sa_errors

from batuta.eventstore.driver_errors import is_passing


def wrapped(error: BaseException) -> sa_errors.DBAPIError:
    """As SQLAlchemy gives a driver's error on."""
    return sa_errors.DBAPIError("SELECT 1", None, error)


PASSING = [
    asyncpg.CannotConnectNowError("the database system is starting up"),
    asyncpg.AdminShutdownError("terminating connection due to administrator command"),
    asyncpg.CrashShutdownError("terminating connection because of crash of another server process"),
    asyncpg.TooManyConnectionsError("sorry, too many clients already"),
    asyncpg.DiskFullError("could not extend file"),
    asyncpg.OutOfMemoryError("out of memory"),
    asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
    asyncpg.ReadOnlySQLTransactionError("cannot execute INSERT in a read-only transaction"),
    asyncpg.QueryCanceledError("canceling statement due to user request"),
    asyncpg.PostgresIOError("could not read block"),
    asyncpg.DeadlockDetectedError("deadlock detected"),
    asyncpg.LockNotAvailableError("canceling statement due to lock timeout"),
    asyncpg.InterfaceError("connection is closed"),
    ConnectionResetError("reset"),
    ConnectionRefusedError("refused"),
    TimeoutError("too late"),
    sa_errors.TimeoutError("QueuePool limit reached"),
]
STAYING = [
    asyncpg.UniqueViolationError("duplicate key"),
    asyncpg.UndefinedTableError("no such table"),
    asyncpg.InsufficientPrivilegeError("permission denied"),
    asyncpg.PostgresSyntaxError("syntax error"),
    ValueError("nothing of a database"),
]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_what_is_about_the_server_passes(error: Exception) -> None:
    assert is_passing(error)
    assert is_passing(wrapped(error))


@pytest.mark.parametrize("error", STAYING, ids=lambda error: type(error).__name__)
def test_what_is_about_the_statement_stays(error: Exception) -> None:
    assert not is_passing(error)
    assert not is_passing(wrapped(error))
