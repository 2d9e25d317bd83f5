"""Where behaviour is plugged in: what happens when a record is written, an action is called, a report is read.

A `Behaviour` is a set of tables that modules fill at import time:

    behaviour = Behaviour()
    behaviour.tables("CREATE TABLE _gl_entries (company TEXT NOT NULL, amount INTEGER NOT NULL, …)")
    behaviour.computed("items", "inventory", "(SELECT … FROM _item_entries e WHERE e.item = t.id AND …)")

    @behaviour.on_insert("customers")
    def number_customer(records: Records, values: Row) -> Row: ...

    @behaviour.action("salesInvoices", "post")
    def post_invoice(records: Records, row: Row, parameters: Row) -> None: ...

The protocol checks a request against the schema (types, lengths, read-only, required, must-agree) before any hook
runs, and calls everything inside one transaction: a hook that raises leaves nothing behind. A business rule is refused
with `ApplicationError`. `Records.insert/update/delete` store rows and run no hooks; `create/change/remove/act` of this
class run them, and hooks may call these for other sets.

| hook            | called with                   | gives back                                               |
|-----------------|-------------------------------|----------------------------------------------------------|
| `on_insert`     | records, given values         | the values to store (only given properties are in there) |
| `after_insert`  | records, stored row           | nothing: recompute totals, write ledger entries          |
| `on_update`     | records, row, changes         | the changes to store                                     |
| `after_update`  | records, row before, row after| nothing                                                  |
| `on_delete`     | records, row                  | nothing: refuse, or remove dependent rows                |
| `after_delete`  | records, row                  | nothing                                                  |
| `action`        | records, row, parameters      | nothing                                                  |
| `report`        | records, flow filters         | the rows of a computed set, before `$filter` is applied  |
| `content`       | records, row                  | the bytes of a stream property that is made, not stored  |
| `dependent`     | set and key of the parent     | the record that every parent has without storing it      |

Several modules may register hooks for the same set: they run in the order of registration.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias, TypeVar

from batuta.sandbox.errors import BadRequestError, RecordNotFoundError
from batuta.sandbox.records import Records
from batuta.sandbox.schema import EntitySet
from batuta.sandbox.values import Row, SqlValue, Value, from_scaled


@dataclass(frozen=True, kw_only=True)
class FlowFilter:
    """What a request says about a filter field (`dateFilter`, `agedAsOfDate`): an instruction, not a row test."""

    lowest: Value | None = None
    highest: Value | None = None


@dataclass(frozen=True, kw_only=True)
class StreamContent:
    media_type: str
    body: bytes


@dataclass(frozen=True, kw_only=True)
class PreviewedLedger:
    """How a preview shows the rows of an internal table: `{}` in the name stands for the column `kind`."""

    name: str
    kind: str = ""
    decimals: frozenset[str] = frozenset()

    def shown(self, row: Mapping[str, SqlValue]) -> dict[str, Decimal | SqlValue]:
        """A row under names like those of the API, without the company it is in."""
        return {
            _camel_case(name): from_scaled(int(value or 0)) if name in self.decimals else value
            for name, value in row.items()
            if name != "company"
        }

    def name_of(self, row: Mapping[str, SqlValue]) -> str:
        return self.name.replace("{}", str(row.get(self.kind, "")).lower())


InsertHook: TypeAlias = Callable[[Records, Row], Row]
UpdateHook: TypeAlias = Callable[[Records, Row, Row], Row]
RowHook: TypeAlias = Callable[[Records, Row], None]
ChangedHook: TypeAlias = Callable[[Records, Row, Row], None]
ActionHook: TypeAlias = Callable[[Records, Row, Mapping[str, Value]], None]
Report: TypeAlias = Callable[[Records, Mapping[str, FlowFilter]], Iterable[Row]]
ContentHook: TypeAlias = Callable[[Records, Row], StreamContent | None]
DependentHook: TypeAlias = Callable[[EntitySet, Value], Row]
HookT = TypeVar("HookT")

FLOW_FILTERS: Final[Mapping[str, frozenset[str]]] = {
    "trialBalances": frozenset({"dateFilter"}),
    "balanceSheets": frozenset({"dateFilter"}),
    "incomeStatements": frozenset({"dateFilter"}),
    "cashFlowStatements": frozenset({"dateFilter"}),
    "retainedEarningsStatements": frozenset({"dateFilter"}),
    "agedAccountsReceivables": frozenset({"agedAsOfDate", "periodLengthFilter"}),
    "agedAccountsPayables": frozenset({"agedAsOfDate", "periodLengthFilter"}),
    "customerSales": frozenset({"dateFilter_FilterOnly"}),
    "vendorPurchases": frozenset({"dateFilter_FilterOnly"}),
}
"""Properties of reports that are instructions: a comparison with one goes to the report as a `FlowFilter`."""


class Behaviour:
    """Tables of hooks by entity set; see the module."""

    def __init__(self) -> None:
        self.ddl: list[str] = []
        self.expressions: dict[tuple[str, str], str] = {}
        self.ledgers: dict[str, PreviewedLedger] = {}
        self.actions: dict[tuple[str, str], ActionHook] = {}
        self.reports: dict[str, Report] = {}
        self.contents: dict[tuple[str, str], ContentHook] = {}
        self.dependents: dict[str, DependentHook] = {}
        self._on_insert: defaultdict[str, list[InsertHook]] = defaultdict(list)
        self._after_insert: defaultdict[str, list[RowHook]] = defaultdict(list)
        self._on_update: defaultdict[str, list[UpdateHook]] = defaultdict(list)
        self._after_update: defaultdict[str, list[ChangedHook]] = defaultdict(list)
        self._on_delete: defaultdict[str, list[RowHook]] = defaultdict(list)
        self._after_delete: defaultdict[str, list[RowHook]] = defaultdict(list)

    def tables(self, ddl: str) -> None:
        """Declare internal tables and indexes (names start with `_`), one or several statements."""
        self.ddl.append(ddl)

    def ledger(self, table: str, ledger: "PreviewedLedger") -> None:
        """Show the rows of an internal table in previews; tables without this are bookkeeping."""
        self.ledgers[table] = ledger

    def computed(self, set_name: str, prop: str, expression: str) -> None:
        """Read a property by a scalar SQL expression over its row `t` instead of its column.

        The expression gives the stored form (decimals scaled by 10^5); `today()` is the current working date.
        """
        self.expressions[set_name, prop] = expression

    def on_insert(self, *sets: str) -> Callable[[InsertHook], InsertHook]:
        return _registration(self._on_insert, sets)

    def after_insert(self, *sets: str) -> Callable[[RowHook], RowHook]:
        return _registration(self._after_insert, sets)

    def on_update(self, *sets: str) -> Callable[[UpdateHook], UpdateHook]:
        return _registration(self._on_update, sets)

    def after_update(self, *sets: str) -> Callable[[ChangedHook], ChangedHook]:
        return _registration(self._after_update, sets)

    def on_delete(self, *sets: str) -> Callable[[RowHook], RowHook]:
        return _registration(self._on_delete, sets)

    def after_delete(self, *sets: str) -> Callable[[RowHook], RowHook]:
        return _registration(self._after_delete, sets)

    def action(self, set_name: str, *names: str) -> Callable[[ActionHook], ActionHook]:
        def register(hook: ActionHook) -> ActionHook:
            for name in names:
                self.actions[set_name, name] = hook
            return hook

        return register

    def report(self, *sets: str) -> Callable[[Report], Report]:
        def register(hook: Report) -> Report:
            for name in sets:
                self.reports[name] = hook
            return hook

        return register

    def content(self, set_name: str, prop: str) -> Callable[[ContentHook], ContentHook]:
        def register(hook: ContentHook) -> ContentHook:
            self.contents[set_name, prop] = hook
            return hook

        return register

    def dependent(self, set_name: str) -> Callable[[DependentHook], DependentHook]:
        def register(hook: DependentHook) -> DependentHook:
            self.dependents[set_name] = hook
            return hook

        return register

    def create(self, records: Records, set_name: str, values: Row) -> Row:
        """Store a new record with everything that belongs to it; the row as it stands afterwards."""
        for before in self._on_insert[set_name]:
            values = before(records, dict(values))
        row = records.insert(set_name, values)
        for after in self._after_insert[set_name]:
            after(records, row)
        key = records.key_of(set_name, row)
        return records.get(set_name, *key) or row

    def change(self, records: Records, set_name: str, row: Row, changes: Row) -> Row:
        """Change a record with everything that follows from it."""
        for before in self._on_update[set_name]:
            changes = before(records, row, dict(changes))
        key = records.key_of(set_name, row)
        changed = records.update(set_name, *key, values=changes)
        for after in self._after_update[set_name]:
            after(records, row, changed)
        return records.get(set_name, *key) or changed

    def remove(self, records: Records, set_name: str, row: Row) -> None:
        """Delete a record with everything that hangs on it."""
        for before in self._on_delete[set_name]:
            before(records, row)
        records.delete(set_name, *records.key_of(set_name, row))
        for after in self._after_delete[set_name]:
            after(records, row)

    def act(self, records: Records, set_name: str, name: str, row: Row, parameters: Mapping[str, Value]) -> None:
        """Call a bound action on a record."""
        hook = self.actions.get((set_name, name))
        if hook is None:
            raise BadRequestError(
                f"The action {name} of {set_name} is not part of this sandbox.", code="BadRequest_MethodNotImplemented"
            )
        hook(records, row, parameters)

    def need(self, records: Records, set_name: str, *key: Value) -> Row:
        """The record of a key, or the refusal that a client sees."""
        row = records.get(set_name, *key)
        if row is None:
            raise RecordNotFoundError(f"The {set_name} record {', '.join(map(str, key))} does not exist.")
        return row


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _registration(hooks: defaultdict[str, list[HookT]], sets: tuple[str, ...]) -> Callable[[HookT], HookT]:
    def register(hook: HookT) -> HookT:
        for name in sets:
            hooks[name].append(hook)
        return hook

    return register
