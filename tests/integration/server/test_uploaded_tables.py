"""A table that comes with a message is a dataset of the conversation, drawn offline in both languages (A-6, A-41)."""

import asyncio
import io
from collections.abc import AsyncIterator, Sequence
from typing import Any

import openpyxl
import pytest

from batuta.server.config import Settings
from batuta.server.team import first_team
from tests.integration.server.test_files import uploaded
from tests.support.platform import Person, Running, running
from tests.unit.datasets.test_files import word_document

SALES = """Informe de ventas 2026

Región;Vendedor;Ventas;Fecha
Norte;Ana;1.234,50;28/02/2026
Sur;Luis;700,25;01/03/2026
Norte;Eva;100,00;15/03/2026
Total;;2.034,75;
"""


@pytest.fixture
async def demo(settings: Settings) -> AsyncIterator[Running]:
    """The team of a fresh installation, without any key, on each database."""
    async with first_team(settings) as team, running(settings, team=team.orchestrator) as found:
        yield found


def workbook() -> bytes:
    book = openpyxl.Workbook()
    first = book.worksheets[0]
    first.title = "Sales"
    for row in (["Region", "Sales"], ["North", 10.5], ["South", 4], ["North", 2]):
        first.append(row)
    second = book.create_sheet("Costs")
    for row in (["Department", "Cost"], ["IT", 100], ["HR", 50]):
        second.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


async def asked(person: Person, session: str, text: str, *files: dict[str, Any]) -> list[dict[str, Any]]:
    attached = [{"file_id": file["file_id"]} for file in files]
    before = len(await person.events(session))
    return (await person.ask(session, text, attachments=attached))[before:]


async def test_an_attached_table_is_drawn_by_its_own_words(demo: Running) -> None:
    """A Spanish CSV with a title, decimal commas and a total; a follow-up; an English workbook of two sheets."""
    ana = await demo.person("ana@example.com")
    session = await ana.session()
    file = await ana.file("Ventas 2026.csv", SALES.encode("cp1252"))
    events = await asked(ana, session, "haz un gráfico de ventas por región", file)
    stored = [event for event in events if event["type"] == "dataset_stored"]
    chart = next(event for event in events if event["type"] == "chart_drawn")
    assert [(one["name"], one["row_count"], one["totals"]) for one in stored] == [
        ("ventas_2026", 3, {"ventas": "2034.75"})
    ]
    assert stored[0]["provenance"]["connector"] == "upload"
    rows = (await ana.http.get(f"/api/sessions/{session}/datasets/{chart['dataset_id']}/chart")).json()["rows"]
    assert rows == [["Norte", "1334.50"], ["Sur", "700.25"]]
    events = await asked(ana, session, "quita Norte")
    assert next(event for event in events if event["type"] == "chart_drawn")["request"]["excluded"] == ["Norte"]
    assert not any(event["type"] == "dataset_stored" for event in events)

    events = await asked(ana, session, "¿cuál es el total de ventas?")
    figure = next(event for event in events if event["type"] == "chart_drawn")
    assert (figure["kind"], figure["request"]["dataset"]) == ("kpi", "ventas_2026")

    other = await ana.session()
    book = await ana.file("figures.xlsx", workbook())
    events = await asked(ana, other, "make a bar chart of sales by region", book)
    assert [one["name"] for one in events if one["type"] == "dataset_stored"] == ["sales", "costs"]
    chart = next(event for event in events if event["type"] == "chart_drawn")
    rows = (await ana.http.get(f"/api/sessions/{other}/datasets/{chart['dataset_id']}/chart")).json()["rows"]
    assert rows == [["North", "12.5"], ["South", "4"]]
    events = await asked(ana, await ana.session(), "cost by department as bars", book)
    assert next(event for event in events if event["type"] == "chart_drawn")["request"]["dataset"] == "costs"


