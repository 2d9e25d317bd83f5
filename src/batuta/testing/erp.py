"""An ERP in memory for tests: the records of an `ErpConnector` are plain objects, filters are obeyed, versions count.

erp = MemoryErp({"customers": [{"id": "…", "number": "1", "displayName": "Ana"}]})
"""

import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from batuta.connectors.diagnosing import STAGES
from batuta.connectors.erp import (
    ChangePreview,
    Diagnosis,
    ErpCompany,
    ErpRecord,
    RecordChange,
    RecordPage,
    RecordQuery,
    RowDifference,
)
from batuta.connectors.odata.filters import AllOf, Compare, Filter, Matches, OneOf, render
from batuta.kernel.errors import (
    ConfigurationError,
    ConnectorUnavailableError,
    MissingCompanyError,
    MissingRecordError,
    RecordChangedError,
)

COMPANY = ErpCompany(id="11111111-1111-1111-1111-111111111111", name="TEST", display_name="Test company")


class MemoryErp:
    """An `ErpConnector` over lists of mappings; every company sees the same records."""

    name = "memory"

    def __init__(
        self, records: Mapping[str, Sequence[Mapping[str, Any]]], *, companies: Sequence[ErpCompany] = (COMPANY,)
    ) -> None:
        self.records = {entity: [dict(row) for row in rows] for entity, rows in records.items()}
        self.queries: list[str] = []
        self._companies = companies
        self._versions: dict[str, int] = {}
        self.loses_next_answer = False
        """The next write happens and raises `ConnectorUnavailableError`, as when its answer gets lost."""

    async def companies(self) -> Sequence[ErpCompany]:
        """See `ErpConnector.companies`."""
        return self._companies

    async def pages(self, company_id: str, query: RecordQuery) -> AsyncIterator[RecordPage]:
        """See `ErpConnector.pages`."""
        self._require_company(company_id)
        url = f"memory:/{query.entity}" + ("" if query.where is None else f"?{render(query.where)}")
        self.queries.append(url)
        rows = [row for row in self._all(query.entity) if query.where is None or holds(query.where, row)]
        for order in reversed(query.order_by):
            name, _, direction = order.partition(" ")
            rows.sort(key=lambda row, name=name: row[name], reverse=direction == "desc")  # type: ignore[misc]
        rows = rows if query.limit is None else rows[: query.limit]
        fields = (*query.select, *query.expand) if query.select else ()
        yield RecordPage(records=[self._record(query.entity, row, fields) for row in rows], url=url)

    async def read_together(self, company_id: str, queries: Sequence[RecordQuery]) -> Sequence[Sequence[RecordPage]]:
        """See `ErpConnector.read_together`."""
        return [[page async for page in self.pages(company_id, query)] for query in queries]

    async def get(self, company_id: str, entity: str, record_id: str, *, expand: tuple[str, ...] = ()) -> ErpRecord:
        """See `ErpConnector.get`."""
        self._require_company(company_id)
        return self._record(entity, self._row(entity, record_id))

    async def count(self, company_id: str, entity: str, where: Filter | None = None) -> int:
        """See `ErpConnector.count`."""
        self._require_company(company_id)
        return sum(where is None or holds(where, row) for row in self._all(entity))

    async def write(self, company_id: str, change: RecordChange, *, key: str = "") -> ErpRecord | None:
        """See `ErpConnector.write`. An action sets the record's status to its name."""
        self._require_company(company_id)
        written = self._written(change)
        if self.loses_next_answer:
            self.loses_next_answer = False
            raise ConnectorUnavailableError("the answer was lost", was_sent=True, reason_code="cut")
        return written

    def _written(self, change: RecordChange) -> ErpRecord | None:
        if change.kind == "create":
            row = {"id": str(uuid.uuid4()), **change.values}
            self.records.setdefault(change.entity, []).append(row)
            return self._record(change.entity, row)
        row = self._row(change.entity, str(change.record_id))
        if change.kind != "action" and not change.etag:
            raise ConfigurationError(f"a {change.kind} of {change.entity} needs the etag of the record it is based on")
        if change.kind != "action" and change.etag != self._etag(row["id"]):
            raise RecordChangedError("the record was changed", status=409, reason_code="Request_EntityChanged")
        self._versions[row["id"]] = self._versions.get(row["id"], 0) + 1
        if change.kind == "delete":
            self.records[change.entity].remove(row)
            return None
        row.update(change.values if change.kind == "update" else {"status": change.action})
        return self._record(change.entity, row)

    async def preview(self, company_id: str, change: RecordChange) -> ChangePreview:
        """See `ErpConnector.preview`."""
        before = None if change.kind == "create" else dict(self._row(change.entity, str(change.record_id)))
        after = None if change.kind == "delete" else {**(before or {}), **change.values}
        row = RowDifference(entity=change.entity, id=change.record_id or "", before=before, after=after)
        return ChangePreview(rows=[row], is_rehearsed=False)

    async def metadata(self) -> None:
        """See `ErpConnector.metadata`: lists of mappings have no types."""

    async def diagnose(self) -> Sequence[Diagnosis]:
        """See `ErpConnector.diagnose`."""
        return [Diagnosis(stage=stage, is_ok=True, message="in memory") for stage in STAGES]

    async def close(self) -> None:
        """Nothing is held."""

    def _require_company(self, company_id: str) -> None:
        if company_id not in {one.id for one in self._companies}:
            raise MissingCompanyError(f"there is no company {company_id[:60]!r}", status=404)

    def _all(self, entity: str) -> list[dict[str, Any]]:
        if entity not in self.records:
            raise MissingRecordError(f"there is no entity {entity[:60]!r}", status=404)
        return self.records[entity]

    def _row(self, entity: str, record_id: str) -> dict[str, Any]:
        for row in self._all(entity):
            if row["id"] == record_id:
                return row
        raise MissingRecordError(f"there is no {entity} {record_id}", status=404)

    def _etag(self, record_id: str) -> str:
        return f'W/"{self._versions.get(record_id, 0)}"'

    def _record(self, entity: str, row: Mapping[str, Any], select: Sequence[str] = ()) -> ErpRecord:
        values = {name: row[name] for name in (("id", *select) if select else row) if name in row}
        return ErpRecord(
            entity=entity, id=str(row.get("id", "")), etag=self._etag(str(row.get("id", ""))), values=values
        )


def holds(where: Filter, row: Mapping[str, Any]) -> bool:
    """Whether a record fits a filter, as the ERP would say."""
    if isinstance(where, AllOf):
        return all(holds(part, row) for part in where.parts)
    value = row.get(where.field)
    if isinstance(where, OneOf):
        return value in where.values
    if isinstance(where, Matches):
        text, wanted = str(value).casefold(), where.text.casefold()
        return {"contains": wanted in text, "startswith": text.startswith(wanted),
                "endswith": text.endswith(wanted)}[where.how]  # fmt: skip
    return _compared(where, value)


def _compared(where: Compare, value: Any) -> bool:
    wanted: Any = where.value
    if isinstance(wanted, date):
        value, wanted = str(value), wanted.isoformat()
    elif isinstance(wanted, (int, Decimal)) and not isinstance(wanted, bool):
        value, wanted = Decimal(str(value)), Decimal(wanted)
    compared = {
        "eq": lambda: value == wanted,
        "ne": lambda: value != wanted,
        "gt": lambda: value > wanted,
        "ge": lambda: value >= wanted,
        "lt": lambda: value < wanted,
        "le": lambda: value <= wanted,
    }
    return bool(compared[where.operator]())
