"""A real browser for tests: pages that talk to a platform, read as a person reads them, without complaints.

page = await visitor.open(address)
await enter_demo(page); await ask(page, "What is 2 + 2?"); await settled(page)
"""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, async_playwright

from batuta.server.security.access_control import COOKIE
from tests.support.platform import Person

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "tests/artifacts/acceptance"
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
GRAVE = {"serious", "critical"}
WAIT_MS = 20_000
TALL = {"width": 1280, "height": 2400}
"""High enough for a whole conversation: only rows in view are in the DOM."""

_ROWS = """() => [...document.querySelectorAll('[data-row]')].map(row => ({
  index: Number(row.dataset.index),
  kind: row.dataset.row,
  text: row.textContent,
  states: [...row.querySelectorAll('[data-state],[data-status]')].map(
    part => part.getAttribute('data-state') ?? part.getAttribute('data-status')),
  labels: [...row.querySelectorAll('[aria-label]')].map(part => part.getAttribute('aria-label')),
})).sort((first, second) => first.index - second.index)"""

Row = dict[str, Any]


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """The browser itself."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


@dataclass
class Visitor:
    """Opens pages, each with a context of its own, and listens to what they complain about."""

    browser: Browser
    complaints: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    async def open(self, address: str, *, person: Person | None = None, **options: Any) -> Page:
        """A page in a new context; somebody who is given is logged in."""
        return await self.tab(await self.context_of(address, person, **options), address)

    async def context_of(self, address: str, person: Person | None, **options: Any) -> BrowserContext:
        """A browser of somebody's own: no cookie but theirs, and a network that can be cut apart from others."""
        settings = {"viewport": {"width": 1280, "height": 820}, "reduced_motion": "reduce", **options}
        context = await self.browser.new_context(**settings)
        self._contexts.append(context)
        if person is not None:
            await context.add_cookies([{"name": COOKIE, "value": person.http.cookies[COOKIE], "url": address}])
        return context

    async def tab(self, context: BrowserContext, address: str) -> Page:
        """Another page of the same person."""
        page = await context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: self.complaints.append(error.message))
        page.on("console", self._listen)
        await page.goto(address)
        return page

    async def close(self) -> None:
        for context in self._contexts:
            await context.close()

    def _listen(self, message: ConsoleMessage) -> None:
        """Errors of the page and of the content policy; what the network did is the test's own doing."""
        is_network = any(words in message.text for words in ("Failed to load resource", "WebSocket connection"))
        if message.type == "error" and not is_network:
            self.complaints.append(message.text)


async def enter_demo(page: Page) -> None:
    """One click."""
    await page.get_by_role("button", name="Open the demo").click()
    await page.get_by_text("what shall we work on?").wait_for()


async def ask(page: Page, text: str) -> None:
    """Say something to the team."""
    await page.get_by_label("Message", exact=True).fill(text)
    await page.keyboard.press("Enter")


async def settled(page: Page, turns: int = 1) -> None:
    """Wait until so many turns have ended."""
    await page.get_by_role("button", name="Timeline of this turn").nth(turns - 1).wait_for()


def conversation(page: Page) -> Locator:
    return page.get_by_role("region", name="Conversation")


async def rows_of(page: Page) -> list[Row]:
    """What stands in the conversation: each row with its words, its states and its names."""
    rows: list[Row] = await page.evaluate(_ROWS)
    return rows


async def picture(page: Page, name: str) -> Path:
    """Keep what the page looks like."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.png"
    await page.screenshot(path=path)
    return path


async def grave_findings(page: Page, tags: Sequence[str] = WCAG) -> list[str]:
    """What axe finds that keeps somebody out."""
    await page.evaluate(AXE.read_text("utf-8"))
    found = await page.evaluate("tags => axe.run(document, {runOnly: tags})", list(tags))
    assert found["passes"], "axe looked at nothing"
    return [
        f"{each['id']}: {' | '.join(node['html'] for node in each['nodes'])}"
        for each in found["violations"]
        if each["impact"] in GRAVE
    ]
