"""Much to show: lists and conversations longer than one page (W-3, W-5)."""

import asyncio

import pytest
from playwright.async_api import Page

from tests.support.browser import Visitor, conversation
from tests.support.platform import Person, Running

pytestmark = pytest.mark.asyncio(loop_scope="session")

SESSIONS = 75
"""Three pages of the list."""
TURNS = 130
"""More events than the server gives at once."""
WAIT_SECONDS = 20
MANY_TURNS_SECONDS = 90


async def test_the_list_of_conversations_brings_older_ones_as_one_scrolls(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    """W-3: page by page, each conversation once, down to the oldest."""
    for number in range(SESSIONS):
        await ana.session(title=f"Conversation {number:03}")
    page = await visitor.open(site.address, person=ana)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/sessions?" in request.url else None)
    links = page.get_by_role("navigation", name="Conversations").get_by_role("link", name="Conversation ")
    await links.first.wait_for()
    at_first = await links.count()
    assert at_first < SESSIONS
    async with asyncio.timeout(WAIT_SECONDS):
        while await links.count() < SESSIONS:
            await links.last.scroll_into_view_if_needed()
            await asyncio.sleep(0.05)
    titles = [text.split("\n")[0][:16] for text in await links.all_inner_texts()]
    assert titles == [f"Conversation {number:03}" for number in reversed(range(SESSIONS))]
    assert len([url for url in asked if "cursor=" in url]) == 2


async def test_ld05_a_long_conversation_opens_at_its_end_and_scrolls_back_to_its_beginning(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    """W-5: all of it is there, and only what is in view is in the page."""
    session = await ana.session(title="Long")
    for number in range(TURNS):
        await ana.say(session, f"question {number:03}")
    await _idle(ana, session)
    page = await visitor.open(site.address, person=ana)
    pages: list[str] = []
    page.on("request", lambda request: pages.append(request.url) if "/events?" in request.url else None)
    await page.goto(f"{site.address}/s/{session}")
    await conversation(page).get_by_text(f"You said: question {TURNS - 1:03}").wait_for()
    assert len(pages) > 1
    assert await page.locator("[data-row]").count() < TURNS
    await _scroll_up_to(page, "You said: question 000")
    await page.get_by_role("button", name="Latest").click()
    await conversation(page).get_by_text(f"You said: question {TURNS - 1:03}").wait_for()


async def _idle(person: Person, session: str) -> None:
    """Wait until all that was asked in a session has been answered."""
    async with asyncio.timeout(MANY_TURNS_SECONDS):
        while (await person.http.get(f"/api/sessions/{session}")).json()["status"] != "idle":
            await asyncio.sleep(0.2)


async def _scroll_up_to(page: Page, text: str) -> None:
    """With the wheel, as people do."""
    await conversation(page).hover()
    async with asyncio.timeout(WAIT_SECONDS):
        while not await conversation(page).get_by_text(text).is_visible():
            await page.mouse.wheel(0, -4000)
            await asyncio.sleep(0.02)
