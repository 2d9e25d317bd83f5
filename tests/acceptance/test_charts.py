"""Tables and charts in the page: drawn within the content policy, and the same after a reload (W-8, A-20)."""

import csv
import io
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.support.browser import TALL, Visitor, ask, grave_findings, picture, rows_of
from tests.support.chart_team import chart_team
from tests.support.platform import Person, Running, running, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

LABELS = {
    "en": ("Message", "Timeline of this turn", "Show the figures as a table", "300.30"),
    "es": ("Mensaje", "Cronología de este turno", "Mostrar las cifras como tabla", "300,30"),
}


@pytest_asyncio.fixture(loop_scope="session")
async def charting(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(settings_for(tmp_path), team=chart_team()) as found:
        yield found


async def drawn(visitor: Visitor, site: Running, person: Person, language: str, scheme: str) -> Page:
    """A page that shows a table and a chart."""
    await person.http.patch("/api/settings", json={"language": language})
    page = await visitor.open(site.address, person=person, viewport=TALL, color_scheme=scheme, locale=language)
    box = page.get_by_label(LABELS[language][0], exact=True)
    await box.fill({"en": "/chart who buys most", "es": "/chart quién compra más"}[language])
    await page.keyboard.press("Enter")
    await page.locator("[data-chart] svg.marks").wait_for()
    return page


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("es", "dark")])
async def test_a_question_ends_in_a_drawn_chart(
    visitor: Visitor, charting: Running, language: str, scheme: str
) -> None:
    """Numbers in the drawing are the data's; axe finds nothing; a reload shows what was seen live."""
    person = await charting.person(f"e2e00002-{language}@example.com")
    page = await drawn(visitor, charting, person, language, scheme)
    chart = page.locator("[data-chart]")
    told = await chart.locator("svg.marks [aria-roledescription='bar']").evaluate_all(
        "bars => bars.map(bar => bar.getAttribute('aria-label'))"
    )
    assert len(told) == 3
    shown = {"en": "300.3", "es": "300,3"}[language]
    assert any("Acme" in text and shown in text for text in told), told
    drawing = chart.locator("[role=graphics-document]").first
    assert "Acme" in str(await drawing.get_attribute("aria-label"))
    table = page.locator("[data-dataset=sales]")
    assert await table.get_by_role("row").count() == 6  # head, four rows, totals
    await chart.get_by_role("button", name=LABELS[language][2]).click()
    await chart.get_by_role("cell", name=LABELS[language][3]).wait_for()
    await chart.get_by_role("button", name=LABELS[language][2]).click()
    assert await grave_findings(page) == []
    await picture(page, f"chart-{language}-{scheme}")
    live = [row["text"] for row in await rows_of(page)]
    await page.reload()
    await page.locator("[data-chart] svg.marks").wait_for()
    assert [row["text"] for row in await rows_of(page)] == live


async def test_a_table_is_sorted_and_filtered_by_keyboard(visitor: Visitor, charting: Running) -> None:
    person = await charting.person("e2e00003-ana@example.com")
    page = await drawn(visitor, charting, person, "en", "light")
    table = page.locator("[data-dataset=sales]")
    head = table.get_by_role("button", name="Importe (EUR)")
    await head.focus()
    await page.keyboard.press("Enter")
    assert await table.get_by_role("columnheader", name="Importe (EUR)").get_attribute("aria-sort") == "ascending"
    first = table.locator("tbody tr").first
    assert "25.05" in await first.inner_text()
    await table.get_by_label("Filter rows").fill("españa luna")
    await page.wait_for_function("() => document.querySelectorAll('[data-dataset=sales] tbody tr').length === 0")
    await table.get_by_label("Filter rows").fill("portugal")
    await page.wait_for_function("() => document.querySelectorAll('[data-dataset=sales] tbody tr').length === 1")
    assert "50.00" in await table.locator("tfoot").inner_text()


async def test_a_follow_up_draws_the_chart_again(visitor: Visitor, charting: Running) -> None:
    """A-21: by month, as a line, beside the first one."""
    person = await charting.person("e2e00004-ana@example.com")
    page = await drawn(visitor, charting, person, "en", "light")
    await ask(page, "/chart as a line by month")
    await page.locator("[data-chart=line] svg.marks").wait_for()
    title = await page.locator("[data-chart=line] h3").inner_text()
    assert re.search("month", title)
    async with page.expect_download() as saving:
        await page.locator("[data-chart=line]").get_by_role("button", name="Download").click()
        await page.get_by_role("menuitem", name="SVG").click()
    assert (await saving.value).suggested_filename.endswith(".svg")
    drawing = Path(await (await saving.value).path()).read_text(encoding="utf-8")
    assert title in " ".join(re.findall(r">([^<>]+)<", drawing)), "a picture that leaves the page says what it shows"


@pytest.mark.parametrize(("language", "shown"), [("en", "300.30"), ("es", "300,30")])
async def test_a_chart_tells_its_figures_follows_its_window_and_leaves_as_files(
    visitor: Visitor, charting: Running, language: str, shown: str
) -> None:
    """Tooltip, resize, PNG and CSV in both languages; by keyboard the figures are a table."""
    person = await charting.person(f"e2e00005-{language}@example.com")
    page = await drawn(visitor, charting, person, language, "light")
    chart = page.locator("[data-chart]")
    await chart.locator("svg.marks [aria-roledescription='bar']").first.hover()
    tip = await chart.locator("dl").inner_text()
    assert "Acme" in tip
    assert shown in tip
    wide = await chart.locator("svg.marks").evaluate("svg => svg.clientWidth")
    await page.set_viewport_size({"width": 640, "height": 2400})
    await page.wait_for_function("wide => document.querySelector('svg.marks').clientWidth < wide", arg=wide)
    await chart.get_by_role("button", name=LABELS[language][2]).focus()
    await page.keyboard.press("Enter")
    await chart.get_by_role("table").get_by_role("cell", name=LABELS[language][3]).wait_for()
    download = {"en": "Download", "es": "Descargar"}[language]
    contents = {}
    for kind in ("PNG", "CSV"):
        async with page.expect_download() as saving:
            await chart.get_by_role("button", name=download).click()
            await page.get_by_role("menuitem", name=kind).click()
        contents[kind] = Path(await (await saving.value).path()).read_bytes()
    assert contents["PNG"].startswith(b"\x89PNG")
    lines = list(csv.reader(io.StringIO(contents["CSV"].decode("utf-8-sig"), newline="")))
    assert lines[1:] == [["Acme", "300.30"], ["Luna", "50.00"], ["Sol", "25.05"]]
