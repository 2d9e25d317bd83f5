"""The question the platform is measured by, on a fresh start without a key: a chart whose figures lead to records."""

from decimal import Decimal
from typing import Any

import pytest
from playwright.async_api import Page

from tests.support.browser import TALL, Visitor, grave_findings, picture, rows_of
from tests.support.demo import Demo

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "open": "Open the demo",
        "box": "Message",
        "question": "Which customers owe us the most money? Draw me a chart",
        "table": "Receivables by customer",
        "card": "Sales invoices",
        "due": "Due date",
        "records": "Show the records behind it",
        "conversation": "Conversation",
        "timeline": "Timeline of this turn",
    },
    "es": {
        "open": "Abrir la demo",
        "box": "Mensaje",
        "question": "¿Qué clientes nos deben más dinero? Hazme un gráfico",
        "table": "Pendiente de cobro por cliente",
        "card": "Facturas de venta",
        "due": "Vencimiento",
        "records": "Mostrar los registros que la componen",
        "conversation": "Conversación",
        "timeline": "Cronología de este turno",
    },
}
_FETCH = "path => fetch(path).then(answer => answer.json())"


async def debts(page: Page) -> tuple[dict[str, Decimal], dict[str, Decimal]]:
    """What each customer owes by the table that was shown, and by the records it says it was made of."""
    session = page.url.rsplit("/", 1)[-1]
    place = f"/api/sessions/{session}/datasets"
    heads: list[dict[str, Any]] = (await page.evaluate(_FETCH, place))["items"]
    sums: list[dict[str, Decimal]] = []
    for name in ("receivables_customer", "receivables_customer_records"):
        head = next(one for one in heads if one["name"] == name)
        names = [column["name"] for column in head["columns"]]
        amount = names.index("value" if "value" in names else "amount")
        found: dict[str, Decimal] = {}
        page_of_rows = await page.evaluate(_FETCH, f"{place}/{head['dataset_id']}/rows?limit=1000")
        for row in page_of_rows["rows"]:
            customer = str(row[names.index("customer")])
            found[customer] = found.get(customer, Decimal(0)) + Decimal(str(row[amount]))
        sums.append(found)
    return sums[0], sums[1]


@pytest.mark.parametrize(("language", "scheme"), [("en", "dark"), ("es", "light")])
async def test_who_owes_us_most_ends_in_a_chart_whose_figures_lead_to_records(
    visitor: Visitor, demo: Demo, language: str, scheme: str
) -> None:
    words = WORDS[language]
    page = await visitor.open(demo.address, viewport=TALL, color_scheme=scheme, locale=language)
    await page.get_by_role("button", name=words["open"]).click()
    await page.get_by_label(words["box"], exact=True).fill(words["question"])
    await page.keyboard.press("Enter")
    await page.locator("[data-chart] svg.marks").wait_for()
    await page.get_by_role("button", name=words["timeline"]).first.wait_for()

    shown, from_records = await debts(page)
    assert len(shown) >= 5
    assert shown == from_records
    most = max(shown, key=lambda customer: shown[customer])
    bars = await page.locator("[data-chart] svg.marks [aria-roledescription='bar']").evaluate_all(
        "bars => bars.map(bar => bar.getAttribute('aria-label'))"
    )
    assert any(most in bar for bar in bars)
    assert await grave_findings(page) == []
    await picture(page, f"debtors-{language}-{scheme}")

    live = [row["text"] for row in await rows_of(page)]
    assert not any("receivables_customer" in text for text in live), "people read titles, and no names of tables"
    await page.reload()
    await page.locator("[data-chart] svg.marks").wait_for()
    assert [row["text"] for row in await rows_of(page)] == live

    await page.get_by_role("button", name=words["table"], exact=True).last.click()
    (table,) = [row for row in await rows_of(page) if row["kind"] == "item" and words["records"] in row["text"]]
    assert words["table"] in table["text"]
    assert "#e" in page.url

    await page.get_by_role("button", name=words["records"]).first.click()
    link = page.get_by_role("button", name="salesInvoices").first
    await link.focus()
    await page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    await dialog.locator("dd").first.wait_for()
    card = await dialog.inner_text()
    assert any(customer in card for customer in shown)
    assert card.startswith(words["card"])
    assert words["due"] in card
    assert "false" not in card
    assert await grave_findings(page) == []
    await picture(page, f"debtors-record-{language}-{scheme}")
    await page.keyboard.press("Escape")
    await dialog.wait_for(state="detached")
