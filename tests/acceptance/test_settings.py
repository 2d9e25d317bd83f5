"""What people set in the settings is so (P-32)."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.support.browser import Visitor
from tests.support.platform import WAIT_SECONDS, Person, running, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODELS = ("anthropic:claude-sonnet-4-6", "openai:gpt-5.2")


async def open_settings(page: Page) -> None:
    """By keyboard, once the page listens."""
    await page.locator("textarea").wait_for()
    await page.keyboard.press("Control+,")


async def preferred(person: Person, name: str) -> object:
    return (await person.http.get("/api/settings")).json()[name]


async def test_a_model_is_chosen_where_several_are_offered(visitor: Visitor, tmp_path: Path) -> None:
    """In the person's language; the first is the default and stands for no choice."""
    async with running(settings_for(tmp_path), models=MODELS) as site:
        ana = await site.person()
        await ana.http.patch("/api/settings", json={"language": "es"})
        page = await visitor.open(site.address, person=ana)
        await open_settings(page)
        choice = page.get_by_label("Modelo", exact=True)
        assert await choice.input_value() == MODELS[0]
        async with page.expect_response("**/api/settings"):
            await choice.select_option(label="gpt-5.2")
        assert await preferred(ana, "model") == MODELS[1]
        await page.reload()
        await open_settings(page)
        assert await choice.input_value() == MODELS[1]
        async with page.expect_response("**/api/settings"):
            await choice.select_option(index=0)
        assert await preferred(ana, "model") is None


async def test_without_a_choice_none_is_shown(visitor: Visitor, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as site:
        page = await visitor.open(site.address, person=await site.person())
        await open_settings(page)
        await page.get_by_label("Time zone", exact=True).wait_for()
        assert await page.get_by_label("Model", exact=True).count() == 0


SPY = """() => {
  window.told = [];
  const Real = window.Notification;
  window.Notification = class extends Real {
    constructor(title, options) {
      super(title, options);
      window.told.push({ title, body: options.body, click: () => this.dispatchEvent(new Event("click")) });
    }
  };
}"""
COUNT = "window.told.length"
HIDDEN = "is => Object.defineProperty(document, 'visibilityState', { get: () => is, configurable: true })"


async def told(page: Page, count: int) -> None:
    """Wait for so many notifications; the policy of the page forbids to wait inside it."""
    async with asyncio.timeout(WAIT_SECONDS):
        while await page.evaluate(COUNT) < count:
            await asyncio.sleep(0.05)


async def test_a_hidden_page_tells_of_answers_and_decisions_and_a_click_opens_them(
    visitor: Visitor, tmp_path: Path
) -> None:
    """Off by default; the switch asks the browser, and what is told is told once."""
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        session = await ana.session(title="Trip")
        context = await visitor.context_of(site.address, ana)
        await context.grant_permissions(["notifications"], origin=site.address)
        page = await visitor.tab(context, site.address)
        await page.get_by_role("link", name="Trip").wait_for()
        await page.locator("[data-connection=online]").wait_for(state="attached")
        await page.evaluate(SPY)
        await page.evaluate(HIDDEN, "hidden")
        await ana.ask(session, "not yet")
        await page.get_by_text("You said: not yet").wait_for()
        assert await page.evaluate(COUNT) == 0

        await open_settings(page)
        async with page.expect_response("**/api/settings"):
            await page.get_by_label("Notifications").click()
        assert await preferred(ana, "notifications") is True
        await page.keyboard.press("Escape")
        await ana.ask(session, "hello")
        await told(page, 1)
        assert await page.evaluate("[told[0].title, told[0].body]") == ["Trip", "You said: hello"]
        await ana.say(session, "book a table")
        await ana.pending()
        await told(page, 2)
        assert await page.evaluate("told[1].body") == "Your decision is needed"
        await page.evaluate("told[1].click()")
        await page.wait_for_url(f"**/s/{session}")
        await page.get_by_role("button", name="Approve").wait_for()

        await page.evaluate(HIDDEN, "visible")
        await ana.ask(await ana.session(title="Seen"), "hello again")
        await page.get_by_text("You said: hello again").wait_for()
        assert await page.evaluate(COUNT) == 2


async def test_a_browser_that_allows_no_notifications_is_told_of_and_nothing_is_set(
    visitor: Visitor, tmp_path: Path
) -> None:
    async with running(settings_for(tmp_path)) as site:
        ana = await site.person()
        page = await visitor.open(site.address, person=ana)
        await page.evaluate("Notification.requestPermission = async () => 'denied'")
        await open_settings(page)
        await page.get_by_label("Notifications").click()
        await page.get_by_text("does not allow notifications of this page").wait_for()
        assert await page.get_by_label("Notifications").get_attribute("aria-checked") == "false"
        assert await preferred(ana, "notifications") is False
