"""Takes the pictures of the README and the documentation from the running demo: `python -m tools.screenshots`.

They need Chromium (`make browser`) and the built web application (`make web`).
"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import Page, ViewportSize

from tests.support.browser import ask, chromium, enter_demo, settled
from tests.support.demo import serving_demo

ASSETS = Path(__file__).parents[1] / "docs/assets"
WINDOW: ViewportSize = {"width": 1360, "height": 1290}
EARLIER = (
    "How much can I spend on meals when travelling?",
    "¿Cuántos días de vacaciones tengo?",
    "What is 15% of 1,200?",
)
BUSINESS_WINDOW: ViewportSize = {"width": 1200, "height": 980}
APPROVAL_WINDOW: ViewportSize = {"width": 1200, "height": 1440}
DEBTORS = "Which customers owe us the most money? Draw me a chart"
POSTING = "Post the invoice 102149"
QUESTION = "How many days of holidays do I have; book a meeting with Ana on Friday at 10am"


async def take() -> None:
    """A conversation with a plan, its tools, a citation and an approval; and the timeline of its turn."""
    with TemporaryDirectory() as folder:
        async with serving_demo(Path(folder)) as demo, chromium() as browser:
            page = await browser.new_page(
                viewport=WINDOW,
                locale="en-GB",
                timezone_id="Europe/Madrid",
                color_scheme="light",
                reduced_motion="reduce",
            )
            await page.goto(demo.address)
            await enter_demo(page)
            for question in EARLIER:
                await _ask_anew(page, question)
                await settled(page)
            await _ask_anew(page, QUESTION)
            await page.get_by_role("button", name="Approve", exact=True).click()
            await settled(page)
            await _keep(page, "screenshot")
            await page.get_by_role("button", name="Timeline of this turn").click()
            await page.get_by_role("switch", name="Show internal events").click()
            await page.get_by_role("dialog").locator("ol li").first.wait_for()
            await _keep(page, "timeline")


async def take_business() -> None:
    """The chart of the largest debtors, the card of a record behind it, and a posting that waits for approval."""
    with TemporaryDirectory() as folder:
        async with serving_demo(Path(folder)) as demo, chromium() as browser:
            page = await browser.new_page(
                viewport=BUSINESS_WINDOW, locale="en-GB", color_scheme="light", reduced_motion="reduce"
            )
            await page.goto(demo.address)
            await enter_demo(page)
            await ask(page, DEBTORS)
            await page.locator("[data-chart] svg.marks").wait_for()
            await settled(page)
            await page.locator("[data-chart]").first.scroll_into_view_if_needed()
            await _keep(page, "debtors")
            await page.get_by_role("button", name="Show the records behind it").first.click()
            await page.get_by_role("button", name="Open the record salesInvoices").first.click()
            await page.get_by_role("dialog").locator("dd").first.wait_for()
            await _keep(page, "record")
            await page.keyboard.press("Escape")
            await page.set_viewport_size(APPROVAL_WINDOW)
            await _ask_anew(page, POSTING)
            await page.get_by_role("button", name="Approve", exact=True).wait_for()
            await _keep(page, "approval")


async def _ask_anew(page: Page, question: str) -> None:
    """In a conversation of its own."""
    await page.get_by_role("button", name="New conversation").click()
    await page.get_by_text("what shall we work on?").wait_for()
    await ask(page, question)


async def _keep(page: Page, name: str) -> None:
    await page.mouse.move(0, 0)
    await page.wait_for_timeout(500)
    await page.screenshot(path=ASSETS / f"{name}.png")


async def main() -> None:
    await take()
    await take_business()


if __name__ == "__main__":
    asyncio.run(main())
