"""Changes in a person's words: prepared by code, and found done by what they left (A-2, A-8)."""

from collections.abc import Mapping
from typing import Any

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.changes.lookups import ErpLookup
from batuta.agents.erp.changes.preparing import preparing_tools
from batuta.agents.erp.reading import reading_tools
from batuta.agents.erp.writing import writing_tools
from batuta.connectors.odata.filters import Compare
from batuta.kernel.errors import ToolFailedError
from batuta.language.interpretation import AMENDED_BY
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool


class Clerk:
    """Prepares and carries out, as a model does that calls what a result names."""

    def __init__(self, access: ErpAccess, language: str = "en") -> None:
        self.tools: dict[str, Tool] = {
            one.name: one for one in (*preparing_tools(access), *writing_tools(access), *reading_tools(access))
        }
        self.language = language
        self.calls = 0

    async def prepare(self, *messages: str, about: str = "") -> dict[str, Any]:
        text = AMENDED_BY.join(messages)
        found: dict[str, Any] = await self.tools["prepare_change"].call(self.context(), request=text, about=about)
        return found

    async def follow(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Call the tool that a result names, with what the result holds for it."""
        tool = self.tools[result["next_tool"]]
        names = tool.spec.schema["properties"]
        args = {name: result[name] for name in names if result.get(name) is not None}
        found: dict[str, Any] = await tool.call(self.context(), **args)
        return found

    async def carry_out(self, *messages: str) -> list[dict[str, Any]]:
        """Every write of a request, approved as it comes."""
        result = await self.prepare(*messages)
        written: list[dict[str, Any]] = []
        while "next_tool" in result:
            result = await self.follow(result)
            written += [result] if result.get("is_changed") else []
        return written

    async def record(self, entity: str, which: str) -> dict[str, Any]:
        found: dict[str, Any] = (await self.tools["find_record"].call(self.context(), entity=entity, which=which))[
            "values"
        ]
        return found

    def context(self) -> ToolContext:
        self.calls += 1
        return ToolContext(idempotency_key=f"key-{self.calls}", services={"language": self.language})


async def test_a_quote_becomes_an_order_an_invoice_and_money(access: ErpAccess) -> None:
    """A-8: each write leads to the next, and each is one of its own."""
    written = await Clerk(access, "es").carry_out("convierte la oferta 1002 en pedido, envíalo y registra el cobro")
    assert [one["outcome"] for one in written] == ["makeOrder done", "shipAndInvoice done", "created", "post done"]
    assert written[-1]["values"]["status"] == "Paid"
    assert "factura **103" in written[-1]["summary"]["es"]


async def test_what_is_missing_is_asked_and_the_answer_taken(access: ErpAccess) -> None:
    clerk = Clerk(access)
    asked = await clerk.prepare("haz un pedido de 3 bicicletas para Ribalta")
    assert "Hoteles Ribalta" in asked["summary"]
    assert "Muebles Ribalta" in asked["summary"]
    asked = await clerk.prepare("haz un pedido de 3 bicicletas para Ribalta", "Hoteles Ribalta")
    assert "«bicicletas»" in asked["summary"]
    ready = await clerk.prepare("haz un pedido de 3 bicicletas para Ribalta", "Hoteles Ribalta", "Jara apilable")
    assert ready["next_tool"] == "create_record"
    assert ready["values"]["salesOrderLines"][0]["quantity"] == 3


async def test_what_the_erp_would_refuse_is_not_put_before_a_person(access: ErpAccess) -> None:
    found = await Clerk(access).prepare("post the invoice 103103")
    assert "next_tool" not in found
    assert "Open" in found["summary"]


async def test_a_word_that_is_not_understood_stops_the_change(access: ErpAccess) -> None:
    found = await Clerk(access).prepare("cancel the invoice 103191 tomorrow")
    assert "next_tool" not in found
    assert "“tomorrow”" in found["summary"]


async def test_an_invoice_of_another_customer_is_not_the_one_that_is_meant(access: ErpAccess) -> None:
    found = await Clerk(access).prepare("cancel the invoice 103191 of Hoteles Ribalta")
    assert found["outcome"] == "question"


async def test_the_company_that_is_named_is_no_part_of_the_change(access: ErpAccess) -> None:
    found = await Clerk(access).prepare("create a customer called Acme in Porto in the company Vento Norte")
    assert found["values"] == {"displayName": "Acme", "city": "Porto"}


async def test_it_is_the_document_that_was_spoken_of_last(access: ErpAccess) -> None:
    """A-42"""
    clerk = Clerk(access)
    found = await clerk.prepare("post it", about="Created: invoice **102150**, Hoteles Peñaverde, 10 €, draft.")
    assert (found["next_tool"], found["seen"]["number"]) == ("run_action", "102150")


async def test_a_posting_that_another_person_made_impossible_is_not_called_done(access: ErpAccess) -> None:
    """O-3: a version that changed is no proof that the posting took place."""
    clerk = Clerk(access)
    ready = await clerk.prepare("post the invoice 102149")
    other = await clerk.prepare("change the due date of invoice 102149 to 31 October")
    await clerk.follow(other)
    reconcile = clerk.tools["run_action"].policy.reconcile
    assert reconcile is not None
    assert await reconcile({**ready}, clerk.context()) is None
    with pytest.raises(ToolFailedError, match="nothing was written"):
        await clerk.follow(ready)
    assert (await clerk.record("salesInvoices", "102149"))["status"] == "Draft"


async def test_a_posting_whose_answer_was_lost_is_found_by_the_state_it_left(access: ErpAccess) -> None:
    clerk = Clerk(access)
    for request in ("post the invoice 102149", "post the order 101044", "make the quote 1001 into an order"):
        ready = await clerk.prepare(request)
        reconcile = clerk.tools[ready["next_tool"]].policy.reconcile
        assert reconcile is not None
        assert await reconcile(ready, clerk.context()) is None
        done = await clerk.follow(ready)
        assert await reconcile(ready, clerk.context()) == done


async def test_a_journal_is_posted_only_with_the_lines_that_were_seen(access: ErpAccess) -> None:
    """A line that another person entered meanwhile is not posted unseen; nor is it posted after a lost answer."""
    clerk = Clerk(access)
    entered = await clerk.follow(await clerk.prepare("register a payment of 10 for invoice 103111"))
    posting = await clerk.follow(entered)
    line = {**entered["values"], "amount": -1}
    values = {name: line[name] for name in ("journalId", "customerId", "postingDate", "amount", "appliesToInvoiceId")}
    added = await clerk.tools["create_record"].call(clerk.context(), entity="customerPayments", values=values)
    with pytest.raises(ToolFailedError, match="nothing was written"):
        await clerk.follow(posting)
    version = {"entity": "customerPayments", "record_id": added["record_id"], "etag": added["etag"]}
    await clerk.tools["delete_record"].call(clerk.context(), **version)
    await clerk.follow(posting)
    await clerk.tools["create_record"].call(clerk.context(), entity="customerPayments", values=values)
    reconcile = clerk.tools["run_action"].policy.reconcile
    assert reconcile is not None
    assert (await reconcile(posting, clerk.context()))["outcome"] == "post done"


async def test_a_payment_whose_posting_was_not_approved_goes_on_where_it_stopped(access: ErpAccess) -> None:
    clerk = Clerk(access)
    await clerk.follow(await clerk.prepare("register a payment of 10 for invoice 103111"))
    again = await clerk.prepare("register a payment of 10 for invoice 103111")
    assert (again["next_tool"], again["entity"]) == ("run_action", "journals")
    other = await clerk.prepare("register a payment of 10 for invoice 103114")
    assert "103111" in other["summary"]
    gone = await clerk.follow(await clerk.prepare("delete the payment of invoice 103111"))
    assert gone["outcome"] == "deleted"
    assert gone["summary"]["en"].startswith("Deleted: payment G")


async def test_an_amount_in_another_currency_is_not_taken_for_the_documents(access: ErpAccess) -> None:
    """A-8: three at 100 euros each are no 300 dollars."""
    lookup = ErpLookup(access=access, company=await access.company())
    abroad = next(iter(await lookup.read("customers", Compare("currencyCode", "eq", "USD"))))
    item = next(iter(access.names("item")))
    order = f"create an invoice for {abroad.values['displayName']} with 3 {item} at 100"
    assert (await Clerk(access).prepare(f"{order} dollars each"))["outcome"] == "prepared"
    refused = await Clerk(access).prepare(f"{order} euros each")
    assert refused["outcome"] == "nothing_to_do"
    assert "USD" in refused["summary"]
