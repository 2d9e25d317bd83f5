"""Datasets and charts over HTTP: a turn makes them, a person sees them, nobody else does (A-6, A-20, IS-01)."""

import base64
import csv
import io
from collections.abc import AsyncIterator
from pathlib import Path

import openpyxl
import pytest
import sqlalchemy as sa

from batuta.datasets.store import DatasetOwner
from batuta.events.fold import fold
from batuta.events.view import ChartItem, DatasetItem
from batuta.kernel.ids import new_id
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.principal import ANONYMOUS, SYSTEM, Principal, acting_as
from batuta.server.database.tables import dataset_blocks, datasets
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.testing.datasets import NOW, numbered
from tests.support.chart_team import chart_team
from tests.support.platform import Running, running, settings_for


@pytest.fixture
async def charting(settings: Settings) -> AsyncIterator[Running]:
    async with running(settings, team=chart_team()) as found:
        yield found


async def test_a_question_ends_in_a_table_and_a_chart(charting: Running) -> None:
    """What was seen live is what a reload folds; rows, files, specification and picture are served."""
    ana = await charting.person("ana@example.com")
    session = await ana.session()
    told = await ana.ask(session, "/chart who buys most")
    stored = next(event for event in told if event["type"] == "dataset_stored")
    chart = next(event for event in told if event["type"] == "chart_drawn")
    assert (stored["name"], stored["row_count"], stored["totals"]["amount"]) == ("sales", 4, "375.35")
    assert stored["source_agent_id"] == chart["source_agent_id"] == "analyst"
    _, events = await charting.platform.sessions.all_events(session)
    items = [item for turn in fold(events).turns for item in turn.items]
    assert [item.name for item in items if isinstance(item, DatasetItem)] == ["sales"]
    assert [item.chart_kind for item in items if isinstance(item, ChartItem)] == ["bar"]

    base = f"/api/sessions/{session}/datasets"
    listed = (await ana.http.get(base)).json()["items"]
    assert [one["name"] for one in listed] == ["sales"]
    page = (await ana.http.get(f"{base}/{stored['dataset_id']}/rows", params={"offset": 1, "limit": 2})).json()
    assert [row[3] for row in page["rows"]] == ["200.20", "50.00"]
    assert page["references"][0] == {"entity": "salesInvoices", "key": "1", "url": None, "company": None}
    text = (await ana.http.get(f"{base}/{stored['dataset_id']}/file")).text
    assert len(list(csv.reader(io.StringIO(text.lstrip("\ufeff"))))) == 5
    book = (await ana.http.get(f"{base}/{stored['dataset_id']}/file", params={"format": "xlsx"})).content
    assert openpyxl.load_workbook(io.BytesIO(book)).worksheets[0]["A2"].value == "Acme"
    drawn = (await ana.http.get(f"{base}/{chart['dataset_id']}/chart")).json()
    assert drawn["spec"] == chart["spec"]
    assert drawn["rows"] == [["Acme", "300.30"], ["Luna", "50.00"], ["Sol", "25.05"]]
    picture = await ana.http.get(f"{base}/{chart['dataset_id']}/picture", params={"format": "svg"})
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "Acme" in picture.text


async def test_a_follow_up_changes_the_last_chart(charting: Running) -> None:
    ana = await charting.person("ana@example.com")
    session = await ana.session()
    await ana.ask(session, "/chart who buys most")
    told = await ana.ask(session, "/chart as a line by month")
    chart = [event for event in told if event["type"] == "chart_drawn"][-1]
    assert (chart["kind"], chart["request"]["time_unit"]) == ("line", "month")


