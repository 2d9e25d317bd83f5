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
