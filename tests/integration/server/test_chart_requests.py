"""Charts asked for in plain words on the demo company, without any key: pictures are judged by their data (A-41)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from batuta.server.team import first_team
from tests.support.platform import Person, Running, running, settings_for

CONVERSATIONS: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (
        ("hazme un grafico de barras con las ventas por mes", "bar", "month"),
        ("ahora como linea", "line", "month"),
        ("por país en vez de por mes", "bar", "country"),
        ("en un quesito", "pie", "country"),
    ),
    (
        ("evolucion del margen por trimestre", "line", "quarter"),
        ("y por mes", "line", "month"),
        ("solo los ultimos 3 meses", "line", "month"),
    ),
    (
        ("bar chart of how many customers we have per country", "bar", "country"),
        ("heatmap of sales by month and country", "heatmap", "month"),
        ("dibuja el valor del inventario por producto", "bar", "item"),
    ),
    (
        ("Sales by customer this year as a bar chart", "bar", "customer"),
        ("the same by month", "bar", "month"),
        ("The same chart by customer", "bar", "customer"),
        ("el mismo gráfico por mes", "bar", "month"),
    ),
    (
        ("plot overdue invoices by customer", "bar", "customer"),
        ("split by country", "bar", "country"),
    ),
)
"""What is said, the kind of chart, and what it compares by."""


@pytest.fixture
async def demo(tmp_path: Path) -> AsyncIterator[Running]:
    """The team of a fresh installation, without any key."""
    settings = settings_for(tmp_path)
    async with first_team(settings) as team, running(settings, team=team.orchestrator) as found:
        yield found


async def drawn(person: Person, session: str, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The chart that a message leads to, and the table it was drawn of."""
    before = len(await person.events(session))
    events = (await person.ask(session, text))[before:]
    event = next((one for one in events if one["type"] == "chart_drawn"), None)
    assert event is not None, (text, [one.get("content") for one in events if one["type"] == "message"])
    base = f"/api/sessions/{session}/datasets"
    chart = (await person.http.get(f"{base}/{event['dataset_id']}/chart")).json()
    tables = (await person.http.get(base)).json()["items"]
    return chart, next(one for one in tables if one["name"] == event["request"]["dataset"])


async def test_requests_and_follow_ups_end_in_the_right_picture(demo: Running) -> None:
    """Kind, what is compared, and figures that add up to the table's total where all of it is shown."""
    for number, conversation in enumerate(CONVERSATIONS):
        person = await demo.person(f"charts-{number}@example.com")
        session = await person.session()
        for text, kind, compared in conversation:
            chart, table = await drawn(person, session, text)
            names = [column["name"] for column in chart["columns"]]
            expected = kind if len(chart["rows"]) > 1 else "kpi"  # some days all that is overdue is of one country
            assert (chart["kind"], names[0]) == (expected, compared), text
            shown = sum(float(row[names.index("value")]) for row in chart["rows"])
            if "ultimos" not in text:
                assert shown == pytest.approx(float(table["totals"]["value"])), text
            else:
                assert len(chart["rows"]) == 3
