"""Boards in the page: pinned from a conversation, refreshed, named, ordered; the same after a reload (W-8, A-21)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.acceptance.test_phone import OVERFLOWING, PHONE
from tests.support.browser import Visitor, grave_findings, picture
from tests.support.chart_team import SalesBook, chart_team
from tests.support.platform import Person, Running, running, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS = {
    "en": {
        "pin": "Pin to a board", "new": "New board", "boards": "Boards", "board": "My board", "refresh": "Refresh all",
        "fresh": "All tiles are up to date", "later": "Move back", "rename": "Rename", "save": "Save", "title": "Title",
        "remove": "Remove from the board", "actions": "Actions for", "figure": "€1,025.05", "before": "€25.05",
    },
    "es": {
        "pin": "Fijar en un panel", "new": "Nuevo panel", "boards": "Paneles", "board": "Mi panel",
        "refresh": "Actualizar todo", "fresh": "Todos los elementos están al día", "later": "Mover hacia atrás",
        "rename": "Cambiar el nombre", "save": "Guardar", "title": "Título", "remove": "Quitar del panel",
        "actions": "Acciones de", "figure": "1.025,05 €", "before": "25,05 €",
    },
}  # fmt: skip
TILES = "[...document.querySelectorAll('[data-tile]')].map(tile => [tile.dataset.tile, tile.innerText])"


@pytest_asyncio.fixture(loop_scope="session")
async def book() -> SalesBook:
    return SalesBook()


@pytest_asyncio.fixture(loop_scope="session")
async def charting(tmp_path: Path, book: SalesBook) -> AsyncIterator[Running]:
    async with running(settings_for(tmp_path), team=chart_team(book)) as found:
        yield found


async def a_conversation(person: Person, language: str) -> str:
    """Three answers: a chart, a table with its chart, and a figure."""
    await person.http.patch("/api/settings", json={"language": language})
    session = await person.session()
    for words in ("/chart one figure", "/chart by country"):
        await person.ask(session, words)
    return session


async def pin(page: Page, part: str, words: dict[str, str], board: str) -> None:
    await page.locator(part).last.get_by_role("button", name=words["pin"]).click()
    await page.get_by_role("menuitem", name=board).click()
    await page.get_by_text("“My board”" if words["new"] == "New board" else "«Mi panel»").last.wait_for()


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("es", "dark")])
async def test_a_board_is_filled_refreshed_and_the_same_after_a_reload(
    visitor: Visitor, charting: Running, book: SalesBook, language: str, scheme: str
) -> None:
    words = WORDS[language]
    person = await charting.person(f"e2e-board-{language}@example.com")
    session = await a_conversation(person, language)
    options: dict[str, Any] = {"viewport": {"width": 1280, "height": 3600}, "color_scheme": scheme, "locale": language}
    page = await visitor.open(charting.address, person=person, **options)
    await page.goto(f"{charting.address}/s/{session}")
    await page.locator("[data-chart=bar] svg.marks").wait_for()
    await pin(page, "[data-chart=kpi]", words, words["new"])
    await pin(page, "[data-chart=bar]", words, words["board"])
    await pin(page, "[data-dataset=by_country]", words, words["board"])
    await page.get_by_role("link", name=words["boards"]).click()
    await page.get_by_role("link", name=words["board"]).click()
    await page.locator("[data-tile=bar] svg.marks").wait_for()
    assert [kind for kind, _ in await page.evaluate(TILES)] == ["kpi", "bar", "table"]
    assert words["before"] in _plain(await page.locator("[data-tile=kpi]").inner_text())

    book.rows.append(["Luna", "Portugal", "2026-03-20", "1000.00", 1, "5.00"])
    await page.get_by_role("button", name=words["refresh"]).click()
    await page.get_by_text(words["fresh"]).wait_for()
    assert words["figure"] in _plain(await page.locator("[data-tile=kpi]").inner_text())
    assert "Portugal" in await page.locator("[data-tile=table] tbody tr").first.inner_text()
    assert await grave_findings(page) == []
    await page.set_viewport_size({"width": 1280, "height": 820})
    await picture(page, f"board-{language}-{scheme}")
    live = await page.evaluate(TILES)
    await page.reload()
    await page.locator("[data-tile=bar] svg.marks").wait_for()
    assert await page.evaluate(TILES) == live


async def test_tiles_are_named_moved_and_removed_by_keyboard(visitor: Visitor, charting: Running) -> None:
    person = await charting.person("e2e-board-keys@example.com")
    board = await a_board_with_tiles(person)
    words = WORDS["en"]
    page = await visitor.open(charting.address, person=person)
    await page.goto(f"{charting.address}/boards/{board}")
    await page.locator("[data-tile=bar] svg.marks").wait_for()
    assert [kind for kind, _ in await page.evaluate(TILES)] == ["kpi", "bar"]

    async def choose(kind: str, entry: str) -> None:
        await page.locator(f"[data-tile={kind}]").get_by_role("button", name=words["actions"]).focus()
        await page.keyboard.press("Enter")
        item = page.get_by_role("menuitem", name=entry)
        await item.wait_for()
        while not await item.evaluate("item => item === document.activeElement"):
            await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")

    await choose("kpi", words["later"])
    await page.locator("[data-tile]:first-child[data-tile=bar]").wait_for()
    await choose("kpi", words["rename"])
    await page.get_by_role("textbox", name=words["title"]).fill("This month")
    await page.keyboard.press("Enter")
    await page.get_by_role("heading", name="This month").wait_for()
    await choose("bar", words["remove"])
    await page.locator("[data-tile=bar]").wait_for(state="detached")
    await page.reload()
    await page.get_by_role("heading", name="This month").wait_for()
    assert [kind for kind, _ in await page.evaluate(TILES)] == ["kpi"]


async def test_a_board_fits_a_phone(visitor: Visitor, charting: Running) -> None:
    """W-5."""
    person = await charting.person("e2e-board-phone@example.com")
    board = await a_board_with_tiles(person)
    page = await visitor.open(charting.address, person=person, **PHONE)
    await page.goto(f"{charting.address}/boards/{board}")
    await page.locator("[data-tile=bar] svg.marks").wait_for()
    # Words of a drawing have no box of their own: the drawing's is looked at.
    assert [found for found in await page.evaluate(OVERFLOWING) if not found.startswith("text ")] == []
    assert await grave_findings(page) == []
    await picture(page, "board-phone")


async def a_board_with_tiles(person: Person) -> str:
    session = await a_conversation(person, "en")
    board = str((await person.http.post("/api/boards", json={"title": "Sales"})).json()["board_id"])
    for event in await person.events(session):
        if event["type"] == "chart_drawn":
            await person.http.post(f"/api/boards/{board}/pins/{session}/{event['dataset_id']}")
    return board


def _plain(text: str) -> str:
    """Spaces that do not break, as ordinary ones."""
    return text.replace("\u00a0", " ").replace("\u202f", " ")
