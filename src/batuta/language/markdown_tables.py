"""Tables in Markdown: a line that names the columns, a rule below it, and a line for each row. Pure."""

import re
from collections.abc import Sequence

_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_BETWEEN = re.compile(r"(?<!\\)\|")
_EMPHASIS = re.compile(r"^(\*\*|__|`)(.+)\1$")
MAX_COLUMNS = 200

Row = tuple[int, list[str]]
"""The number of a line, from 0, and the texts of its cells."""


def table_at(lines: Sequence[str], first: int) -> list[Row]:
    """The rows of the table that begins in a line, its head first and without the rule; nothing where none begins."""
    head = _cells(lines[first])
    if len(head) < 2 or first + 1 >= len(lines) or _RULE.fullmatch(lines[first + 1]) is None:
        return []
    if len(_cells(lines[first + 1])) != len(head):
        return []
    rows = [(first, head)]
    for number in range(first + 2, len(lines)):
        if "|" not in lines[number] or not lines[number].strip():
            break
        rows.append((number, _cells(lines[number])))
    return rows


def _cells(line: str) -> list[str]:
    text = line.strip()
    if "|" not in text:
        return []
    text = text.removeprefix("|")
    text = text[:-1] if text.endswith("|") and not text.endswith("\\|") else text
    return [_EMPHASIS.sub(r"\2", cell.strip().replace("\\|", "|")) for cell in _BETWEEN.split(text)[:MAX_COLUMNS]]