async def test_a_chart_of_the_table_in_a_document(demo: Running) -> None:
    """A Word file with a price list: asked for a chart it is drawn, asked what it says it is read as a document."""
    ana = await demo.person("ana@example.com")
    session = await ana.session()
    prices = [["Producto", "Precio"], ["Mesa", "1.234,50 €"], ["Silla", "70,25 €"]]
    file = await ana.file("price-list.docx", word_document(prices))
    events = await asked(ana, session, "make a chart of the table in price-list.docx", file)
    chart = next(event for event in events if event["type"] == "chart_drawn")
    rows = (await ana.http.get(f"/api/sessions/{session}/datasets/{chart['dataset_id']}/chart")).json()["rows"]
    assert rows == [["Mesa", "1234.50"], ["Silla", "70.25"]]
    other = await ana.session()
    events = await asked(ana, other, "what does the table say about chairs?", file)
    assert not any(event["type"] in ("chart_drawn", "dataset_stored") for event in events)


async def test_a_file_that_holds_no_table_says_so(demo: Running) -> None:
    """The turn ends, and says what is wrong with the file."""
    ana = await demo.person("ana@example.com")
    session = await ana.session()
    file = await ana.file("roto.xlsx", b"PK\x05\x06" + b"\0" * 18)
    events = await asked(ana, session, "haz un gráfico de barras", file)
    assert not any(event["type"] == "chart_drawn" for event in events)
    assert any("roto.xlsx no se puede leer" in str(event) for event in events), events
    assert events[-1]["type"] == "complete"


async def test_a_table_that_may_not_be_drawn_as_asked_is_known_all_the_same(demo: Running) -> None:
    """A-6: two currencies have no common limit; the table they stand in was stored, and its event says so."""
    ana = await demo.person()
    await ana.http.patch("/api/settings", json={"language": "es"})
    session = await ana.session()
    mixed = "Región;Importe;Moneda\nNorte;10,50;EUR\nSur;4,00;USD\nNorte;2,00;EUR\n".encode()
    file = await ana.file("ventas.csv", mixed)
    events = await asked(ana, session, "haz un gráfico de barras de importe por región de más de 3", file)
    assert not any(event["type"] == "chart_drawn" for event in events)
    kept = (await ana.http.get(f"/api/sessions/{session}/datasets")).json()["items"]
    assert [event["dataset_id"] for event in events if event["type"] == "dataset_stored"] == [
        each["dataset_id"] for each in kept
    ]
    assert kept


PRICES = (
    ("Model", "Category", "Price (EUR)", "Stock"),
    ("Duero City", "City", 649, 12),
    ("Duero eBike Plus", "Electric", 2790, 3),
)


@pytest.mark.parametrize("scope", ["attached", "folder"])
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
async def test_what_a_row_of_a_table_says_is_cited(settings: Settings, ending: str, scope: str) -> None:
    """A-10, A-11: not a chart of some other figure; a sum is reckoned all the same."""
    async with first_team(settings) as team, running(settings, team=team.orchestrator) as site:
        ana = await site.person()
        text = "\n".join(";".join(map(str, row)) for row in PRICES).encode()
        file = await uploaded(ana, f"prices.{ending}", text if ending == "csv" else workbook_of(PRICES), "lists")
        while (await ana.http.get(f"/api/files/{file}")).json()["status"] != "ready":
            await asyncio.sleep(0.05)
        where: dict[str, Any] = {"attachments": [{"file_id": file}]} if scope == "attached" else {"folders": ["lists"]}
        for question in ("¿Cuánto cuesta la Duero eBike Plus?", "How much is the Duero eBike Plus?"):
            events = await ana.ask(await ana.session(), question, **where)
            [answer] = [event for event in events if event["type"] == "message" and event.get("citations")]
            assert "2790" in answer["citations"][0]["quote"]
            assert not any(event["type"] == "chart_drawn" for event in events)
        events = await ana.ask(await ana.session(), "What is the total stock?", **where)
        [figure] = [event for event in events if event["type"] == "chart_drawn"]
        assert "15" in figure["description"]
        events = await ana.ask(await ana.session(), "Which is the cheapest model?", **where)
        [first] = [event for event in events if event["type"] == "chart_drawn"]
        assert "649 (Duero City)" in first["description"]


def workbook_of(rows: Sequence[Sequence[Any]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
