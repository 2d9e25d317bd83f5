"""Every figure leads to its records in two clicks, and their sum is the figure; lists lead to cards (W-8, W-9)."""

from decimal import Decimal
from typing import Any

import pytest
from playwright.async_api import Page

from tests.support.browser import TALL, Visitor, grave_findings, picture
from tests.support.demo import Demo

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "open": "Open the demo",
        "box": "Message",
        "records": "Show the records behind it",
        "timeline": "Timeline of this turn",
    },
    "es": {
        "open": "Abrir la demo",
        "box": "Mensaje",
        "records": "Mostrar los registros que la componen",
        "timeline": "Cronología de este turno",
    },
}
_FETCH = "path => fetch(path).then(answer => answer.json())"


async def asked(visitor: Visitor, demo: Demo, language: str, question: str) -> Page:
    words = WORDS[language]
    page = await visitor.open(demo.address, viewport=TALL, color_scheme="light", locale=language)
    await page.get_by_role("button", name=words["open"]).click()
    await page.get_by_label(words["box"], exact=True).fill(question)
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name=words["timeline"]).first.wait_for()
    return page


async def sums(page: Page, name: str, split: str) -> dict[str, Decimal]:
    """The figures of a dataset by what it is split by."""
    place = f"/api/sessions/{page.url.rsplit('/', 1)[-1]}/datasets"
    heads: list[dict[str, Any]] = (await page.evaluate(_FETCH, place))["items"]
    head = next(one for one in heads if one["name"] == name)
    names = [column["name"] for column in head["columns"]]
    amount = names.index("value" if "value" in names else "amount")
    found: dict[str, Decimal] = {}
    rows = (await page.evaluate(_FETCH, f"{place}/{head['dataset_id']}/rows?limit=5000"))["rows"]
    for row in rows:
        group = str(row[names.index(split)])
        found[group] = found.get(group, Decimal(0)) + Decimal(str(row[amount]))
    return found


@pytest.mark.parametrize(
    ("language", "question", "dataset", "split", "entity"),
    [
        ("es", "ventas por cliente en 2026", "sales_customer", "customer", "salesInvoices"),
        ("en", "gross margin by month in 2026", "gross_margin_month", "month", "itemLedgerEntries"),
        ("es", "valor de las existencias por categoría", "stock_value_category", "category", "itemLedgerEntries"),
        ("en", "how much do we owe our suppliers, by vendor", "payables_vendor", "vendor", "agedAccountsPayables"),
        ("es", "gastos por cuenta en 2026", "expenses_account", "account", "generalLedgerEntries"),
    ],
)
async def test_two_clicks_lead_from_a_figure_to_a_record_of_which_it_is_the_sum(
    visitor: Visitor, demo: Demo, language: str, question: str, dataset: str, split: str, entity: str
) -> None:
    page = await asked(visitor, demo, language, question)

    shown = await sums(page, dataset, split)
    assert shown
    assert shown == await sums(page, f"{dataset}_records", split)

    await page.get_by_role("button", name=WORDS[language]["records"]).first.click()
    await page.get_by_role("button", name=entity).first.click()
    dialog = page.get_by_role("dialog")
    await dialog.locator("dd").first.wait_for()
    assert await dialog.locator("dd").count() > 3
    assert await grave_findings(page) == []
    await picture(page, f"figure-{dataset}-{language}")


@pytest.mark.parametrize(
    ("language", "question", "entity", "named"),
    [
        ("en", "list our vendors", "vendors", "Textiles Ferrolid, GmbH"),
        ("es", "lista de productos", "items", "Duna tumbona"),
        ("es", "lista de clientes", "customers", "Hoteles Ribalta, S.C."),
    ],
)
async def test_a_row_of_a_list_opens_the_card_of_its_record(
    visitor: Visitor, demo: Demo, language: str, question: str, entity: str, named: str
) -> None:
    page = await asked(visitor, demo, language, question)

    row = page.get_by_role("row").filter(has_text=named).first
    await row.get_by_role("button", name=entity).click()
    dialog = page.get_by_role("dialog")
    await dialog.locator("dd").first.wait_for()
    card = await dialog.inner_text()
    assert named in card
    assert "_x0020_" not in card
    assert await grave_findings(page) == []
    await picture(page, f"card-{entity}-{language}")
