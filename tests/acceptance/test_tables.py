"""Tables in the page: a hundred thousand rows, and what is copied or downloaded is what the dataset holds (W-8)."""

import asyncio
import csv
import io
import re
from collections.abc import AsyncIterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import pytest_asyncio
from playwright.async_api import Download, Locator, Page

from batuta.datasets.dataset import Column, Dataset
from batuta.datasets.large import LargeDataset
from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.testing.datasets import SOURCE
from batuta.tools.tool import tool
from tests.support.browser import TALL, Visitor, grave_findings, picture, rows_of
from tests.support.platform import RuleModel, Running, running, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROWS = 100_000
COLUMNS = (
    Column(name="entry", type="integer", label="Asiento", is_additive=False),
    Column(name="customer", type="text", label="Cliente"),
    Column(name="amount", type="decimal", label="Importe", currency="EUR"),
    Column(name="day", type="date", label="Fecha"),
)
WORDS = {
    "en": {"filter": "Filter rows", "copy": "Copy", "download": "Download"},
    "es": {"filter": "Filtrar filas", "copy": "Copiar", "download": "Descargar"},
}
MOST_DOM_ROWS = 60


def entry(number: int) -> tuple[Any, ...]:
    """Names are in another order than entries, so that sorting has to move every row."""
    name = f"Núñez {number * 7919 % ROWS:06d}"
    return number, name, Decimal(number % 1000) / 100, date(2024, 1, 1) + timedelta(days=number % 700)


SMALL = [*(entry(number) for number in range(40)), (40, '=1+1; "tab\t"', Decimal("-12345678901.10"), None)]


@tool(effect="read", timeout=120)
async def read_many() -> LargeDataset:
    """Read all entries."""

    async def batches() -> AsyncIterator[list[tuple[Any, ...]]]:
        for start in range(0, ROWS, 5_000):
            yield [entry(number) for number in range(start, start + 5_000)]

    return await LargeDataset.of_batches("entries", batches(), columns=COLUMNS, provenance=SOURCE, title="Asientos")


@tool(effect="read")
async def read_few() -> Dataset:
    """Read some entries."""
    return Dataset(name="entries", columns=COLUMNS, rows=SMALL, provenance=SOURCE, title="Asientos")


def _read(request: ModelRequest) -> str | ToolCallBlock:
    if request.tool_results:
        return "Done."
    words = next(message.text for message in reversed(request.messages) if message.role == "user" and message.text)
    return ToolCallBlock(id="c1", name="read_many" if "many" in words else "read_few", args={})


@pytest_asyncio.fixture(loop_scope="session")
async def reading(tmp_path: Path) -> AsyncIterator[Running]:
    reader = AgentStep(
        name="reader", model=RuleModel(_read), output=str, instructions="Read.", tools=[read_many, read_few]
    )
    team = Orchestrator(
        supervisor=RuleModel(lambda request: '{"answer": "ask the reader"}'),
        agents=[Specialist(reader, name="Reader", icon="📒", commands=("/read",))],
    )
    async with running(settings_for(tmp_path), team=team) as found:
        yield found


async def table_of(visitor: Visitor, site: Running, language: str, words: str, **options: Any) -> tuple[Page, Locator]:
    """A page that shows a table, as a reload shows it too."""
    person = await site.person(f"e2e-table-{language}-{words[-4:]}@example.com")
    await person.http.patch("/api/settings", json={"language": language})
    session = await person.session()
    await person.ask(session, words)
    page = await visitor.open(site.address, person=person, viewport=TALL, locale=language, **options)
    await page.goto(f"{site.address}/s/{session}")
    table = page.locator("[data-dataset=entries]")
    await table.wait_for()
    return page, table


async def first_cell(table: Locator, column: int) -> str:
    return await table.locator("tbody tr:has(td + td)").first.locator("td").nth(column).inner_text()


