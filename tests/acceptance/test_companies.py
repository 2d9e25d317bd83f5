"""The company picker: the chosen company answers, by keyboard, in both languages, on a phone too (A-2, W-5)."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.support.browser import TALL, WAIT_MS, Visitor, grave_findings, picture
from tests.support.demo import Demo

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIRST, SECOND = "Sierra Clara Exterior, S.L.", "Vento Norte Equipamentos, Lda."
PHONE = {"width": 390, "height": 844}
PICKER = re.compile("^(Company|Empresa):")
WORDS = {
    "en": {"open": "Open the demo", "box": "Message", "question": "How much did we sell this year?"},
    "es": {"open": "Abrir la demo", "box": "Mensaje", "question": "¿Cuánto hemos vendido este año?"},
}


async def choose(page: Page, company: str) -> None:
    """With the keyboard alone: open the menu, go to the company, take it."""
    picker = page.get_by_role("button", name=PICKER)
    await picker.focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("menuitemradio", name=company).wait_for()
    assert await grave_findings(page) == []  # with the menu open
    for _ in range(3):
        item = page.get_by_role("menuitemradio", name=company)
        if await item.evaluate("item => item === document.activeElement"):
            break
        await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(picker).to_contain_text(company)


@pytest.mark.parametrize(("language", "viewport", "scheme"), [("en", TALL, "light"), ("es", PHONE, "dark")])
async def test_the_chosen_company_answers_and_is_kept(
    visitor: Visitor, demo: Demo, language: str, viewport: dict[str, int], scheme: str
) -> None:
    words = WORDS[language]
    page = await visitor.open(demo.address, viewport=viewport, color_scheme=scheme, locale=language)
    await page.get_by_role("button", name=words["open"]).click()
    await choose(page, SECOND)
    await page.get_by_label(words["box"], exact=True).fill(words["question"])
    await page.keyboard.press("Enter")
    answer = page.get_by_text(re.compile(f"€.*{re.escape(SECOND)}")).first
    await expect(answer).to_be_visible(timeout=WAIT_MS)
    assert await grave_findings(page) == []
    await picture(page, f"company-{language}-{scheme}")

    await page.reload()
    await expect(page.get_by_role("button", name=PICKER)).to_contain_text(SECOND)
    await choose(page, FIRST)
