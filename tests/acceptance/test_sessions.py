"""Keeping conversations in order, choosing who is asked, and judging answers (W-1, W-3)."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.support.browser import Visitor, ask, conversation, settled
from tests.support.platform import Person, Running

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def act(page: Page, title: str, action: str) -> None:
    """Choose from the menu of a conversation, by keyboard."""
    await page.get_by_role("button", name=f"Actions for {title}").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("menuitem", name=action, exact=True).click()


async def test_a_conversation_is_renamed_found_archived_restored_and_deleted(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    """W-3."""
    session = await ana.session(title="Zebra crossing")
    await ana.session(title="Elephants")
    page = await visitor.open(site.address, person=ana)
    await act(page, "Zebra crossing", "Rename")
    await page.get_by_label("Title").fill("Zebras")
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Zebras").wait_for()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("zebra")
    await page.get_by_role("link", name="Elephants").wait_for(state="detached")
    await act(page, "Zebras", "Archive")
    await page.get_by_text("Nothing found").wait_for()
    await page.get_by_role("button", name="Show the archive").click()
    await act(page, "Zebras", "Restore")
    await page.get_by_role("link", name="Zebras").wait_for(state="detached")
    await page.get_by_role("button", name="Leave the archive").click()
    await act(page, "Zebras", "Delete")
    await page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    await page.get_by_role("link", name="Zebras").wait_for(state="detached")
    assert (await ana.http.get(f"/api/sessions/{session}")).status_code == 404


async def test_a_conversation_is_taken_along_as_markdown_and_as_json(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    """W-3."""
    await ana.ask(await ana.session(title="Taken along"), "hello there")
    page = await visitor.open(site.address, person=ana)
    texts = []
    for form in ("Export as Markdown", "Export as JSON"):
        async with page.expect_download() as begun:
            await act(page, "Taken along", form)
        texts.append(Path(await (await begun.value).path()).read_text("utf-8"))
    assert "hello there" in texts[0]
    assert "You said: hello there" in json.dumps(json.loads(texts[1]))


async def test_an_agent_is_asked_directly_by_command_and_by_choice(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    """W-3: commands are completed."""
    page = await visitor.open(site.address, person=ana)
    field = page.get_by_label("Message", exact=True)
    await field.fill("/ec")
    await page.get_by_role("option", name="/echo").wait_for()
    await page.keyboard.press("Tab")
    assert await field.input_value() == "/echo "
    await page.keyboard.type("one")
    await page.keyboard.press("Enter")
    await settled(page)
    await conversation(page).get_by_text("echo one").first.wait_for()
    await page.get_by_role("button", name="The team").click()
    await page.get_by_role("menuitemradio", name="Echo").click()
    await ask(page, "two")
    await settled(page, 2)
    await conversation(page).get_by_text("to Echo").wait_for()
    await conversation(page).get_by_text("echo two").first.wait_for()


async def test_an_answer_is_copied_judged_and_asked_for_again(visitor: Visitor, site: Running, ana: Person) -> None:
    """W-1: the judgement is stored, and can be taken back."""
    page = await visitor.open(site.address, person=ana, permissions=["clipboard-read", "clipboard-write"])
    await ask(page, "hello")
    await settled(page)
    await page.get_by_role("button", name="Copy the answer").click()
    await page.get_by_role("button", name="Copied").wait_for()
    assert await page.evaluate("navigator.clipboard.readText()") == "You said: hello"
    await page.get_by_role("button", name="Good answer", pressed=False).click()
    await page.get_by_role("button", name="Good answer", pressed=True).wait_for()
    await page.reload()
    await page.get_by_role("button", name="Good answer", pressed=True).click()
    await page.get_by_role("button", name="Good answer", pressed=False).wait_for()
    await page.get_by_role("button", name="Ask again", exact=True).click()
    await settled(page, 2)
    assert await conversation(page).get_by_text("You said: hello").count() == 2


async def test_what_was_said_is_found_and_opened_where_it_was_said(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    """P-35, W-3: titles first, then messages with the words marked; markup in them is text."""
    session = await ana.session(title="A long talk")
    await ana.ask(session, "the pelican <img src=x onerror=alert(1)> flies")
    for number in range(12):
        await ana.ask(session, f"line {number} " + "and so on " * 40)
    await ana.session(title="Pelicans")
    page = await visitor.open(site.address, person=ana)
    await page.get_by_role("link", name="Pelicans").wait_for()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("pelic")
    found = page.get_by_role("region", name="Messages").get_by_role("link")
    await found.first.wait_for()
    assert await found.count() == 2
    titles = page.get_by_role("list", name="Conversations").get_by_role("link")
    await expect(titles).to_have_count(1)
    await expect(titles).to_contain_text("Pelicans")
    said = found.filter(has_not_text="You said")
    assert "the pelican <img src=x onerror=alert(1)> flies" in await said.inner_text()
    assert await said.locator("mark").all_inner_texts() == ["pelic"]
    assert await said.locator("img").count() == 0
    for _ in range(2):
        await said.click()
        row = conversation(page).locator("[data-found]")
        await row.get_by_text("flies").wait_for()
        await expect(row).to_be_in_viewport()
        await page.get_by_role("button", name="Latest").click()
        await expect(row).not_to_be_in_viewport()
    await page.get_by_label("Search").fill("zzz")
    await page.get_by_text("Nothing found").wait_for()
