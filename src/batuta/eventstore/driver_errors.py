"""Which errors of a database's driver say nothing about what was asked: the same may succeed later.

The one place that knows: the event store's own connections and the platform's, which go through SQLAlchemy, both ask
here. A server that starts up, shuts down, fails over, is full or has no connection left answers with a SQLSTATE;
a lost connection has none, and is known by the kind of the error.
"""

from collections.abc import Iterator

PASSING_CLASSES = frozenset({"08", "40", "53", "57", "58"})
"""Connection, transaction rolled back, out of resources, operator intervention, system error."""
PASSING_STATES = frozenset({"25006", "55006", "55P03"})
"""A server that is read-only (a standby before its promotion), an object in use, a lock that was not free."""
PASSING_KINDS = frozenset({"InterfaceError", "InternalClientError", "OperationalError", "TimeoutError"})
"""Of drivers: a connection that is closed, or was never made."""
DRIVERS = frozenset({"asyncpg", "sqlalchemy", "sqlite3", "redis"})


def is_passing(error: BaseException) -> bool:
    """Whether an error is about the server, not about the statement."""
    states = {state for each in _chain(error) if isinstance(state := _sqlstate(each), str)}
    if states:
        return any(state[:2] in PASSING_CLASSES or state in PASSING_STATES for state in states)
    return any(_is_lost_connection(each) for each in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error, and those of the drivers below that it carries."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        wrapped = getattr(current, "orig", None)
        current = wrapped if isinstance(wrapped, BaseException) else None


def _sqlstate(error: BaseException) -> object:
    return getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)


def _is_lost_connection(error: BaseException) -> bool:
    if isinstance(error, OSError) or getattr(error, "connection_invalidated", False):
        return True
    return any(
        kind.__name__ in PASSING_KINDS and kind.__module__.partition(".")[0] in DRIVERS for kind in type(error).__mro__
    )
