"""What people set in the settings is so (P-32)."""

from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.support.browser import Visitor
from tests.support.platform import Person, running, settings_for

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
