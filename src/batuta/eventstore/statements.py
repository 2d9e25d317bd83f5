"""Changes of read models as SQL that SQLite and PostgreSQL both understand."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from batuta.eventstore.readmodels import Upsert, Value


class Shape(NamedTuple):
    """What two changes share when one prepared statement serves both."""

    table: str
    key: tuple[str, ...]
    values: tuple[str, ...]
    add: tuple[str, ...]
    initial: tuple[str, ...]
    only_while_null: str | None


def shape_of(change: Upsert) -> Shape:
    """The shape of a change."""
    return Shape(
        change.table,
        tuple(change.key),
        tuple(change.values),
        tuple(change.add),
        tuple(change.initial),
        change.only_while_null,
    )


def arguments_of(change: Upsert) -> tuple[Value, ...]:
    """The arguments of its statement, in order."""
    return (*change.key.values(), *change.values.values(), *change.add.values(), *change.initial.values())


@cache
def upsert(shape: Shape, placeholder: Callable[[int], str], *, rows: int = 1) -> str:
    """The statement of a shape, for some rows at once; names come from our own code, never from data."""
    columns = (*shape.key, *shape.values, *shape.add, *shape.initial)
    width = len(columns)
    marks = "), (".join(
        ", ".join(placeholder(row * width + number) for number in range(1, width + 1)) for row in range(rows)
    )
    updates = [f"{name} = excluded.{name}" for name in shape.values]
    updates += [f"{name} = {shape.table}.{name} + excluded.{name}" for name in shape.add]
    action = f"UPDATE SET {', '.join(updates)}" if updates else "NOTHING"
    guard = f" WHERE {shape.table}.{shape.only_while_null} IS NULL" if shape.only_while_null else ""
    return (
        f"INSERT INTO {shape.table} ({', '.join(columns)}) VALUES ({marks}) "  # noqa: S608 - see above
        f"ON CONFLICT ({', '.join(shape.key)}) DO {action}{guard}"
    )


def question_mark(number: int) -> str:
    """SQLite's placeholder."""
    return "?"


def dollar(number: int) -> str:
    """PostgreSQL's placeholder."""
    return f"${number}"


def grouped(changes: Iterable[Upsert]) -> dict[Shape, list[tuple[Value, ...]]]:
    """Arguments by shape, for changes that touch each row once."""
    groups: dict[Shape, list[tuple[Value, ...]]] = {}
    for change in changes:
        groups.setdefault(shape_of(change), []).append(arguments_of(change))
    return groups
