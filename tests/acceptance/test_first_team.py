"""What somebody sees who has just started the platform (P-1, W-1, W-7, A-30, A-40)."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page

from batuta.agents import documents
from tests.support.browser import TALL, Visitor, ask, conversation, enter_demo, picture, settled
from tests.support.demo import Demo

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAMPLES = Path(documents.__file__).parent / "samples"


async def opened(visitor: Visitor, demo: Demo, **options: Any) -> Page:
    page = await visitor.open(demo.address, **options)
    await enter_demo(page)
    return page


def conversation_in_spanish(page: Page) -> Locator:
    return page.get_by_role("region", name="Conversación")


async def waits_for_approval(page: Page, text: str) -> None:
    await ask(page, text)
    await page.get_by_role("button", name="Edit").wait_for()


async def test_two_clicks_lead_from_the_door_to_a_useful_answer(visitor: Visitor, demo: Demo) -> None:
    """W-7: three clicks are allowed. What is answered is what the handbook says, with the place where it says so."""
    page = await visitor.open(demo.address)
    await page.get_by_role("button", name="Open the demo").click()
    await page.get_by_role("button", name="How many days of holidays do I have?", exact=True).click()
    await settled(page)
    answer = (await conversation(page).inner_text()).rsplit("How many days of holidays do I have?", 1)[-1]
    assert "25 days of paid holidays per year, plus the public holidays of their region" in answer
    await page.get_by_role("navigation", name="Sources").get_by_role("button", name="Onboarding guide").first.wait_for()
    await picture(page, "first-answer")


async def test_a_question_in_english_is_answered_with_its_source(visitor: Visitor, demo: Demo) -> None:
    page = await opened(visitor, demo)
    await ask(page, "How many days of holidays do I have?")
    await settled(page)
    await conversation(page).get_by_text("25 days of paid holidays").first.wait_for()
    await page.get_by_role("button", name=re.compile(r"^1 ")).first.click()
    await page.locator("mark").wait_for()
    assert "passages" not in await page.get_by_role("dialog").inner_text()
    await picture(page, "english-answer")
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog").wait_for(state="detached")
    # The focus is given back a moment after the dialog has gone.
    await page.wait_for_function("document.activeElement.textContent.startsWith('1')")
    await conversation(page).get_by_text("25 days of paid holidays").first.wait_for()


async def test_a_citation_opens_the_whole_document_as_the_server_has_it(visitor: Visitor, demo: Demo) -> None:
    """W-1: from the endpoint of sources, with the quoted words marked in it and in view."""
    page = await opened(visitor, demo)
    await ask(page, "How many days of holidays do I have?")
    await settled(page)
    async with page.expect_response(lambda answer: "/source?" in answer.url) as told:
        await page.get_by_role("navigation", name="Sources").get_by_role("button").first.click()
    served = await (await told.value).json()
    document = served["text"]
    written = (SAMPLES / "onboarding-guide.md").read_text("utf-8")
    assert re.findall(r"\w+", document) == re.findall(r"\w+", written)
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text("A medical certificate is needed from the third day on").wait_for()
    assert document.strip() in (await dialog.text_content() or "")
    mark = dialog.locator("mark")
    assert await mark.text_content() == document[served["start"] : served["end"]]
    box, frame = await mark.bounding_box(), page.viewport_size
    assert box is not None
    assert frame is not None
    assert 0 <= box["y"] < frame["height"]


async def test_the_last_word_cites_a_colleague_and_a_document_and_both_open(visitor: Visitor, demo: Demo) -> None:
    """W-1: what a colleague worked out is shown with its task, what is from a document in that document."""
    page = await opened(visitor, demo)
    await ask(page, "What is 12 times 7 and how many days of holidays do I have?")
    await settled(page)
    cited = page.get_by_role("navigation", name="Sources").last
    await cited.get_by_role("button", name=re.compile("Calculator")).click()
    dialog = page.get_by_role("dialog", name="Calculator")
    await dialog.get_by_text("What is 12 times 7").wait_for()
    await dialog.get_by_text("12 × 7 = 84").wait_for()
    assert not re.search(r"[0-9A-F]{8}-[0-9A-F]{4}-", await dialog.inner_text())
    await picture(page, "colleague")
    await page.keyboard.press("Escape")
    await cited.get_by_role("button", name=re.compile("Onboarding guide Holidays, line 18")).click()
    await page.get_by_role("dialog", name="Onboarding guide").locator("mark").wait_for()


async def test_the_time_under_an_answer_is_the_one_of_its_timeline(visitor: Visitor, demo: Demo) -> None:
    """Also of a turn that waited for somebody in its middle."""
    page = await opened(visitor, demo)
    await waits_for_approval(page, "Book a meeting with Thusnelda tomorrow at 9pm")
    await page.get_by_role("button", name="Approve", exact=True).click()
    await settled(page)
    under = (await page.locator("footer p").last.inner_text()).split(" · ")[0]
    await page.get_by_role("button", name="Timeline of this turn").click()
    figures = page.get_by_role("dialog").locator("dl > div")
    await figures.first.wait_for()
    assert (await figures.first.inner_text()).split() == ["Working", "time", *under.split()]


async def test_a_question_in_spanish_is_answered_in_spanish(visitor: Visitor, demo: Demo) -> None:
    page = await opened(visitor, demo)
    await ask(page, "¿Cuántos días de vacaciones tengo?")
    await settled(page)
    await conversation(page).get_by_text("25 días de vacaciones pagadas").first.wait_for()
    await picture(page, "spanish-answer")


async def test_a_browser_that_speaks_spanish_gets_a_spanish_page(visitor: Visitor, demo: Demo) -> None:
    page = await visitor.open(demo.address, locale="es-ES")
    assert await page.evaluate("document.documentElement.lang") == "es"


async def test_a_plan_of_several_steps_is_seen_to_its_end_with_its_tools(visitor: Visitor, demo: Demo) -> None:
    page = await opened(visitor, demo, viewport=TALL)
    await ask(page, "What is 12 times 7 and then multiply that by 10; how many days of holidays do I have?")
    await settled(page)
    plan = page.get_by_role("region", name="Plan")
    assert await plan.locator("li[data-status=completed]").count() == 3
    assert await page.locator("section[data-state=succeeded]").count() >= 3
    assert "84 × 10 = 840" in (await conversation(page).text_content() or "")
    await picture(page, "plan")


async def test_a_tool_card_opens_to_arguments_and_result(visitor: Visitor, demo: Demo) -> None:
    page = await opened(visitor, demo)
    await ask(page, "calculate (3 + 4) * 12")
    await settled(page)
    card = page.locator("section[data-state=succeeded]").first
    await card.get_by_role("button").first.click()
    await card.get_by_text("Arguments").wait_for()
    assert "84" in (await card.text_content() or "")


async def test_what_is_approved_is_booked(visitor: Visitor, demo: Demo) -> None:
    page = await opened(visitor, demo)
    await waits_for_approval(page, "Book a meeting with Hedwig tomorrow at 10am")
    assert demo.booked("Hedwig") == []
    await picture(page, "approval")
    await page.get_by_role("button", name="Approve", exact=True).click()
    await settled(page)
    [event] = demo.booked("Hedwig")
    assert "T100000" in event


async def test_what_was_edited_is_booked_and_not_what_was_asked_for(visitor: Visitor, demo: Demo) -> None:
    page = await opened(visitor, demo)
    await waits_for_approval(page, "Book a meeting with Ludmila tomorrow at 1pm")
    await page.get_by_role("button", name="Edit").click()
    await page.get_by_label("Title", exact=True).fill("Lunch with Ludmila")
    start = page.get_by_label("Start", exact=True)
    await start.fill(f"{(await start.input_value())[:10]}T14:30")
    await page.get_by_label("Duration (minutes)", exact=True).fill("45")
    await page.get_by_role("button", name="Approve with changes").click()
    await settled(page)
    [event] = demo.booked("Ludmila")
    assert "SUMMARY:Lunch with Ludmila" in event
    assert "T143000" in event
    assert "T151500" in event
    assert "Lunch with Ludmila" in (await conversation(page).text_content() or "")


async def test_what_was_booked_is_cancelled_in_spanish_after_approval(visitor: Visitor, demo: Demo) -> None:
    """A-30: found by name, shown in the language of the page, and cancelled only then."""
    page = await opened(visitor, demo)
    await waits_for_approval(page, "Book a meeting with Eusebio tomorrow at 11am")
    await page.get_by_role("button", name="Approve", exact=True).click()
    await settled(page)
    await page.keyboard.press("Control+,")
    await page.get_by_role("radio", name="Español").click()
    await page.keyboard.press("Escape")
    try:
        await page.get_by_label("Mensaje", exact=True).fill("Cancela la reunión con Eusebio")
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="Cancelar cita: tu aprobación").wait_for()
        assert " de 20" in await page.get_by_role("region", name="Cancelar cita: tu aprobación").inner_text()
        assert "STATUS:CANCELLED" not in demo.booked("Eusebio")[0]
        await picture(page, "cancel-spanish")
        await page.get_by_role("button", name="Aprobar", exact=True).click()
        await conversation_in_spanish(page).get_by_text("Cancelado: Meeting with Eusebio").first.wait_for()
        assert "STATUS:CANCELLED" in demo.booked("Eusebio")[0]
    finally:
        await page.keyboard.press("Control+,")
        await page.get_by_role("radio", name="English").click()
        await page.get_by_role("heading", name="Settings").wait_for()


async def test_a_question_is_changed_and_asked_again(visitor: Visitor, demo: Demo) -> None:
    """W-1."""
    page = await opened(visitor, demo)
    await ask(page, "calculate 6 * 7")
    await settled(page)
    await page.get_by_role("button", name="Change and ask again").click()
    field = page.get_by_label("Message", exact=True)
    assert await field.input_value() == "calculate 6 * 7"
    await field.press("End")
    await page.keyboard.type("0")
    await page.keyboard.press("Enter")
    await settled(page, 2)
    await conversation(page).get_by_text("6 × 70 = 420").first.wait_for()


async def test_the_weather_is_not_made_up(visitor: Visitor, demo: Demo) -> None:
    """A-40: outside what it knows, it says so."""
    page = await opened(visitor, demo)
    await ask(page, "What's the weather like in Madrid tomorrow?")
    await settled(page)
    await conversation(page).get_by_text("outside what the built-in offline model knows").wait_for()
    assert await page.locator("section[data-state]").count() == 0
    await picture(page, "honest")


async def test_what_is_rejected_is_not_booked(visitor: Visitor, demo: Demo) -> None:
    page = await opened(visitor, demo)
    await waits_for_approval(page, "Book a meeting with Casimir tomorrow at 4pm")
    await page.get_by_role("button", name="Reject").click()
    await page.get_by_label("Reason", exact=True).fill("Too late in the day")
    await page.get_by_role("button", name="Reject").click()
    await settled(page)
    await conversation(page).get_by_text("Rejected").first.wait_for()
    assert demo.booked("Casimir") == []
