"""Whoever may approve sees what waits, who asks and why, and decides it there (W-12, O-30)."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.support.browser import Visitor, ask, conversation, grave_findings, picture, settled
from tests.support.platform import Person, Running, has_ended

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONE: dict[str, Any] = {"viewport": {"width": 375, "height": 667}, "is_mobile": True, "has_touch": True}


async def boss_of(site: Running) -> Person:
    return await site.person("boss@example.com", name="Berta", roles=("user", "approver"))


async def inbox(visitor: Visitor, site: Running, person: Person, **options: Any) -> Page:
    return await visitor.open(f"{site.address}/approvals", person=person, **options)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
async def test_an_approver_decides_what_a_colleague_asks_for(
    visitor: Visitor, site: Running, ana: Person, color_scheme: str
) -> None:
    """With the keyboard alone: the request arrives by itself, its conversation is read, and approving executes it."""
    boss = await boss_of(site)
    page = await inbox(visitor, site, boss, color_scheme=color_scheme)
    await page.get_by_text("Nothing waits for you").wait_for()
    session = await ana.session()
    turn = await ana.say(session, "please book")
    await page.get_by_text("e2e00001-ana asks").wait_for()
    assert (await page.title()).startswith("(1) ")
    await page.get_by_role("button", name="The conversation around it").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("region", name="The conversation around it").get_by_text("please book").wait_for()
    assert await grave_findings(page) == []
    await picture(page, f"inbox-{color_scheme}")
    await page.get_by_role("button", name="Approve", exact=True).focus()
    await page.keyboard.press("Enter")
    await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    await page.get_by_role("heading", name="Decided").wait_for()
    await page.get_by_text("by Berta").wait_for()
    assert site.stage.booked == ["Monday"]


async def test_an_inbox_speaks_spanish_and_fits_on_a_phone(visitor: Visitor, site: Running, ana: Person) -> None:
    """W-5."""
    boss = await boss_of(site)
    await boss.http.patch("/api/settings", json={"language": "es"})
    await ana.say(await ana.session(), "please book")
    await boss.pending()
    page = await inbox(visitor, site, boss, locale="es-ES", **PHONE)
    await page.get_by_text("e2e00001-ana lo pide").wait_for()
    await page.get_by_role("button", name="Apartar").wait_for()
    assert await page.evaluate("document.documentElement.scrollWidth") <= 375
    assert await grave_findings(page) == []
    await picture(page, "inbox-phone")


async def test_what_is_set_aside_lets_the_conversation_go_on(visitor: Visitor, site: Running, ana: Person) -> None:
    """The turn ends with clear words, and a reload shows the same."""
    page = await visitor.open(site.address, person=ana)
    await ask(page, "please book")
    await page.get_by_role("button", name="Set aside").click()
    await settled(page)
    await expect(conversation(page).get_by_text("nothing was carried out")).to_be_visible()
    await expect(conversation(page).get_by_text("Stopped")).to_have_count(0)
    await ask(page, "hello there")
    await settled(page, turns=2)
    await page.reload()
    await expect(conversation(page).get_by_text("nothing was carried out")).to_be_visible()
    assert site.stage.booked == []


async def test_the_card_of_a_changed_call_shows_what_ran_and_what_was_asked(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    page = await visitor.open(site.address, person=ana)
    await ask(page, "please book")
    await page.get_by_role("button", name="Edit", exact=True).click()
    await page.get_by_label("Day").fill("Fri\u202eday")
    await page.get_by_role("button", name="Approve with changes").click()
    await settled(page)
    await page.reload()
    approval = page.get_by_role("region", name="Book: your approval")
    await approval.get_by_role("button").first.click()
    await expect(approval.get_by_text("Fri⟦U+202E⟧day")).to_be_visible()
    card = page.get_by_role("region", name="Tool Book: done")
    await card.get_by_role("button").first.click()
    await expect(card.get_by_text("Asked for, before the change")).to_be_visible()
    assert "Monday" in await card.inner_text()
    assert site.stage.booked == ["Fri\u202eday"]
