"""Turns under way: reload, loss of the network, other tabs, other people, stop (W-2, W-6, W-7, E-20)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.support.browser import TALL, Row, Visitor, ask, conversation, picture, rows_of, settled
from tests.support.platform import Person, Running, running, settings_for
from tests.support.stepped import DICTATION, STOPS_OF_A_PLAN, THOUGHT, Stops, stepped_team

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANA, BEN = "e2e00001-ana@example.com", "e2e00001-ben@example.com"
OFFLINE_SECONDS = 5
WAIT_SECONDS = 20


@pytest_asyncio.fixture(loop_scope="session")
async def stops() -> Stops:
    """Where the team of a test stands still."""
    return Stops()


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path: Path, stops: Stops) -> AsyncIterator[Running]:
    """A platform with a team that can be held."""
    async with running(settings_for(tmp_path), team=stepped_team(stops)) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def ana(site: Running) -> Person:
    """Somebody with an account."""
    return await site.person(ANA)


async def beyond(page: Page, before: list[Row]) -> list[Row]:
    """Return what a page shows once it is something else than before."""
    async with asyncio.timeout(WAIT_SECONDS):
        while (shown := await rows_of(page)) in ([], before):
            await asyncio.sleep(0.05)
    return shown


async def in_step(one: Page, other: Page) -> list[Row]:
    """Return what both pages show, once they show the same."""
    async with asyncio.timeout(WAIT_SECONDS):
        while (shown := await rows_of(one)) == [] or shown != await rows_of(other):
            await asyncio.sleep(0.05)
    return shown


async def measuring(visitor: Visitor, site: Running, person: Person) -> Page:
    """A page on which the survey has been asked for."""
    page = await visitor.open(site.address, person=person, viewport=TALL)
    await ask(page, "Measure everything")
    await conversation(page).get_by_text("Measure everything").wait_for()
    return page


async def test_or05_a_reload_shows_the_same_as_live_wherever_the_turn_stands(
    visitor: Visitor, site: Running, ana: Person, stops: Stops
) -> None:
    """W-2, E-20: eleven points of a running turn and its end, compared in the DOM."""
    live = await measuring(visitor, site, ana)
    await stops.until(1)
    loaded = await visitor.tab(live.context, live.url)
    shown: list[Row] = []
    for stop in range(1, STOPS_OF_A_PLAN + 1):
        await stops.until(stop)
        await beyond(live, shown)
        await loaded.reload()
        shown = await in_step(live, loaded)
    await picture(live, "plan-under-way")
    stops.go()
    await settled(live)
    await loaded.reload()
    await in_step(live, loaded)


async def test_or05_a_reload_inside_streaming_text_shows_the_same_as_live(
    visitor: Visitor, site: Running, ana: Person, stops: Stops
) -> None:
    """W-2, E-20: ten points inside one answer, some in the middle of a word, a table, a block of code."""
    live = await visitor.open(site.address, person=ana, viewport=TALL)
    await ask(live, "/dictate please")
    await stops.until(1)
    await live.locator("[data-arriving]", has_text="The first").wait_for()
    loaded = await visitor.tab(live.context, live.url)
    shown: list[Row] = []
    for stop in range(1, len(DICTATION) + 1):
        await stops.until(stop)
        await beyond(live, shown)
        await loaded.reload()
        shown = await in_step(live, loaded)
        assert any("The first" in row["text"] for row in shown)
    await picture(live, "streaming")
    stops.go()
    await settled(live)
    await loaded.reload()
    end = await in_step(live, loaded)
    assert any("and the end." in row["text"] for row in end)


async def test_a_thought_is_open_while_it_arrives_and_folded_afterwards(
    visitor: Visitor, site: Running, ana: Person, stops: Stops
) -> None:
    """W-1, W-2: live and after a reload in its middle."""
    live = await visitor.open(site.address, person=ana, viewport=TALL)
    await ask(live, "/think please")
    await stops.until(2)
    await conversation(live).get_by_text("".join(THOUGHT[:2]).strip()).wait_for()
    await conversation(live).get_by_role("button", name="Thinking…", expanded=True).wait_for()
    await picture(live, "thinking")
    loaded = await visitor.tab(live.context, live.url)
    await in_step(live, loaded)
    stops.go()
    await settled(live)
    thought = conversation(live).get_by_role("button", name="Thought", expanded=False)
    await thought.wait_for()
    assert await conversation(live).get_by_text("I add them up").count() == 0
    await thought.click()
    await conversation(live).get_by_text("".join(THOUGHT)).wait_for()
    await conversation(live).get_by_text("There are four sides.").wait_for()


async def test_after_five_seconds_without_network_nothing_is_missing_and_nothing_is_there_twice(
    visitor: Visitor, site: Running, ana: Person, stops: Stops
) -> None:
    """W-2: the turn goes on meanwhile."""
    page = await measuring(visitor, site, ana)
    await stops.until(3)
    other = await visitor.tab(await visitor.context_of(site.address, ana, viewport=TALL), page.url)
    await page.context.set_offline(True)
    await stops.until(7)
    await asyncio.sleep(OFFLINE_SECONDS)
    await page.context.set_offline(False)
    await page.locator("[data-connection=online]").wait_for(state="attached")
    middle = await in_step(page, other)
    stops.go()
    await settled(page)
    end = await in_step(page, other)
    assert len(end) > len(middle)


async def test_the_list_of_conversations_is_in_step_again_after_a_loss_of_the_network(
    visitor: Visitor, site: Running, ana: Person
) -> None:
    """W-2, W-3: what was renamed, begun or deleted meanwhile, in another tab or by a program."""
    renamed, deleted = await ana.session(title="E2E10001-kept"), await ana.session(title="E2E10001-gone")
    page = await visitor.open(site.address, person=ana)
    shown = page.get_by_role("navigation").get_by_role("link")
    await shown.filter(has_text="E2E10001-gone").wait_for()
    await page.context.set_offline(True)
    await page.locator("[data-connection]:not([data-connection=online])").wait_for(state="attached")
    await ana.http.patch(f"/api/sessions/{renamed}", json={"title": "E2E10001-renamed"})
    await ana.http.delete(f"/api/sessions/{deleted}")
    await ana.session(title="E2E10001-begun")
    await page.context.set_offline(False)
    await shown.filter(has_text="E2E10001-begun").wait_for()
    await shown.filter(has_text="E2E10001-renamed").wait_for()
    assert await shown.filter(has_text="E2E10001-gone").count() == 0
    assert await shown.filter(has_text="E2E10001-kept").count() == 0


async def test_the_page_says_that_it_lost_the_network(visitor: Visitor, site: Running, ana: Person) -> None:
    page = await visitor.open(site.address, person=ana)
    await page.locator("[data-connection=online]").wait_for(state="attached")
    await page.context.set_offline(True)
    await page.locator("[data-connection]:not([data-connection=online])").wait_for(state="attached")


async def test_or11_a_second_tab_is_in_step(visitor: Visitor, site: Running, ana: Person, stops: Stops) -> None:
    first = await measuring(visitor, site, ana)
    await stops.until(1)
    second = await visitor.tab(first.context, first.url)
    for stop in range(1, 6):
        await stops.until(stop)
        await in_step(first, second)
    stops.go()
    await settled(second)
    await in_step(first, second)


async def test_a_running_plan_is_stopped(visitor: Visitor, site: Running, ana: Person, stops: Stops) -> None:
    page = await measuring(visitor, site, ana)
    await stops.until(2)
    await page.get_by_role("button", name="Stop").click()
    await conversation(page).get_by_text("Stopped", exact=True).wait_for()
    live = await rows_of(page)
    await page.reload()
    await settled(page)
    assert await rows_of(page) == live


async def test_an_answer_is_stopped_in_the_middle_of_a_sentence(visitor: Visitor, site: Running, ana: Person) -> None:
    page = await visitor.open(site.address, person=ana, viewport=TALL)
    await ask(page, "/talk please")
    await page.locator("[data-arriving]", has_text="word").wait_for()
    await page.get_by_role("button", name="Stop").click()
    await conversation(page).get_by_text("Stopped", exact=True).wait_for()
    assert "word399" not in (await conversation(page).text_content() or "")


async def test_two_people_do_not_see_each_other(visitor: Visitor, site: Running, ana: Person, stops: Stops) -> None:
    """P-21: a foreign address answers like a missing one."""
    mine = await measuring(visitor, site, ana)
    stops.go()
    await settled(mine)
    theirs = await visitor.open(site.address, person=await site.person(BEN))
    await theirs.get_by_text("No conversations yet").wait_for()
    await theirs.goto(mine.url)
    await theirs.get_by_text("This conversation is not here").wait_for()
    assert "Measure" not in await theirs.locator("body").inner_text()


async def test_a_conversation_that_is_deleted_elsewhere_goes_away(visitor: Visitor, site: Running, ana: Person) -> None:
    """W-3: from the list, and from the page that shows it."""
    session = await ana.session(title="Soon gone")
    page = await visitor.open(site.address, person=ana)
    await page.goto(f"{site.address}/s/{session}")
    await page.get_by_role("link", name="Soon gone").wait_for()
    assert (await ana.http.delete(f"/api/sessions/{session}")).status_code < 300
    await page.get_by_role("link", name="Soon gone").wait_for(state="detached")
    await page.get_by_text("This conversation is not here").wait_for()
