"""Tables and charts outside the page: what other clients get, and that nobody gets another person's (P-11, IS-01)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from batuta.agents.graphing.tools import draw_chart
from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.sql import query_datasets
from batuta.datasets.store import DatasetOwner
from batuta.kernel.errors import BatutaError
from batuta.kernel.ids import new_id
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.tools.context import ToolContext
from tests.integration.server.test_streams import run, run_input, stream
from tests.support.chart_team import chart_team
from tests.support.platform import Running, running


@pytest.fixture
async def charting(settings: Settings) -> AsyncIterator[Running]:
    async with running(settings, team=chart_team()) as found:
        yield found


async def test_agui_and_sse_clients_get_the_specification_and_find_the_data(charting: Running) -> None:
    """A chart is a custom event with its specification; its rows are at the address that its ids make."""
    ana = await charting.person("ana@example.com")
    events = await run(ana, run_input("/chart who buys most"))
    custom = {event["name"]: event["value"] for event in events if event["type"] == "CUSTOM"}
    chart = custom["chart_drawn"]
    assert custom["dataset_stored"]["row_count"] == 4
    assert chart["spec"]["data"] == {"name": "figures"}
    (session,) = (await ana.http.get("/api/sessions")).json()["items"]
    path = f"/api/sessions/{session['session_id']}"
    drawn = (await ana.http.get(f"{path}/datasets/{chart['dataset_id']}/chart")).json()
    assert drawn["spec"] == chart["spec"]
    assert drawn["rows"][0] == ["Acme", "300.30"]
    told: list[dict[str, Any]] = []
    async with stream(ana, "GET", f"{path}/stream") as frames:
        async for frame in frames:
            told.append(frame.content)
            if frame.content.get("type") == "complete":
                break
    assert next(event for event in told if event["type"] == "chart_drawn")["spec"] == chart["spec"]


async def test_another_persons_table_is_nowhere(charting: Running) -> None:
    """Over the API, a board, an export, a stream and an AG-UI run it answers like one that never was."""
    ana, ben = await charting.person("ana@example.com"), await charting.person("ben@example.com")
    session, own = await ana.session(), await ben.session()
    told = await ana.ask(session, "/chart who buys most")
    dataset = next(event["dataset_id"] for event in told if event["type"] == "dataset_stored")
    board = (await ben.http.post("/api/boards", json={"title": "Mine"})).json()["board_id"]
    for foreign, missing in (
        (f"/api/boards/{board}/pins/{session}/{dataset}", f"/api/boards/{board}/pins/{new_id()}/{new_id()}"),
        (f"/api/boards/{board}/pins/{own}/{dataset}", f"/api/boards/{board}/pins/{own}/{new_id()}"),
    ):
        answers = [await ben.http.post(path) for path in (foreign, missing)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].json()["code"] == answers[1].json()["code"]
    for part in ("export", "stream", "events", "datasets"):
        answers = [await ben.http.get(f"/api/sessions/{one}/{part}") for one in (session, new_id())]
        assert [answer.status_code for answer in answers] == [404, 404], part
    answer = await ben.http.post("/api/agui", json=run_input("/chart as a line", threadId=session))
    assert dataset not in answer.text
    assert "chart_drawn" not in answer.text


async def test_a_query_and_a_chart_of_another_persons_table_say_that_there_is_none(charting: Running) -> None:
    """By its name, which both know: the words are those for a table that never was."""
    ana, ben = await charting.person("ana@example.com"), await charting.person("ben@example.com")
    await ana.ask(await ana.session(), "/chart who buys most")
    store = DatabaseDatasetStore(SystemDatabase(charting.platform.backends.database))
    library = DatasetLibrary(store=store, owner=DatasetOwner(session_id=await ben.session(), user_id=ben.user_id))
    context = ToolContext(services={DATASETS_SERVICE: library}, idempotency_key="k", tool_use_id="t")
    said = {name: await _refusals(library, context, name) for name in ("sales", "never_was")}
    assert said["sales"] == said["never_was"]


async def _refusals(library: DatasetLibrary, context: ToolContext, name: str) -> list[str]:
    """What a query and a chart of a table say that cannot be read, without its name."""
    said = []
    for act in (query_datasets(library, f"select * from {name}"), draw_chart.body({"dataset": name}, context)):
        with pytest.raises(BatutaError) as raised:
            await act
        said.append(str(raised.value).replace(name, "it"))
    return said
