"""Who may read, write and post in the ERP, in which company, and up to which amount (A-2, O-31)."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, cast

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.agent import guarded_reading_tools
from batuta.agents.erp.rights import ERP_RIGHTS_SERVICE, ErpPermission, ErpPolicy
from batuta.agents.erp.writing import writing_tools
from batuta.connectors.erp import ChangePreview, ErpConnector, RecordChange, RecordPage, RecordQuery
from batuta.connectors.odata.filters import Compare
from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest
from batuta.kernel.messages import ToolCallBlock
from batuta.tools.context import ToolContext, ToolUser
from batuta.tools.invocation import CallScope, ToolInvoker
from batuta.tools.outcome import Refusal, ToolOutcome
from batuta.tools.tool import Tool


@dataclass
class Rights:
    """The roles of people, which a test can change."""

    policy: ErpPolicy
    roles: dict[str, frozenset[str]] = field(default_factory=dict)

    async def roles_of(self, user_id: str) -> frozenset[str]:
        return self.roles.get(user_id, frozenset())


@dataclass
class Person:
    """Agrees as somebody, after taking roles away."""

    by: str
    rights: Rights
    takes_from: str = ""
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(request)
        self.rights.roles.pop(self.takes_from, None)
        return ApprovalDecision.approve(by=self.by)


def tools_of(access: ErpAccess) -> Mapping[str, Tool]:
    return {one.name: one for one in (*guarded_reading_tools(access), *writing_tools(access))}


async def called(access: ErpAccess, rights: Rights, person: Person, name: str, **args: Any) -> ToolOutcome:
    services = {ERP_RIGHTS_SERVICE: rights, "language": "es"}
    scope = CallScope(tools=tools_of(access), user=ToolUser(id="ana"), services=services, approver=person)
    call = ToolCallBlock(id="1", name=name, args=args)
    return await ToolInvoker().invoke(call, scope, idempotency_key=f"{name}:{len(person.asked)}")


async def draft(access: ErpAccess) -> dict[str, Any]:
    """A draft invoice that a colleague made."""
    create = next(one for one in writing_tools(access) if one.name == "create_record")
    company = await access.company()
    customer = await create.call(
        ToolContext(idempotency_key="customer"), entity="customers", values={"displayName": "Nueva"}
    )
    item = (await access.connector.pages(company.id, RecordQuery(entity="items", limit=1)).__anext__()).records[0]
    lines = [{"lineType": "Item", "itemId": item.id, "quantity": 2, "unitPrice": 100}]
    values = {"customerId": customer["record_id"], "salesInvoiceLines": lines}
    made: dict[str, Any] = await create.call(
        ToolContext(idempotency_key="invoice"), entity="salesInvoices", values=values
    )
    return {"entity": "salesInvoices", "record_id": made["record_id"], "etag": made["etag"], "action": "post"}


async def status_of(access: ErpAccess, record_id: str) -> str:
    company = await access.company()
    return str((await access.connector.get(company.id, "salesInvoices", record_id)).values["status"])


READER = ErpPolicy(roles={"clerk": ErpPermission(may=frozenset(("read", "write"))), "chief": ErpPermission()})
LIMITED = ErpPolicy(amount_limit=Decimal(50))


async def test_who_may_write_but_not_post_is_refused_before_anybody_is_asked(access: ErpAccess) -> None:
    args = await draft(access)
    rights = Rights(READER, {"ana": frozenset({"clerk"})})
    person = Person("ben", rights)
    outcome = await called(access, rights, person, "run_action", **args)
    assert outcome.refusal == Refusal.FORBIDDEN
    assert "no tienes permiso para registrar documentos" in outcome.result.content
    assert person.asked == []
    assert await status_of(access, args["record_id"]) == "Draft"


async def test_a_right_to_post_taken_away_while_it_waits_is_honoured(access: ErpAccess) -> None:
    args = await draft(access)
    rights = Rights(READER, {"ana": frozenset({"chief"})})
    outcome = await called(access, rights, Person("ben", rights, takes_from="ana"), "run_action", **args)
    assert outcome.refusal == Refusal.FORBIDDEN
    assert await status_of(access, args["record_id"]) == "Draft"


async def test_reading_ends_at_the_companies_of_a_role(access: ErpAccess) -> None:
    first, second = list(await access.companies())[:2]
    policy = ErpPolicy(roles={"clerk": ErpPermission(companies=(first.display_name,))})
    rights = Rights(policy, {"ana": frozenset({"clerk"})})
    person = Person("ben", rights)
    refused = await called(access, rights, person, "read_records", entity="customers", company=second.display_name)
    assert refused.refusal == Refusal.FORBIDDEN
    assert second.display_name in refused.result.content
    found = await called(
        access, rights, person, "find_record", entity="customers", which="x", company=first.display_name
    )
    assert found.refusal is None


@pytest.mark.parametrize(("by", "status"), [("ana", "Draft"), ("boss", "Open")])
async def test_above_the_limit_only_an_approver_lets_it_happen(access: ErpAccess, by: str, status: str) -> None:
    args = await draft(access)
    rights = Rights(LIMITED, {"ana": frozenset({"user"}), "boss": frozenset({"approver"})})
    person = Person(by, rights)
    outcome = await called(access, rights, person, "run_action", **args)
    assert [request.required_role for request in person.asked] == ["approver"]
    assert "supera el límite de 50" in person.asked[0].reason
    assert await status_of(access, args["record_id"]) == status
    assert ("supera el límite de 50" in outcome.result.content) == (by == "ana")


async def test_an_approver_who_lost_the_role_meanwhile_decides_nothing(access: ErpAccess) -> None:
    args = await draft(access)
    rights = Rights(LIMITED, {"ana": frozenset({"user"}), "boss": frozenset({"approver"})})
    await called(access, rights, Person("boss", rights, takes_from="boss"), "run_action", **args)
    assert await status_of(access, args["record_id"]) == "Draft"


CLERK = ErpPermission(may=frozenset(("read", "write")))


@dataclass
class Unrehearsed:
    """A connector of an ERP that shows only the record itself before a change."""

    connector: ErpConnector

    async def preview(self, company_id: str, change: RecordChange) -> ChangePreview:
        shown = await self.connector.preview(company_id, change)
        own = [row for row in shown.rows if row.entity == change.entity]
        return ChangePreview(rows=own, is_rehearsed=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connector, name)


async def counted_stock(access: ErpAccess) -> tuple[dict[str, Any], list[int]]:
    """The arguments that set the stock of an item, and how many entries the ledger has."""
    company = await access.company()
    item = (await access.connector.pages(company.id, RecordQuery(entity="items", limit=1)).__anext__()).records[0]
    pages = access.connector.pages(company.id, RecordQuery(entity="generalLedgerEntries"))
    args = {"entity": "items", "record_id": item.id, "etag": item.etag, "values": {"inventory": 5000}}
    return args, [len(page.records) async for page in pages]


@pytest.mark.parametrize("is_rehearsed", [True, False])
async def test_a_field_whose_change_is_booked_needs_the_right_to_post(access: ErpAccess, is_rehearsed: bool) -> None:
    if not is_rehearsed:
        access = replace(access, connector=cast("ErpConnector", Unrehearsed(access.connector)))
    args, entries = await counted_stock(access)
    rights = Rights(ErpPolicy(roles={"clerk": CLERK}), {"ana": frozenset({"clerk"})})
    person = Person("ana", rights)
    outcome = await called(access, rights, person, "update_record", **args)
    assert outcome.refusal == Refusal.FORBIDDEN
    assert "no tienes permiso para registrar" in outcome.result.content
    assert person.asked == []
    assert (await counted_stock(access))[1] == entries


async def test_what_is_booked_for_a_quantity_is_held_against_the_limit(access: ErpAccess) -> None:
    args, entries = await counted_stock(access)
    rights = Rights(LIMITED, {"ana": frozenset({"user"})})
    person = Person("ana", rights)
    await called(access, rights, person, "update_record", **args)
    assert [request.required_role for request in person.asked] == ["approver"]
    assert (await counted_stock(access))[1] == entries


async def test_a_change_that_books_nothing_needs_no_right_to_post(access: ErpAccess) -> None:
    args, _ = await counted_stock(access)
    rights = Rights(ErpPolicy(roles={"clerk": CLERK}), {"ana": frozenset({"clerk"})})
    outcome = await called(
        access, rights, Person("ana", rights), "update_record", **args | {"values": {"displayName": "Mesa"}}
    )
    assert outcome.refusal is None


@pytest.mark.parametrize(("rate", "role"), [(50, None), (140, "approver")])
async def test_a_document_in_another_currency_is_held_against_the_limit_by_its_worth_in_the_books(
    access: ErpAccess, rate: int, role: str | None
) -> None:
    """4,000 and the VAT, at an exchange rate of so many for 100; the limit is 5,000 in the currency of the books."""
    company = await access.company()
    where = Compare("currencyCode", "eq", "USD")
    customers = access.connector.pages(company.id, RecordQuery(entity="customers", where=where, limit=1))
    customer = (await customers.__anext__()).records[0]
    item = (await access.connector.pages(company.id, RecordQuery(entity="items", limit=1)).__anext__()).records[0]
    lines = [{"lineType": "Item", "itemId": item.id, "quantity": 1, "unitPrice": 4000}]
    dear = replace(access, connector=cast("ErpConnector", AtRate(access.connector, Decimal(rate))))
    rights = Rights(ErpPolicy(amount_limit=Decimal(5000)), {"ana": frozenset({"user"})})
    person = Person("ana", rights)
    values = {"customerId": customer.id, "salesOrderLines": lines}
    await called(dear, rights, person, "create_record", entity="salesOrders", values=values)
    assert [request.required_role for request in person.asked] == [role]


@dataclass
class AtRate:
    """A connector of an ERP in whose books a foreign currency has this rate for 100."""

    connector: ErpConnector
    rate: Decimal

    async def pages(self, company_id: str, query: RecordQuery) -> AsyncIterator[RecordPage]:
        async for page in self.connector.pages(company_id, query):
            if query.entity == "currencyExchangeRates":
                for record in page.records:
                    cast("dict[str, Any]", record.values)["relationalExchangeRateAmount"] = self.rate
            yield page

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connector, name)
