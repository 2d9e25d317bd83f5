"""A filter tree as a WHERE condition: every name is looked up in the schema, every value is bound.

condition = FilterCompiler(table, quirks).compile(parse_filter("balance gt 100"))
condition.sql, condition.bound       # 't."balance" > ?', (10000000,)
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final

from batuta.sandbox.errors import BadRequestError, SandboxError
from batuta.sandbox.filter_syntax import (
    FilterCall,
    FilterComparison,
    FilterField,
    FilterJunction,
    FilterLambda,
    FilterLiteral,
    FilterMembership,
    FilterNegation,
    FilterNode,
)
from batuta.sandbox.quirks import Quirks
from batuta.sandbox.records import SetTable
from batuta.sandbox.schema import EdmProperty, EnumType
from batuta.sandbox.values import SCALE, SqlValue, encoder, time_text, unset


@dataclass(frozen=True)
class SqlCondition:
    sql: str
    bound: tuple[SqlValue, ...] = ()


ALWAYS: Final = SqlCondition("1")
_OPERATORS: Final = {"eq": "=", "ne": "<>", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}
_FLIPPED: Final = {"eq": "eq", "ne": "ne", "gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}
_TESTS: Final = frozenset({"startswith", "endswith", "contains"})
_TEXTS: Final = frozenset({"substring", "tolower", "toupper"})
_NUMBERS: Final = frozenset({"Edm.Int32", "Edm.Int64"})
_TEXT: Final = EdmProperty(name="text", type="Edm.String")


class FilterCompiler:
    """Compiles filters over one set."""

    def __init__(self, table: SetTable, quirks: Quirks) -> None:
        self._table = table
        self._quirks = quirks

    def compile(self, node: FilterNode) -> SqlCondition:
        """The condition; `SandboxError` for what the set, the types or Business Central do not allow."""
        match node:
            case FilterJunction(operator, left, right):
                if operator == "or":
                    self._check_one_field(node)
                return _joined(self.compile(left), operator.upper(), self.compile(right))
            case FilterNegation(operand):
                inner = self.compile(operand)
                return SqlCondition(f"NOT ({inner.sql})", inner.bound)
            case FilterComparison(operator, left, right):
                return self._comparison(operator, left, right)
            case FilterMembership(operand, items):
                return self._membership(operand, items)
            case FilterLambda():
                self._quirks.meet("lambda")
                return ALWAYS
            case FilterCall(name) if name in _TESTS:
                return self._text_test(node)
            case FilterCall(name):
                raise self._quirks.refusal("unsupported_function", name)
            case FilterField():
                return self._flag(node)
            case FilterLiteral("boolean", value):
                return SqlCondition("1" if value else "0")
        raise BadRequestError("A filter is a test that is true or false, such as: number eq 'C00010'.")

    def _comparison(self, operator: str, left: FilterNode, right: FilterNode) -> SqlCondition:
        if isinstance(left, FilterLiteral) and not isinstance(right, FilterLiteral):
            left, right, operator = right, left, _FLIPPED[operator]
        if not isinstance(right, FilterLiteral):
            raise self._quirks.refusal("two_field_comparison")
        if isinstance(left, FilterCall) and left.name in _TESTS:
            test = self._text_test(left)
            if right.kind != "boolean" or operator not in ("eq", "ne"):
                raise BadRequestError(f"{left.name}() is true or false; compare it with one of these.")
            return test if (operator == "eq") == right.value else SqlCondition(f"NOT ({test.sql})", test.bound)
        operand, prop = self._operand(left)
        if prop.enum is not None and operator not in ("eq", "ne"):
            raise BadRequestError(f"The values of '{prop.name}' have no order: use eq or ne.")
        bound = _bound_value(prop, right)
        return SqlCondition(f"{operand.sql} {_OPERATORS[operator]} ?", (*operand.bound, bound))

    def _membership(self, operand: FilterNode, items: tuple[FilterNode, ...]) -> SqlCondition:
        left, prop = self._operand(operand)
        if not items:
            raise BadRequestError("'in' needs at least one value.")
        bound = [_bound_value(prop, _only_literal(item)) for item in items]
        if not self._quirks.has_schema_2_1:
            self._quirks.meet("in_needs_schema_2_1")
            return ALWAYS
        return SqlCondition(f"{left.sql} IN ({', '.join('?' * len(bound))})", (*left.bound, *bound))

    def _text_test(self, call: FilterCall) -> SqlCondition:
        if len(call.arguments) != 2:
            raise BadRequestError(f"{call.name}() takes a field and a text.")
        self._check_nesting(call)
        operand, prop = self._operand(call.arguments[0])
        if prop.type != "Edm.String":
            raise BadRequestError(f"{call.name}() needs a text; '{prop.name}' is of type {prop.type}.")
        literal = _only_literal(call.arguments[1])
        if literal.kind != "string":
            raise BadRequestError(f"{call.name}() needs a text in quotes.")
        text = str(literal.value)
        if not text:
            return ALWAYS
        template = {
            "contains": "instr({}, ?) > 0",
            "startswith": f"substr({{}}, 1, {len(text)}) = ?",
            "endswith": f"substr({{}}, -{len(text)}) = ?",
        }[call.name]
        return SqlCondition(template.format(operand.sql), (*operand.bound, text))

    def _operand(self, node: FilterNode) -> tuple[SqlCondition, EdmProperty]:
        """What stands on the left of a comparison, with the type of its values."""
        if isinstance(node, FilterField):
            prop = self.property(node.path)
            return SqlCondition(self._table.columns[prop.name].expression), prop
        if isinstance(node, FilterCall) and node.name in _TEXTS:
            self._check_nesting(node)
            return self._text_function(node), _TEXT
        if isinstance(node, FilterCall):
            raise self._quirks.refusal("unsupported_function", node.name)
        if isinstance(node, FilterLambda):
            self._quirks.meet("lambda")
        raise BadRequestError("A comparison needs a field on one side and a value on the other.")

    def _text_function(self, call: FilterCall) -> SqlCondition:
        takes = (2, 3) if call.name == "substring" else (1,)
        if len(call.arguments) not in takes:
            raise BadRequestError(f"{call.name}() has the wrong number of arguments.")
        operand, prop = self._operand(call.arguments[0])
        if prop.type != "Edm.String":
            raise BadRequestError(f"{call.name}() needs a text; '{prop.name}' is of type {prop.type}.")
        if call.name != "substring":
            return SqlCondition(f"unicode_{call.name[2:]}({operand.sql})", operand.bound)
        places = [_place(argument) for argument in call.arguments[1:]]
        marks = ", ?" * len(places)
        return SqlCondition(f"substr({operand.sql}{marks})", (*operand.bound, places[0] + 1, *places[1:]))

    def _flag(self, node: FilterField) -> SqlCondition:
        prop = self.property(node.path)
        if prop.type != "Edm.Boolean":
            raise BadRequestError(f"'{prop.name}' is of type {prop.type}, not a test: compare it with a value.")
        return SqlCondition(f"{self._table.columns[prop.name].expression} = 1")

    def property(self, path: str) -> EdmProperty:
        """The stored property of this name."""
        if "/" in path:
            raise self._quirks.refusal("navigation_in_filter", path)
        prop = self._table.entity.properties.get(path)
        if prop is None or prop.name not in self._table.columns:
            raise BadRequestError(
                f"Could not find a property named '{path}' on type 'Microsoft.NAV.{self._table.entity.type_name}'."
            )
        if prop.type.startswith("Collection("):
            raise BadRequestError(f"'{path}' is a collection and cannot be compared.")
        return prop

    def _check_one_field(self, node: FilterJunction) -> None:
        fields = sorted(fields_of(node))
        if len(fields) > 1:
            self._quirks.meet("or_over_two_fields", ", ".join(fields))

    def _check_nesting(self, call: FilterCall) -> None:
        if not self._quirks.has_schema_2_1 and any(isinstance(argument, FilterCall) for argument in call.arguments):
            self._quirks.meet("nested_call_needs_schema_2_1")


def fields_of(node: FilterNode) -> set[str]:
    """The fields that a filter names, wherever they stand."""
    match node:
        case FilterField(path):
            return {path}
        case FilterJunction(_, left, right) | FilterComparison(_, left, right):
            return fields_of(left) | fields_of(right)
        case FilterNegation(operand):
            return fields_of(operand)
        case FilterMembership(operand, items):
            return fields_of(operand).union(*(fields_of(item) for item in items))
        case FilterCall(_, arguments):
            return set().union(*(fields_of(argument) for argument in arguments))
    return set()


def enum_member(enum: EnumType, text: str) -> str | None:
    """The encoded name of a member given by this name or by its caption; nothing for an unknown one."""
    if text in enum.names:
        return text
    wanted = text.strip()
    return next((member.name for member in enum.members if member.label.strip() == wanted), None)


def unknown_member(prop: EdmProperty, text: str, allowed: tuple[str, ...]) -> SandboxError:
    return BadRequestError(
        f"'{text[:60]}' is not an option of '{prop.name}'. The existing options are: {', '.join(allowed)}.",
        code="Unknown",
    )


def _bound_value(prop: EdmProperty, literal: FilterLiteral) -> SqlValue:
    """The stored form of a literal that is compared with a property."""
    value = literal.value
    if literal.kind == "null":
        return encoder(prop)(unset(prop))
    if prop.enum is not None:
        return _enum_value(prop, prop.enum, literal)
    match prop.type, value:
        case "Edm.String", str() if literal.kind == "string":
            return value
        case "Edm.Guid", str() if literal.kind == "guid":
            return value
        case "Edm.Boolean", bool():
            return int(value)
        case "Edm.Decimal", Decimal():
            return _number(value.scaleb(SCALE))
        case _, Decimal() if prop.type in _NUMBERS:
            return _number(value)
        case "Edm.DateTimeOffset", datetime():
            return time_text(value)
        case "Edm.DateTimeOffset", date():
            return time_text(datetime(value.year, value.month, value.day, tzinfo=UTC))
        case "Edm.Date", date() if not isinstance(value, datetime):
            return value.isoformat()
    raise BadRequestError(
        f"'{prop.name}' is of type {prop.type} and cannot be compared with a {literal.kind} ('{str(value)[:40]}')."
    )


def _enum_value(prop: EdmProperty, enum: EnumType, literal: FilterLiteral) -> str:
    if literal.kind not in ("string", "enum"):
        raise BadRequestError(f"'{prop.name}' is compared with the name of an option in quotes.")
    member = enum_member(enum, str(literal.value))
    if member is None:
        raise unknown_member(prop, str(literal.value), enum.names)
    return member


def _number(value: Decimal) -> SqlValue:
    """An integer where it is one and fits; else a float, which SQLite compares with integers by value."""
    if value == value.to_integral_value() and abs(value) < 2**63:
        return int(value)
    return float(value)


def _only_literal(node: FilterNode) -> FilterLiteral:
    if not isinstance(node, FilterLiteral):
        raise BadRequestError("A value is needed here, not a field or an expression.")
    return node


def _place(node: FilterNode) -> int:
    literal = _only_literal(node)
    if not isinstance(literal.value, Decimal) or literal.value != int(literal.value) or not 0 <= literal.value < 10_000:
        raise BadRequestError("substring() takes whole numbers from 0.")
    return int(literal.value)


def _joined(left: SqlCondition, operator: str, right: SqlCondition) -> SqlCondition:
    return SqlCondition(f"({left.sql} {operator} {right.sql})", (*left.bound, *right.bound))