@pytest.mark.parametrize(("language", "scheme"), [("en", "dark"), ("es", "light")])
async def test_a_hundred_thousand_rows_are_scrolled_sorted_and_filtered(
    visitor: Visitor, reading: Running, language: str, scheme: str
) -> None:
    """Only rows in view exist, however far it is scrolled and whatever it is sorted and filtered by."""
    page, table = await table_of(visitor, reading, language, "/read many", color_scheme=scheme)
    words = WORDS[language]
    body = table.locator("tbody tr")
    grid = table.get_by_role("table")
    await page.wait_for_function("n => document.querySelector('[data-dataset] table').ariaRowCount === n", arg="100001")
    frame = table.locator("section")
    for share in (0.5, 1.0):
        await frame.evaluate("(frame, share) => { frame.scrollTop = frame.scrollHeight * share }", share)
        await page.wait_for_timeout(50)
        assert await body.count() <= MOST_DOM_ROWS
    await table.get_by_role("cell", name="Núñez 092081").wait_for()  # of entry 99,999
    await frame.evaluate("frame => { frame.scrollTop = 0 }")
    head = table.get_by_role("button", name="Cliente")
    await head.focus()
    await page.keyboard.press("Enter")
    await table.get_by_role("cell", name="Núñez 000000").wait_for()
    await page.wait_for_function("() => document.querySelector('[data-dataset] table').ariaBusy === 'false'")
    assert await first_cell(table, 1) == "Núñez 000000"
    assert await body.count() <= MOST_DOM_ROWS
    await page.keyboard.press("Enter")
    await table.get_by_role("cell", name="Núñez 099999").wait_for()
    await table.get_by_label(words["filter"]).fill("nunez 0042")
    kept = [row for row in map(entry, range(ROWS)) if "0042" in " ".join(map(str, row))]
    await page.wait_for_function(
        "n => document.querySelector('[data-dataset] table').ariaRowCount === n", arg=str(len(kept) + 1)
    )
    await table.get_by_role("cell", name=max(row[1] for row in kept)).wait_for()
    shown = re.sub(r"[^\d]", "", await table.locator("tfoot").inner_text())
    assert Decimal(shown) / 100 == sum(row[2] for row in kept)
    assert await body.count() <= MOST_DOM_ROWS
    assert await grid.get_attribute("aria-label") == "Asientos"
    assert await grave_findings(page) == []
    await picture(page, f"table-{language}-{scheme}")


@pytest.mark.parametrize("language", ["en", "es"])
async def test_what_is_copied_and_downloaded_is_what_the_dataset_holds(
    visitor: Visitor, reading: Running, language: str
) -> None:
    """Every value, whatever language the page speaks; a reload shows what was seen."""
    page, table = await table_of(
        visitor, reading, language, "/read few", permissions=["clipboard-read", "clipboard-write"]
    )
    words = WORDS[language]
    await page.wait_for_function("() => document.querySelector('[data-dataset] table').ariaRowCount === '42'")
    await table.get_by_role("button", name=words["copy"]).click()
    await page.wait_for_function("async () => (await navigator.clipboard.readText()).length > 0")
    copied = [line.split("\t") for line in (await page.evaluate("navigator.clipboard.readText()")).split("\n")]
    assert copied[0] == ["Asiento", "Cliente", "Importe (EUR)", "Fecha"]
    assert [_typed(line) for line in copied[1:]] == [
        (n, name.replace("\t", " "), amount, day) for n, name, amount, day in SMALL
    ]

    text = (await _content(await _saved(page, table, words["download"], "CSV"))).decode("utf-8-sig")
    lines = list(csv.reader(io.StringIO(text, newline="")))
    assert lines[0] == ["Asiento", "Cliente", "Importe", "Fecha"]
    assert [_typed(line) for line in lines[1:-1]] == SMALL[:-1]
    assert lines[-1] == ["40", "'" + SMALL[-1][1], "-12345678901.10", ""]  # a text that would be a formula is quoted

    book = openpyxl.load_workbook(io.BytesIO(await _content(await _saved(page, table, words["download"], "XLSX"))))
    cells = list(book.active.iter_rows(values_only=True))
    assert cells[0] == ("Asiento", "Cliente", "Importe", "Fecha")
    assert [(n, name, Decimal(str(amount)), day and day.date()) for n, name, amount, day in cells[1:]] == SMALL

    live = [row["text"] for row in await rows_of(page)]
    await page.reload()
    await page.wait_for_function("() => document.querySelector('[data-dataset] table')?.ariaRowCount === '42'")
    async with asyncio.timeout(30):  # rows come into view one after the other
        while [row["text"] for row in await rows_of(page)] != live:
            await page.wait_for_timeout(100)


def _typed(line: list[str]) -> tuple[Any, ...]:
    number, name, amount, day = line
    return int(number), name, Decimal(amount), date.fromisoformat(day) if day else None


async def _saved(page: Page, table: Locator, button: str, entry_name: str) -> Download:
    async with page.expect_download() as saving:
        await table.get_by_role("button", name=button).click()
        await page.get_by_role("menuitem", name=entry_name).click()
    return await saving.value


async def _content(saved: Download) -> bytes:
    return Path(await saved.path()).read_bytes()
