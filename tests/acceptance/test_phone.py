"""The main screens on a phone 390 px wide, in both languages: nothing runs out of its place, nothing is cut (W-5)."""

from typing import Any

import pytest
from playwright.async_api import Page

from tests.support.browser import Visitor, picture
from tests.support.demo import Demo

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}

LONG_TITLE = "A title of many words, some of them extraordinarily long"

OVERFLOWING = """() => {
  const scrolls = element => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
  const width = document.documentElement.clientWidth;
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const { visibility, overflowX, display } = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (visibility === 'hidden' || box.width < 2 || box.height < 2) continue;
    let above = element.parentElement;
    while (above !== null && !scrolls(above)) above = above.parentElement;
    const isOutside = above === null && (box.right > width + 1 || box.left < -1);
    const isSpilling = overflowX === 'visible' && display !== 'inline' && element.clientWidth > 0
      && element.scrollWidth > element.clientWidth + 1;
    const isSwept = scrolls(element) && !element.matches('pre, .katex-display, [data-scrolls]')
      && element.scrollWidth > element.clientWidth + 1 && element.querySelector(':scope > table') === null;
    if (isOutside || isSpilling || isSwept) {
      const words = element.textContent.slice(0, 60);
      found.push(`${element.tagName} ${element.scrollWidth}/${element.clientWidth}: ${words}`);
    }
  }
  return found;
}"""

WORDS: dict[str, dict[str, str]] = {
    "en-GB": {
        "demo": "Open the demo",
        "hello": "what shall we work on",
        "message": "Message",
        "send": "Send",
        "question": "What is 12 times 7 and then multiply that by 10; how many days of holidays do I have?",
        "booking": "Book a meeting with {name} tomorrow at {hour}",
        "edit": "Edit",
        "title": "Title",
        "changed": "Approve with changes",
        "timeline": "Timeline of this turn",
        "sources": "Sources",
        "sidebar": "Show the sidebar",
        "usage": "Usage of this conversation",
        "end": "Booked",
    },
    "es-ES": {
        "demo": "Abrir la demo",
        "hello": "en qué trabajamos",
        "message": "Mensaje",
        "send": "Enviar",
        "question": "¿Cuánto es el 21% de 350? ¿Cuántos días de vacaciones tengo?",
        "booking": "Reserva una reunión con {name} mañana a las {hour}",
        "edit": "Editar",
        "title": "Título",
        "changed": "Aprobar con cambios",
        "timeline": "Cronología de este turno",
        "sources": "Fuentes",
        "sidebar": "Mostrar la barra lateral",
        "usage": "Consumo de esta conversación",
        "end": "Reservado",
    },
}


class Walk:
    """Goes from screen to screen and looks at each."""

    def __init__(self, page: Page, locale: str) -> None:
        self.page = page
        self.locale = locale
        self.words = WORDS[locale]
        self.seen: list[str] = []

    async def look(self, screen: str) -> None:
        """Assert that everything on a screen is in its place."""
        await picture(self.page, f"phone-{self.locale[:2]}-{screen}")
        assert await self.page.evaluate(OVERFLOWING) == [], screen
        self.seen.append(screen)

    async def press(self, button: str) -> None:
        await self.page.get_by_role("button", name=self.words[button], exact=True).last.click()

    async def ask(self, text: str) -> None:
        await self.page.get_by_label(self.words["message"], exact=True).fill(text)
        await self.press("send")

    async def closed(self) -> None:
        """Close what lies over the conversation."""
        await self.page.keyboard.press("Escape")
        await self.page.get_by_role("dialog").wait_for(state="detached")


@pytest.mark.parametrize(("locale", "name", "hour"), [("en-GB", "Wilhelmina", "7am"), ("es-ES", "Wilhelmina", "20:00")])
async def test_on_a_phone_everything_stays_in_its_place(
    visitor: Visitor, demo: Demo, locale: str, name: str, hour: str
) -> None:
    page = await visitor.open(demo.address, locale=locale, **PHONE)
    walk = Walk(page, locale)
    await page.get_by_role("button", name=walk.words["demo"]).wait_for()
    await walk.look("door")
    await _enter_in(page, locale[:2], walk)
    try:
        await walk.look("welcome")
        await _look_at_an_answer(walk)
        await _look_at_an_approval(walk, name, hour)
        await _look_at_the_frame(walk)
    finally:
        await _speak(page, "en")
    assert len(walk.seen) == 12


async def _enter_in(page: Page, language: str, walk: Walk) -> None:
    """The demo has one account, and its language is of that account."""
    await walk.press("demo")
    await page.get_by_role("region").first.wait_for()
    await _speak(page, language)
    await page.reload()
    await page.get_by_text(walk.words["hello"]).wait_for()


async def _speak(page: Page, language: str) -> None:
    status = await page.evaluate(
        """async language => {
          const { csrf_token } = await (await fetch('/api/me')).json();
          const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf_token };
          const body = JSON.stringify({ language });
          return (await fetch('/api/settings', { method: 'PATCH', headers, body })).status;
        }""",
        language,
    )
    assert status == 200


async def _look_at_an_answer(walk: Walk) -> None:
    page = walk.page
    await page.get_by_label(walk.words["message"], exact=True).fill("/")
    await page.get_by_role("listbox").wait_for()
    await walk.look("commands")
    await walk.ask(walk.words["question"])
    await page.get_by_role("button", name=walk.words["timeline"]).wait_for()
    await walk.look("answer")
    sources = page.get_by_role("navigation", name=walk.words["sources"])
    await sources.last.get_by_role("button").last.click()
    await page.get_by_role("dialog").wait_for()
    await walk.look("source")
    await walk.closed()
    await walk.press("timeline")
    entry = page.get_by_role("dialog").locator("ol button")
    await entry.nth(7).click()
    await walk.look("timeline")
    await walk.closed()


async def _look_at_an_approval(walk: Walk, name: str, hour: str) -> None:
    page = walk.page
    await walk.ask(walk.words["booking"].format(name=name, hour=hour))
    await page.get_by_role("button", name=walk.words["edit"], exact=True).wait_for()
    await walk.look("approval")
    await walk.press("edit")
    await page.get_by_label(walk.words["title"], exact=True).fill(
        "A title of many words, some of them extraordinarily long"
    )
    await walk.look("approval-edit")
    await walk.press("changed")
    await page.locator("section[data-state=edited]").wait_for()
    await page.get_by_text(walk.words["end"]).last.wait_for()
    await walk.look("approved")
    await page.locator("section[data-state=edited]").get_by_role("button").first.click()
    await walk.look("approved-open")


async def _look_at_the_frame(walk: Walk) -> None:
    page = walk.page
    await page.keyboard.press("Control+,")
    await page.get_by_role("dialog").wait_for()
    await walk.look("settings")
    await walk.closed()
    await walk.press("sidebar")
    await page.get_by_role("dialog").get_by_role("link").first.wait_for()
    await walk.look("sidebar")
    await walk.closed()
    # the built-in model has no tokens, so there is no usage to show
    assert await page.get_by_role("button", name=walk.words["usage"]).count() == 0
