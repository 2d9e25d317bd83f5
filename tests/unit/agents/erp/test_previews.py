"""What a person reads before agreeing to a change: every value before and after (A-8, W-9)."""

from collections.abc import Mapping
from typing import Any

import pytest

from batuta.agents.erp.previews import UNSET, preview_text
from batuta.connectors.erp import ChangePreview, ErpCompany, RecordChange, RowDifference

COMPANY = ErpCompany(id="C", name="Casa", display_name="Casa, S.L.")


def shown(before: Mapping[str, Any], values: Mapping[str, Any], language: str) -> str:
    """The preview of an update of a customer."""
    change = RecordChange(kind="update", entity="customers", record_id="1", values=values)
    row = RowDifference(entity="customers", id="1", before=before, after={**before, **values})
    preview = ChangePreview(rows=(row,), is_rehearsed=True)
    return preview_text(preview, change, COMPANY, record=before, language=language)


@pytest.mark.parametrize(
    ("before", "values", "row"),
    [
        ({"website": ""}, {"website": "casa.example"}, f"| {UNSET} | casa.example |"),
        ({"website": "casa.example"}, {"website": ""}, f"| casa.example | {UNSET} |"),
        ({"blocked": "_x0020_"}, {"blocked": "All"}, f"| {UNSET} | Todo |"),
    ],
)
def test_a_field_without_a_value_is_shown_as_one(before: dict[str, Any], values: dict[str, Any], row: str) -> None:
    """An empty cell would look like a value that was left out."""
    assert row in shown(before, values, "es")


def test_a_reference_that_is_changed_is_shown_although_it_is_an_id() -> None:
    """Who approves other payment terms sees that they become others; ids that merely follow are not shown."""
    before = {"paymentTermsId": "30-days", "taxAreaId": "old"}
    text = shown(before, {"paymentTermsId": "60-days"}, "en")
    assert "| 30-days | 60-days |" in text
    assert "taxArea" not in text


def test_figures_of_entries_stand_at_the_right_and_numbers_of_accounts_do_not() -> None:
    """An account's number names something; nobody adds it up."""
    entry = {"accountNumber": "2310", "description": "Invoice 7", "debitAmount": 54.45, "creditAmount": 0}
    change = RecordChange(kind="action", entity="salesInvoices", record_id="1", values={}, action="post")
    row = RowDifference(entity="generalLedgerEntries", id="9", before=None, after=entry)
    text = preview_text(ChangePreview(rows=(row,), is_rehearsed=True), change, COMPANY, record={}, language="en")
    assert "|---|---|---:|---:|\n| 2310 | Invoice 7 | 54.45 |" in text


@pytest.mark.parametrize("language", ["en", "es"])
def test_an_id_is_not_shown_beside_the_number_of_the_same_record(language: str) -> None:
    """Who approves a payment reads which invoice it is for; the id of that says nothing more."""
    values = {"appliesToInvoiceId": "23a10290-192d", "appliesToInvoiceNumber": "103178"}
    text = shown({}, values, language)
    assert "103178" in text
    assert "23a10290" not in text


def test_what_changes_beside_the_record_is_called_by_its_name() -> None:
    """Who approves a cancellation reads which item comes back, and whose balance falls."""
    change = RecordChange(kind="action", entity="salesInvoices", record_id="1", values={}, action="cancel")
    rows = (
        RowDifference(entity="salesInvoices", id="1", before={"status": "Open"}, after={"status": "Canceled"}),
        RowDifference(
            entity="items", id="2", before={"number": "1004", "displayName": "Toldo", "inventory": 17},
            after={"number": "1004", "displayName": "Toldo", "inventory": 19},
        ),
    )  # fmt: skip
    text = preview_text(ChangePreview(rows=rows, is_rehearsed=True), change, COMPANY, record={}, language="en")

    assert "Items 1004 Toldo\n\n| Field" in text
    assert "\n\nSales invoices\n\n| Field" in text
