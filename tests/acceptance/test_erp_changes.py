"""A posting in the page: its effects are shown first, approving does it, and the result leads to its record (A-8)."""

import pytest

from tests.support.browser import TALL, Visitor, grave_findings, picture, rows_of
from tests.support.demo import Demo

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "open": "Open the demo",
        "box": "Message",
        "order": "post the invoice 102149",
        "customer": "Camping Peñaverde, S.A.",
        "before": "Before",
        "after": "After",
        "ledger": "Entries that would arise",
        "approve": "Approve",
        "done": "Posted",
        "timeline": "Timeline of this turn",
        "record": "Open the record salesInvoices",
    },
    "es": {
        "open": "Abrir la demo",
        "box": "Mensaje",
        "order": "registra la factura 102150",
        "customer": "Resort Calablanca, S.C.",
        "before": "Antes",
        "after": "Después",
        "ledger": "Movimientos que se crearían",
        "approve": "Aprobar",
        "done": "Registrado",
        "timeline": "Cronología de este turno",
        "record": "Abrir el registro salesInvoices",
    },
}


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("es", "dark")])
async def test_a_posting_is_shown_first_then_done_and_leads_to_its_record(
    visitor: Visitor, demo: Demo, language: str, scheme: str
) -> None:
    words = WORDS[language]
    page = await visitor.open(demo.address, viewport=TALL, color_scheme=scheme, locale=language)
    await page.get_by_role("button", name=words["open"]).click()
    await page.get_by_label(words["box"], exact=True).fill(words["order"])
    await page.keyboard.press("Enter")

    approve = page.get_by_role("button", name=words["approve"], exact=True)
    await approve.wait_for()
    shown = " ".join(row["text"] for row in await rows_of(page))
    assert all(words[part] in shown for part in ("before", "after", "ledger")), shown
    assert words["done"] not in shown
    assert await page.get_by_role("columnheader", name=words["before"], exact=True).count() >= 1
    assert await grave_findings(page) == []
    await picture(page, f"posting-asked-{language}-{scheme}")

    await approve.focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name=words["timeline"]).first.wait_for()
    live = [row["text"] for row in await rows_of(page)]
    assert any(words["done"] in text and words["customer"] in text for text in live)
    await page.reload()
    await page.get_by_role("button", name=words["timeline"]).first.wait_for()
    assert [row["text"] for row in await rows_of(page)] == live

    await page.get_by_role("button", name=words["record"]).first.click()
    dialog = page.get_by_role("dialog")
    await dialog.locator("dd").first.wait_for()
    assert words["customer"] in await dialog.inner_text()
    assert await grave_findings(page) == []
    await picture(page, f"posting-record-{language}-{scheme}")
