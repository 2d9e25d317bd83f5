"""Flow filters: comparisons with a filter field of a report are instructions to it, not tests of its rows.

trialBalances?$filter=dateFilter ge 2026-01-01 and dateFilter le 2026-06-30
"""

from datetime import date, timedelta

from batuta.sandbox.behaviour import FlowFilter
from batuta.sandbox.errors import BadRequestError
from batuta.sandbox.filter_sql import fields_of
from batuta.sandbox.filter_syntax import FilterComparison, FilterField, FilterJunction, FilterLiteral, FilterNode
from batuta.sandbox.records import SetTable
from batuta.sandbox.schema import EdmProperty
from batuta.sandbox.values import Value


def take_flow_filters(
    node: FilterNode, table: SetTable, names: frozenset[str]
) -> tuple[FilterNode | None, dict[str, FlowFilter]]:
    """Part a filter into what is left to test rows with, and the instructions."""
    left: FilterNode | None = None
    flow: dict[str, FlowFilter] = {}
    for test in _joined_by_and(node):
        if not fields_of(test) & names:
            left = test if left is None else FilterJunction("and", left, test)
            continue
        name, operator, value = _instruction(test, table, names)
        flow[name] = _narrowed(flow.get(name, FlowFilter()), operator, value)
    return left, flow


def _joined_by_and(node: FilterNode) -> list[FilterNode]:
    if isinstance(node, FilterJunction) and node.operator == "and":
        return [*_joined_by_and(node.left), *_joined_by_and(node.right)]
    return [node]


def _instruction(test: FilterNode, table: SetTable, names: frozenset[str]) -> tuple[str, str, Value]:
    match test:
        case FilterComparison(operator, FilterField(path), FilterLiteral() as literal) if path in names:
            return path, operator, _value(table.entity.properties[path], literal)
    raise BadRequestError(
        f"{' and '.join(sorted(names))} tell the report what to compute: compare with one value, joined by 'and'.",
        code="Application_FilterErrorException",
    )


def _value(prop: EdmProperty, literal: FilterLiteral) -> Value:
    wanted = {"Edm.Date": "date", "Edm.String": "string"}[prop.type]
    if literal.kind != wanted or literal.value is None:
        raise BadRequestError(f"'{prop.name}' takes a {wanted}.", code="Application_FilterErrorException")
    return literal.value


def _narrowed(flow: FlowFilter, operator: str, value: Value) -> FlowFilter:
    match operator:
        case "eq":
            return FlowFilter(lowest=value, highest=value)
        case "ge" | "gt":
            return FlowFilter(lowest=_day(value, operator == "gt", 1), highest=flow.highest)
        case "le" | "lt":
            return FlowFilter(lowest=flow.lowest, highest=_day(value, operator == "lt", -1))
    raise BadRequestError("A filter field is compared with eq, ge or le.", code="Application_FilterErrorException")


def _day(value: Value, is_open: bool, step: int) -> Value:
    """The bound that still belongs to the range: the next day where the comparison leaves its own out."""
    if not is_open:
        return value
    try:
        return value + timedelta(days=step) if isinstance(value, date) else value
    except OverflowError as error:
        raise BadRequestError(f"{value} is out of range.", code="Application_FilterErrorException") from error
