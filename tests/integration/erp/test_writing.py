"""Writes to the ERP: shown first, based on what was seen, found again when their answer is lost (A-2)."""

from typing import Any

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.reading import reading_tools
from batuta.agents.erp.writing import writing_tools
from batuta.kernel.errors import ToolFailedError
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool

CUSTOMER: dict[str, Any] = {"entity": "customers", "values": {"displayName": "Nueva S.L.", "country": "ES"}}


def tools_of(access: ErpAccess) -> dict[str, Tool]:
    return {one.name: one for one in (*writing_tools(access), *reading_tools(access))}


def called(key: str) -> ToolContext:
    return ToolContext(idempotency_key=key, services={"language": "es"})


async def draft_invoice(access: ErpAccess) -> dict[str, Any]:
    tools = tools_of(access)
    customer = await tools["create_record"].call(called("customer"), **CUSTOMER)
    item = await tools["find_record"].call(entity="items", which=next(iter(access.names("item"))))
    lines = [{"lineType": "Item", "itemId": item["record_id"], "quantity": 2}]
    values = {"customerId": customer["record_id"], "salesInvoiceLines": lines}
    made: dict[str, Any] = await tools["create_record"].call(called("invoice"), entity="salesInvoices", values=values)
    return made


async def test_a_preview_shows_the_ledger_entries_and_keeps_nothing(access: ErpAccess) -> None:
    invoice = await draft_invoice(access)
    preview = tools_of(access)["run_action"].policy.preview
    assert preview is not None
    args = {"entity": "salesInvoices", "record_id": invoice["record_id"], "etag": invoice["etag"], "action": "post"}
    shown = await preview(args, called("post"))  # type: ignore[call-arg, misc]
    assert "Movimientos de contabilidad" in shown
    assert "| Estado | Borrador | Abierto |" in shown
    assert shown.partition("·")[0].endswith(f"{invoice['values']['number']} Nueva S.L.** ")
    still = await tools_of(access)["find_record"].call(entity="salesInvoices", which=invoice["record_id"])
    assert (still["values"]["status"], still["etag"]) == ("Draft", invoice["etag"])


async def test_the_lines_of_a_document_are_shown_where_they_are_asked_for(access: ErpAccess) -> None:
    invoice = await draft_invoice(access)
    find = tools_of(access)["find_record"]
    bare = await find.call(called("bare"), entity="salesInvoices", which=invoice["record_id"])
    whole = await find.call(called("whole"), entity="salesInvoices", which=invoice["record_id"], fields=["lines"])
    assert "Líneas de factura" not in bare["summary"]
    table = whole["summary"].removeprefix(bare["summary"])
    assert "Líneas de factura" in table
    assert next(iter(access.names("item"))) in table


async def test_what_has_changed_since_it_was_seen_is_not_posted_again(access: ErpAccess) -> None:
    invoice = await draft_invoice(access)
    args = {"entity": "salesInvoices", "record_id": invoice["record_id"], "etag": invoice["etag"], "action": "post"}
    posted = await tools_of(access)["run_action"].call(called("first"), **args)
    assert posted["values"]["status"] == "Open"
    with pytest.raises(ToolFailedError, match="ha cambiado desde que se mostró"):
        await tools_of(access)["run_action"].call(called("second"), **args)


async def test_a_change_by_somebody_else_is_never_overwritten(access: ErpAccess) -> None:
    tools = tools_of(access)
    made = await tools["create_record"].call(called("customer"), **CUSTOMER)
    seen = {"entity": "customers", "record_id": made["record_id"], "etag": made["etag"]}
    await tools["update_record"].call(called("other"), **seen, values={"city": "Sevilla"})
    with pytest.raises(ToolFailedError, match=r"no se ha escrito nada.*Ahora: Ciudad: Sevilla\. ¿"):
        await tools["update_record"].call(called("mine"), **seen, values={"city": "Madrid"})
    now = await tools["find_record"].call(entity="customers", which=made["record_id"])
    assert now["values"]["city"] == "Sevilla"


async def test_a_create_whose_answer_was_lost_is_found_by_its_key(access: ErpAccess) -> None:
    tool = tools_of(access)["create_record"]
    reconcile = tool.policy.reconcile
    assert reconcile is not None
    assert await reconcile(CUSTOMER, called("lost")) is None
    made = await tool.call(called("lost"), **CUSTOMER)
    found = await reconcile(CUSTOMER, called("lost"))
    assert (found["outcome"], found["record_id"]) == ("created", made["record_id"])
    assert await reconcile(CUSTOMER, called("another")) is None


async def test_a_wrong_payload_is_refused_before_it_is_sent(access: ErpAccess) -> None:
    with pytest.raises(ToolFailedError, match="displayName: it is required"):
        await tools_of(access)["create_record"].call(called("x"), entity="customers", values={"city": "Madrid"})


@pytest.mark.parametrize(
    ("tool", "more", "head"),
    [
        ("update_record", {"values": {"city": "Sevilla"}}, "**Cambiar: Clientes {number} Nueva S.L.**"),
        ("delete_record", {}, "**Borrar: Clientes {number} Nueva S.L.**"),
    ],
)
async def test_a_preview_says_which_record_is_changed(
    access: ErpAccess, tool: str, more: dict[str, Any], head: str
) -> None:
    """Whoever agrees sees number and name, also where neither is among the fields that change."""
    made = await tools_of(access)["create_record"].call(called("customer"), **CUSTOMER)
    preview = tools_of(access)[tool].policy.preview
    assert preview is not None
    args = {"entity": "customers", "record_id": made["record_id"], "etag": made["etag"], **more}
    shown = await preview(args, called("seen"))  # type: ignore[call-arg, misc]
    assert shown.startswith(head.format(number=made["values"]["number"]))


async def test_a_posting_shows_lines_totals_and_entries_and_no_addresses(access: ErpAccess) -> None:
    """What matters before one agrees, in the reader's language: a row for each line, the rest is counted."""
    tools = tools_of(access)
    customer = await tools["create_record"].call(called("customer"), **CUSTOMER)
    item = await tools["find_record"].call(entity="items", which=next(iter(access.names("item"))))
    lines = [{"lineType": "Item", "itemId": item["record_id"], "quantity": 2}] * 2
    values = {"customerId": customer["record_id"], "salesInvoiceLines": lines}
    preview = tools["create_record"].policy.preview
    assert preview is not None
    shown = await preview({"entity": "salesInvoices", "values": values}, called("new"))  # type: ignore[call-arg, misc]
    rows = [line for line in shown.splitlines() if line.startswith("|") and "---" not in line]
    assert sum("| 2 |" in row for row in rows) == 2
    assert any(row.startswith("| Total con IVA |") for row in rows)
    assert any("campos más" in row for row in rows)
    assert len(rows) < 25


async def test_a_refused_deletion_says_why_in_the_language_of_the_reader(access: ErpAccess) -> None:
    invoice = await draft_invoice(access)
    args = {"entity": "salesInvoices", "record_id": invoice["record_id"], "etag": invoice["etag"]}
    posted = await tools_of(access)["run_action"].call(called("post"), **args, action="post")
    again = {"entity": "salesInvoices", "record_id": posted["record_id"], "etag": posted["etag"]}
    with pytest.raises(ToolFailedError, match=r"La factura de venta .* ya está en los libros y no se puede borrar"):
        await tools_of(access)["delete_record"].call(called("delete"), **again)
