"""An ERP in memory for tests: the records of an `ErpConnector` are plain objects, filters are obeyed, versions count.

erp = MemoryErp({"customers": [{"id": "…", "number": "1", "displayName": "Ana"}]})
"""

import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

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
from batuta.kernel.errors import MissingRecordError, RecordChangedError

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

    async def companies(self) -> Sequence[ErpCompany]:
        """See `ErpConnector.companies`."""
        return self._companies

    async def pages(self, company_id: str, query: RecordQuery) -> AsyncIterator[RecordPage]:
        """See `ErpConnector.pages`."""
        url = f"memory:/{query.entity}" + ("" if query.where is None else f"?{render(query.where)}")
        self.queries.append(url)
        rows = [row for row in self._all(query.entity) if query.where is None or holds(query.where, row)]
        for order in reversed(query.order_by):
            name, _, direction = order.partition(" ")
            rows.sort(key=lambda row, name=name: row[name], reverse=direction == "desc")  # type: ignore[misc]
        rows = rows if query.limit is None else rows[: query.limit]
        yield RecordPage(records=[self._record(query.entity, row, query.select) for row in rows], url=url)

    async def get(self, company_id: str, entity: str, record_id: str, *, expand: tuple[str, ...] = ()) -> ErpRecord:
        """See `ErpConnector.get`."""
        return self._record(entity, self._row(entity, record_id))

    async def count(self, company_id: str, entity: str, where: Filter | None = None) -> int:
        """See `ErpConnector.count`."""
        return sum(where is None or holds(where, row) for row in self._all(entity))

    async def write(self, company_id: str, change: RecordChange, *, key: str = "") -> ErpRecord | None:
        """See `ErpConnector.write`. An action sets the record's status to its name."""
        if change.kind == "create":
            row = {"id": str(uuid.uuid4()), **change.values}
            self.records.setdefault(change.entity, []).append(row)
            return self._record(change.entity, row)
        row = self._row(change.entity, str(change.record_id))
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

    async def diagnose(self) -> Diagnosis:
        """See `ErpConnector.diagnose`."""
        return Diagnosis(stage="ok", message="in memory")

    async def close(self) -> None:
        """Nothing is held."""

    def _all(self, entity: str) -> list[dict[str, Any]]:
        return self.records.get(entity, [])

    def _row(self, entity: str, record_id: str) -> dict[str, Any]:
        for row in self._all(entity):
            if row["id"] == record_id:
                return row
        raise MissingRecordError(f"there is no {entity} {record_id}", status=404)

    def _etag(self, record_id: str) -> str:
        return f'W/"{self._versions.get(record_id, 0)}"'

    def _record(self, entity: str, row: Mapping[str, Any], select: Sequence[str] = ()) -> ErpRecord:
        values = {name: row[name] for name in (select or row) if name in row}
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
        text = str(value)
        return {"contains": where.text in text, "startswith": text.startswith(where.text),
                "endswith": text.endswith(where.text)}[where.how]  # fmt: skip
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
