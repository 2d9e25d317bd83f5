"""What must stand in the ERP after a task that writes: raw reads only, no code of the agent is used here."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from batuta.connectors.erp import ErpConnector, RecordQuery
from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest

WATCHED = (
    "customers", "vendors", "items", "salesQuotes", "salesOrders", "salesInvoices", "salesCreditMemos",
    "purchaseOrders", "purchaseInvoices",    "generalLedgerEntries", "itemLedgerEntries",
)  # fmt: skip
"""Where a write would show."""

Rows = Mapping[str, list[Mapping[str, Any]]]


class CountingApprover:
    """Approves everything, and counts what it was asked."""

    def __init__(self) -> None:
        self.approved: list[ApprovalRequest] = []

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """See `Approver`."""
        self.approved.append(request)
        return ApprovalDecision.approve(by="benchmark")


async def rows_of(connector: ErpConnector, company_id: str, entities: Iterable[str] = WATCHED) -> Rows:
    """Some entities, read whole."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for entity in entities:
        found[entity] = []
        async for page in connector.pages(company_id, RecordQuery(entity=entity)):
            found[entity] += [record.values for record in page.records]
    return found


def wrong_state(rows: Rows, wanted: Sequence[Mapping[str, Any]]) -> str:
    """Which of some facts about the records does not hold; empty if all do."""
    for fact in wanted:
        found = [row for row in rows[fact["entity"]] if _has(row, fact.get("where", {}))]
        count = 0 if fact.get("gone") else fact.get("count", 1)
        if len(found) != count:
            return f"{len(found)} {fact['entity']} with {dict(fact.get('where', {}))}, not {count}"
        for row in found:
            if not _has(row, fact.get("has", {})):
                shown = {name: row.get(name) for name in fact["has"]}
                return f"{fact['entity']} {row.get('number')} has {shown}, not {dict(fact['has'])}"
    return ""


def _has(row: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    return all(_is_equal(row.get(name), value) for name, value in wanted.items())


def _is_equal(found: Any, wanted: str) -> bool:
    try:
        return not isinstance(found, bool) and Decimal(str(found)) == Decimal(wanted)
    except InvalidOperation:
        return str(found) == wanted
