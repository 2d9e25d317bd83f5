"""The grammar of `$filter`: text → tokens → tree. No names are looked up here and no SQL is made.

    parse_filter("status eq 'Open' and dueDate lt 2026-01-31")

A Pratt parser: each operator has a binding power, `or` 1 < `and` 2 < comparison 3 < `not` 4. Length, depth and number
of nodes are bounded, so that no text costs more than a bounded amount of work.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Final, TypeAlias

from batuta.sandbox.errors import BadRequestError

MOST_CHARACTERS: Final = 8_000
MOST_DEPTH: Final = 60
MOST_NODES: Final = 600


@dataclass(frozen=True)
class FilterField:
    """A property, or a path over navigation: `customer/displayName`."""

    path: str


@dataclass(frozen=True)
class FilterLiteral:
    """A value: `kind` is `string`, `number`, `boolean`, `null`, `date`, `datetime`, `guid` or `enum`."""

    kind: str
    value: str | Decimal | bool | date | datetime | None


@dataclass(frozen=True)
class FilterCall:
    name: str
    arguments: tuple["FilterNode", ...]


@dataclass(frozen=True)
class FilterComparison:
    operator: str
    left: "FilterNode"
    right: "FilterNode"


@dataclass(frozen=True)
class FilterJunction:
    """`and` or `or`."""

    operator: str
    left: "FilterNode"
    right: "FilterNode"


@dataclass(frozen=True)
class FilterNegation:
    operand: "FilterNode"


@dataclass(frozen=True)
class FilterMembership:
    """`field in (…)`."""

    operand: "FilterNode"
    items: tuple["FilterNode", ...]


@dataclass(frozen=True)
class FilterLambda:
    """`lines/any(l: …)`: recognised, so that it can be refused or ignored; its body is not kept."""

    path: str
    kind: str


FilterNode: TypeAlias = (
    FilterField
    | FilterLiteral
    | FilterCall
    | FilterComparison
    | FilterJunction
    | FilterNegation
    | FilterMembership
    | FilterLambda
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int


_TOKENS: Final = re.compile(
    r"(?P<space>[ \t]+)"
    r"|(?P<string>'(?:[^']|'')*')"
    r"|(?P<guid>[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})(?![\w-])"
    r"|(?P<datetime>\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:[Zz]|[+-]\d\d:\d\d))(?!\w)"
    r"|(?P<date>\d{4}-\d\d-\d\d)(?![\w-])"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])"
    r"|(?P<enum>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+'(?:[^']|'')*')"
    r"|(?P<name>[A-Za-z_]\w*(?:[/.][A-Za-z_$]\w*)*)"
    r"|(?P<mark>[(),:])"
)
_POWERS: Final = {"or": 1, "and": 2, "eq": 3, "ne": 3, "gt": 3, "ge": 3, "lt": 3, "le": 3, "in": 3, "has": 3}
_NOT: Final = 4
_UNSUPPORTED: Final = frozenset({"add", "sub", "mul", "div", "divby", "mod", "has"})


def parse_filter(text: str) -> FilterNode:
    """The tree of a filter; `BadRequestError` says where a wrong one stops making sense."""
    if len(text) > MOST_CHARACTERS:
        raise BadRequestError(f"The filter is longer than {MOST_CHARACTERS} characters.")
    return _Parser(text).whole()


def parse_literal(text: str) -> FilterLiteral:
    """One literal, as it stands in a key: `5d115c9c-…`, `'ABC'`, `2026-01-31`."""
    node = parse_filter(text)
    if not isinstance(node, FilterLiteral):
        raise BadRequestError(f"'{text[:80]}' is not a value.")
    return node


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0
        self._nodes = 0

    def whole(self) -> FilterNode:
        node = self._expression(0)
        if self._peek().kind != "end":
            raise self._unexpected()
        return node

    def _expression(self, power: int) -> FilterNode:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise BadRequestError(f"The filter is nested deeper than {MOST_DEPTH} levels.")
        left = self._operand()
        while True:
            operator = self._peek().text.lower() if self._peek().kind == "name" else ""
            if operator in _UNSUPPORTED:
                raise BadRequestError(f"The operator '{operator}' is not supported in a filter.")
            if _POWERS.get(operator, 0) <= power:
                break
            self._next()
            left = self._operation(operator, left)
        self._depth -= 1
        return left

    def _operation(self, operator: str, left: FilterNode) -> FilterNode:
        self._count()
        if operator == "in":
            return FilterMembership(left, self._items())
        right = self._expression(_POWERS[operator])
        if operator in ("and", "or"):
            return FilterJunction(operator, left, right)
        return FilterComparison(operator, left, right)

    def _operand(self) -> FilterNode:
        self._count()
        token = self._next()
        if token.kind == "name":
            return self._named(token)
        if token.text == "(":
            inner = self._expression(0)
            self._expect(")")
            return inner
        if token.kind in _LITERALS:
            return _literal(token)
        self._at -= 1
        raise self._unexpected()

    def _named(self, token: _Token) -> FilterNode:
        word = token.text
        if word in _WORDS:
            return FilterLiteral(*_WORDS[word])
        if word == "not":
            return FilterNegation(self._expression(_NOT))
        if self._peek().text != "(":
            return FilterField(word)
        path, _, last = word.rpartition("/")
        if last in ("any", "all") and path:
            self._skip_brackets()
            return FilterLambda(path, last)
        return FilterCall(word, self._items())

    def _items(self) -> tuple[FilterNode, ...]:
        self._expect("(")
        found: list[FilterNode] = []
        while self._peek().text != ")":
            if found:
                self._expect(",")
            found.append(self._expression(0))
        self._next()
        return tuple(found)

    def _skip_brackets(self) -> None:
        depth = 0
        while True:
            token = self._next()
            depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "mark" else 0
            if token.kind == "end":
                self._at -= 1
                raise self._unexpected()
            if depth == 0:
                return

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _next(self) -> _Token:
        token = self._tokens[self._at]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def _expect(self, text: str) -> None:
        if self._peek().text != text or self._peek().kind != "mark":
            raise self._unexpected(f"'{text}' is missing")
        self._next()

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise BadRequestError(f"The filter has more than {MOST_NODES} parts.")

    def _unexpected(self, problem: str = "this is not understood") -> BadRequestError:
        token = self._peek()
        shown = token.text[:40] or "the end"
        return BadRequestError(f"Syntax error at position {token.position}: {problem} at '{shown}'.")


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        found = _TOKENS.match(text, position)
        if found is None:
            raise BadRequestError(f"Syntax error at position {position}: '{text[position : position + 20]}'.")
        if found.lastgroup != "space":
            yield _Token(str(found.lastgroup), found.group(), position)
        position = found.end()
    yield _Token("end", "", position)


def _literal(token: _Token) -> FilterLiteral:
    try:
        return FilterLiteral(token.kind, _value(token))
    except (ValueError, InvalidOperation) as error:
        raise BadRequestError(f"'{token.text}' at position {token.position} is not a valid {token.kind}.") from error


def _value(token: _Token) -> str | Decimal | date | datetime:
    text = token.text
    match token.kind:
        case "string":
            return text[1:-1].replace("''", "'")
        case "number":
            return _bounded(Decimal(text))
        case "date":
            return date.fromisoformat(text)
        case "datetime":
            return datetime.fromisoformat(text.upper()).astimezone(UTC)
        case "guid":
            return text.lower()
        case _:
            return text[text.index("'") + 1 : -1].replace("''", "'")


def _bounded(number: Decimal) -> Decimal:
    if number.adjusted() > 28 or (number.adjusted() < -28 and number != 0):
        raise ValueError(number)
    return number


_LITERALS: Final = frozenset({"string", "number", "date", "datetime", "guid", "enum"})
_WORDS: Final[dict[str, tuple[str, bool | None]]] = {
    "true": ("boolean", True),
    "false": ("boolean", False),
    "null": ("null", None),
}
