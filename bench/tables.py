"""Rows of JSON as one table, on a terminal and in Markdown."""

import json
from collections.abc import Iterable, Sequence
from typing import Any


def table(lines: Iterable[str], *, is_markdown: bool = False) -> str:
    """Any objects: the columns are the names that occur in them, in the order they first do."""
    rows = [json.loads(line) for line in lines]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(name)) for name in columns] for row in rows]
    return _markdown(columns, cells) if is_markdown else _plain(columns, cells)


VERDICT = "aims missed: "


def verdict(missed: int) -> str:
    """The last line of a part that prints its own table and judges itself."""
    return f"{VERDICT}{missed}"


def missed_in(lines: Sequence[str]) -> int | None:
    """What a part said of its aims; nothing if it did not judge itself."""
    said = [line.removeprefix(VERDICT) for line in lines if line.startswith(VERDICT)]
    return int(said[-1]) if said else None


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return str(value)


def _markdown(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _plain(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[column]) for line in [columns, *cells]) for column in range(len(columns))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in [columns, ["-" * width for width in widths], *cells]
    )
