"""Everybody can use it: keyboard alone, assistive technology, a phone; and a turn can be looked into (W-4, W-5)."""

from typing import Any

import pytest
from playwright.async_api import Page

from tests.support.browser import Visitor, ask, conversation, enter_demo, grave_findings, picture, settled
from tests.support.demo import Demo

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONE: dict[str, Any] = {"viewport": {"width": 375, "height": 667}, "is_mobile": True, "has_touch": True}


async def test_the_keyboard_alone_leads_from_the_door_to_an_approved_booking(visitor: Visitor, demo: Demo) -> None:
    page = await visitor.open(demo.address)
    await page.get_by_role("button", name="Open the demo").wait_for()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.get_by_text("what shall we work on?").wait_for()
    await page.keyboard.press("Control+j")
    await page.keyboard.type("Book a meeting with Walpurga tomorrow at 8am")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Approve", exact=True).wait_for()
    await _tab_to(page, "Approve")
    await page.keyboard.press("Enter")
    await settled(page)
    assert len(demo.booked("Walpurga")) == 1


async def _tab_to(page: Page, name: str) -> None:
    """Go back through the page until the button of this name has the focus."""
    for _ in range(40):
        if await page.evaluate("document.activeElement?.textContent?.trim()") == name:
            return
        await page.keyboard.press("Shift+Tab")
    raise AssertionError(f"the keyboard does not reach {name!r}")


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
async def test_axe_finds_nothing_serious_on_any_main_view(visitor: Visitor, demo: Demo, color_scheme: str) -> None:
    page = await visitor.open(demo.address, color_scheme=color_scheme)
    await page.get_by_role("button", name="Open the demo").wait_for()
    assert await grave_findings(page) == []
    await enter_demo(page)
    assert await grave_findings(page) == []
    await ask(page, "What is 12 times 7 and then multiply that by 10; how many days of holidays do I have?")
    await settled(page)
    assert await grave_findings(page) == []
    await page.get_by_role("button", name="Timeline of this turn").click()
    await page.get_by_role("dialog").wait_for()
    assert await grave_findings(page) == []
    await page.keyboard.press("Escape")
    await ask(page, "Book a meeting with Ottilie tomorrow at 6pm")
    await page.get_by_role("button", name="Edit").click()
    assert await grave_findings(page) == []
    await picture(page, f"approval-edit-{color_scheme}")
    await page.keyboard.press("Control+,")
    await page.get_by_role("heading", name="Settings").wait_for()
    assert await grave_findings(page) == []
    await picture(page, f"settings-{color_scheme}")


async def test_on_a_phone_nothing_is_wider_than_the_screen(visitor: Visitor, demo: Demo) -> None:
    page = await visitor.open(demo.address, **PHONE)
    await enter_demo(page)
    await page.get_by_label("Message", exact=True).fill("What is 12 times 7 and how many days of holidays do I have?")
    await page.get_by_role("button", name="Send").tap()
    await settled(page)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 375
    await picture(page, "phone")
    await page.get_by_role("button", name="Show the sidebar").click()
    await (
        page.get_by_role("dialog")
        .get_by_role("button", name="New conversation")
        .or_(page.get_by_role("dialog").get_by_role("link", name="New conversation"))
        .first.wait_for()
    )
    await picture(page, "phone-sidebar")


async def test_the_timeline_of_a_turn_opens_and_shows_what_an_event_carried(visitor: Visitor, demo: Demo) -> None:
    page = await visitor.open(demo.address)
    await enter_demo(page)
    await ask(page, "calculate (3 + 4) * 12")
    await settled(page)
    await conversation(page).get_by_role("button", name="Timeline of this turn").click()
    drawer = page.get_by_role("dialog")
    await drawer.get_by_role("button", name="calculate").first.click()
    await drawer.get_by_text("(3 + 4) * 12").first.wait_for()
    await picture(page, "timeline")