async def test_is01_somebody_elses_dataset_answers_like_a_missing_one(charting: Running) -> None:
    """IS-01: with a foreign id in one's own session, with a foreign session, with an id that never was."""
    ana, ben = await charting.person("ana@example.com"), await charting.person("ben@example.com")
    session, other = await ana.session(), await ben.session()
    told = await ana.ask(session, "/chart who buys most")
    dataset = next(event["dataset_id"] for event in told if event["type"] == "dataset_stored")
    answers = []
    for path in (f"{session}/datasets/{dataset}", f"{other}/datasets/{dataset}", f"{other}/datasets/{new_id()}"):
        for part in ("", "/rows", "/file", "/chart", "/picture"):
            answer = await ben.http.get(f"/api/sessions/{path}{part}")
            body = answer.json()
            answers.append((answer.status_code, {name: body[name] for name in ("title", "code") if name in body}))
    assert {status for status, _ in answers} == {404}
    assert all(body == answers[0][1] for _, body in answers)


async def test_is04_the_database_itself_hides_datasets_of_others(platform_url: str, tmp_path: Path) -> None:
    """IS-04: under the recommended role a query without any condition shows one's own rows only."""
    async with running(settings_for(tmp_path, database_url=platform_url), team=chart_team()) as site:
        ana, ben = await site.person("ana@example.com"), await site.person("ben@example.com")
        for person in (ana, ben):
            await person.ask(await person.session(), "/chart who buys most")
        seen = []
        for principal in (Principal(user_id=ana.user_id, scope="user"), ANONYMOUS, SYSTEM):
            with acting_as(principal):
                seen.append(await site.platform.backends.database.read(_count))
    assert seen == [(2, 2), (0, 0), (4, 4)]


def _count(connection: sa.Connection) -> tuple[int, int]:
    """How many tables, and blocks of their rows, can be read."""
    kept, rows = (len(connection.execute(sa.select(one)).all()) for one in (datasets, dataset_blocks))
    return kept, rows


async def test_a_dataset_of_a_deleted_session_is_gone(charting: Running) -> None:
    ana = await charting.person("ana@example.com")
    session = await ana.session()
    told = await ana.ask(session, "/chart who buys most")
    dataset = next(event["dataset_id"] for event in told if event["type"] == "dataset_stored")
    await ana.http.delete(f"/api/sessions/{session}")
    assert (await ana.http.get(f"/api/sessions/{session}/datasets/{dataset}/rows")).status_code == 404


async def test_an_export_holds_tables_and_charts_with_their_rows(charting: Running) -> None:
    """A-6: they leave with the session, and are gone with it."""
    ana = await charting.person("ana@example.com")
    session = await ana.session()
    await ana.ask(session, "/chart who buys most")
    exported = (await ana.http.get(f"/api/sessions/{session}/export")).json()
    assert [(one["name"], len(one["rows"])) for one in exported["datasets"]] == [("sales", 4), ("sales_chart", 3)]
    assert exported["datasets"][0]["rows"][1][3] == "200.20"
    assert any(event["type"] == "chart_drawn" for event in exported["events"])
    table, figures = exported["datasets"]
    assert table["picture"] is None
    assert base64.b64decode(figures["picture"]).startswith(b"\x89PNG")
    document = (await ana.http.get(f"/api/sessions/{session}/export", params={"format": "markdown"})).text
    assert f"](data:image/png;base64,{figures['picture']})" in document
    await ana.http.delete(f"/api/sessions/{session}")
    assert (await ana.http.get(f"/api/sessions/{session}/export")).status_code == 404


async def test_a_page_deep_in_a_large_dataset_reads_a_small_part(charting: Running) -> None:
    ana = await charting.person("ana@example.com")
    owner = DatasetOwner(session_id=await ana.session(), user_id=ana.user_id)
    store = DatabaseDatasetStore(SystemDatabase(charting.platform.backends.database))
    saved = await store.save(owner, new_id(), numbered(50_000), now=NOW)
    path = f"/api/sessions/{owner.session_id}/datasets/{saved.dataset_id}/rows"
    page = (await ana.http.get(path, params={"offset": 49_990, "limit": 100})).json()
    assert [row[0] for row in page["rows"]] == list(range(49_990, 50_000))
    assert (await ana.http.get(path, params={"limit": 5_001})).status_code == 422
