"""Our filter parser beside one that others wrote: the same trees, and the same rows, for thousands of filters.

`make fuzz` compares more of them (BATUTA_FILTERS).
"""

import os
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from odata_query import ast as theirs
from odata_query.grammar import ODataLexer, ODataParser

from batuta.sandbox import filter_syntax as ours
from batuta.sandbox.values import Row, Value
from tests.unit.sandbox.service import ApiClient

COUNT = int(os.environ.get("BATUTA_FILTERS", "600"))
WORDS = ["Oak", "oak desk", "Ähre's lamp", "", "x", "A_B%", "1000", "  ", "and", "not true", "ñandú"]
COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")


class FilterMaker:
    """Writes random filters over items that Business Central would take: typed, and `or` over one field only."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        return self._junction(3)

    def _junction(self, depth: int, field: str | None = None) -> str:
        if depth == 0 or self._random.random() < 0.4:
            return self._test(field)
        shape = self._random.choice(["and", "or", "not", "brackets"])
        if shape == "not":
            return f"not ({self._junction(depth - 1, field)})"
        if shape == "brackets":
            return f"({self._junction(depth - 1, field)})"
        # what stands below an `or` speaks of one field only
        chosen = field or (self._field() if shape == "or" else None)
        return f"({self._junction(depth - 1, chosen)} {shape} {self._junction(depth - 1, chosen)})"

    def _field(self) -> str:
        return self._random.choice(["displayName", "number", "unitPrice", "blocked", "lastModifiedDateTime"])

    def _test(self, field: str | None) -> str:
        name = field or self._field()
        operator = self._random.choice(COMPARISONS)
        match name:
            case "unitPrice":
                return f"{name} {operator} {self._number()}"
            case "blocked":
                return (
                    self._random.choice(["blocked", "not blocked", f"blocked {operator[:2]} true"]).replace(
                        "blocked g", "blocked n"
                    )
                    if operator in ("eq", "ne")
                    else "blocked eq false"
                )
            case "lastModifiedDateTime":
                return f"{name} {operator} {self._time()}"
        return self._text_test(name, operator)

    def _text_test(self, name: str, operator: str) -> str:
        word = "'" + self._random.choice(WORDS).replace("'", "''") + "'"
        return self._random.choice(
            [
                f"{name} {operator} {word}",
                f"startswith({name}, {word})",
                f"endswith({name},{word})",
                f"contains({name},{word})",
                f"not contains({name},{word})",
                f"tolower({name}) {operator} {word}",
                f"substring({name},1) {operator} {word}",
                f"substring({name},0,3) eq {word}",
            ]
        )

    def _number(self) -> str:
        return self._random.choice(["0", "-1", "100", "250.5", "19.99", "1e2", "0.00001", "99.999999", "-3.5"])

    def _time(self) -> str:
        return f"2026-0{self._random.randint(1, 9)}-1{self._random.randint(0, 9)}T10:00:00Z"


def filters() -> Iterator[str]:
    for seed in range(COUNT):
        yield FilterMaker(seed).text()


def their_tree(text: str) -> Any:
    return ODataParser().parse(ODataLexer().tokenize(text))


def shape_of_ours(node: ours.FilterNode) -> object:
    match node:
        case ours.FilterField(path):
            return ("field", path)
        case ours.FilterLiteral("number", value):
            return ("number", Decimal(str(value)))
        case ours.FilterLiteral(kind, value):
            return (kind, value)
        case ours.FilterCall(name, arguments):
            return ("call", name, *(shape_of_ours(each) for each in arguments))
        case ours.FilterComparison(operator, left, right) | ours.FilterJunction(operator, left, right):
            return (operator, shape_of_ours(left), shape_of_ours(right))
        case ours.FilterNegation(operand):
            return ("not", shape_of_ours(operand))
    raise AssertionError(node)


def shape_of_theirs(node: Any) -> object:
    match node:
        case theirs.Identifier():
            return ("field", node.name)
        case theirs.Integer() | theirs.Float():
            return ("number", Decimal(node.val))
        case theirs.String():
            return ("string", node.val)
        case theirs.Boolean():
            return ("boolean", node.val == "true")
        case theirs.DateTime():
            return ("datetime", datetime.fromisoformat(node.val))
        case theirs.Call():
            return ("call", node.func.name, *(shape_of_theirs(each) for each in node.args))
        case theirs.Compare():
            return (name_of(node.comparator), shape_of_theirs(node.left), shape_of_theirs(node.right))
        case theirs.BoolOp():
            return (name_of(node.op), shape_of_theirs(node.left), shape_of_theirs(node.right))
        case theirs.UnaryOp():
            return ("not", shape_of_theirs(node.operand))
    raise AssertionError(node)


def name_of(operator: Any) -> str:
    return {"NotEq": "ne", "GtE": "ge", "LtE": "le"}.get(type(operator).__name__, type(operator).__name__.lower())


def value_of(node: Any, row: Row) -> Any:
    """What a tree of theirs says about a row, in plain Python."""
    match node:
        case theirs.Identifier():
            return row[node.name]
        case theirs.Integer() | theirs.Float():
            return Decimal(node.val)
        case theirs.String():
            return node.val
        case theirs.Boolean():
            return node.val == "true"
        case theirs.DateTime():
            return datetime.fromisoformat(node.val)
        case theirs.UnaryOp():
            return not value_of(node.operand, row)
        case theirs.BoolOp():
            left, right = value_of(node.left, row), value_of(node.right, row)
            return (left and right) if name_of(node.op) == "and" else (left or right)
        case theirs.Call():
            return FUNCTIONS[node.func.name](*(value_of(each, row) for each in node.args))
        case theirs.Compare():
            left, right = value_of(node.left, row), value_of(node.right, row)
            return OPERATORS[name_of(node.comparator)](left, right)
    raise AssertionError(node)


OPERATORS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}
FUNCTIONS: dict[str, Any] = {
    "startswith": str.startswith,
    "endswith": str.endswith,
    "contains": str.__contains__,
    "tolower": str.lower,
    "substring": lambda text, start, length=None: text[int(start) :][: None if length is None else int(length)],
}


def test_both_parsers_see_the_same_tree() -> None:
    for text in filters():
        assert shape_of_ours(ours.parse_filter(text)) == shape_of_theirs(their_tree(text)), text


@pytest.fixture(scope="module")
def items() -> ApiClient:
    client = ApiClient()
    chooser = random.Random(7)
    for number in range(60):
        values: dict[str, Value] = {
            "number": str(1000 + number),
            "displayName": chooser.choice(WORDS) + chooser.choice(WORDS),
            "unitPrice": chooser.choice([Decimal(0), Decimal(100), Decimal("250.5"), Decimal("19.99"), Decimal(-2)]),
            "blocked": chooser.random() < 0.5,
            "lastModifiedDateTime": datetime(2026, chooser.randint(1, 9), 14, 10, tzinfo=UTC),
        }
        client.records.insert("items", values)
    return client


def test_a_filter_finds_what_plain_python_finds(items: ApiClient) -> None:
    """The tree of the other parser, evaluated in Python, and our SQL agree row by row."""
    rows = items.records.find("items")
    assert date(2026, 6, 30) == items.store.today()
    for text in filters():
        tree = their_tree(text)
        expected = [row["number"] for row in rows if value_of(tree, row)]
        found = [row["number"] for row in items.find("items", text, "&$select=number")]
        assert found == expected, text
