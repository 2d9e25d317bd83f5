"""Boards: what was pinned is kept, computed again with the viewer's rights, and seen by nobody else (W-8)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import sqlalchemy as sa

from batuta.datasets.charts.chart import draw
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.files import dataset_from_csv
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.kernel.ids import new_id
from batuta.kernel.users import ToolUser
from batuta.orchestration.specialist import AgentRegistry
from batuta.server.boards.recipe import RecordedCall, recipe_of
from batuta.server.boards.refreshing import TileRefresher, TileViewer
from batuta.server.config import Settings
from batuta.server.database.principal import ANONYMOUS, SYSTEM, Principal, acting_as
from batuta.server.database.tables import board_tiles, boards
from batuta.testing.datasets import NOW
from tests.support.chart_team import SalesBook, chart_team
from tests.support.platform import PASSWORD, Person, Running, running, settings_for

GROWN = ["Luna", "Portugal", "2026-03-20", "1000.00", 1, "5.00"]


@pytest.fixture
def book() -> SalesBook:
    return SalesBook()


@pytest.fixture
async def charting(settings: Settings, book: SalesBook) -> AsyncIterator[Running]:
    async with running(settings, team=chart_team(book)) as found:
        yield found


async def a_board(person: Person, title: str = "Sales") -> str:
    return str((await person.http.post("/api/boards", json={"title": title})).json()["board_id"])


async def pinned(person: Person, board: str, session: str, words: str, event: str = "chart_drawn") -> dict[str, Any]:
    """What a question brought, pinned."""
    told = await person.ask(session, words)
    dataset = [one["dataset_id"] for one in told if one["type"] == event][-1]
    answer = await person.http.post(f"/api/boards/{board}/pins/{session}/{dataset}")
    assert answer.status_code == 201, answer.text
    tile: dict[str, Any] = answer.json()
    return tile


async def tiles_of(person: Person, board: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await person.http.get(f"/api/boards/{board}")).json()["tiles"]
    return found


@pytest.mark.parametrize(
    ("words", "event", "kind", "before", "after"),
    [
        ("/chart who buys most", "chart_drawn", "bar", ["Acme", "300.30"], ["Luna", "1050.00"]),
        ("/chart by country", "chart_drawn", "bar", ["España", "325.35"], ["Portugal", "1050.00"]),
        ("/chart by country", "dataset_stored", "table", ["España", "325.35"], ["Portugal", "1050.00"]),
        (
            "/chart one figure", "chart_drawn", "kpi", ["Mar 2026", "25.05", "250.20", "-225.15"],
            ["Mar 2026", "1025.05", "250.20", "774.85"],
        ),
    ],
)  # fmt: skip
async def test_a_tile_shows_what_was_pinned_and_after_a_refresh_what_is(
    charting: Running, book: SalesBook, words: str, event: str, kind: str, before: list[str], after: list[str]
) -> None:
    """A-21: the sources are read again by the same tools; a reload shows what the refresh answered."""
    ana = await charting.person("ana@example.com")
    board, session = await a_board(ana), await ana.session()
    tile = await pinned(ana, board, session, words, event)
    assert (tile["shown"]["kind"], tile["shown"]["rows"][0]) == (kind, before)
    assert (await tiles_of(ana, board)) == [tile]
    book.rows.append(GROWN)
    reads = book.reads
    refreshed = (await ana.http.post(f"/api/boards/{board}/tiles/{tile['tile_id']}/refresh")).json()
    assert (refreshed["shown"]["rows"][0], refreshed["problem"]) == (after, None)
    assert book.reads == reads + 1
    assert (await tiles_of(ana, board)) == [refreshed]


async def test_a_tile_outlives_its_conversation(charting: Running, book: SalesBook) -> None:
    """It was pinned on purpose; its recipe needs no conversation."""
    ana = await charting.person("ana@example.com")
    board, session = await a_board(ana), await ana.session()
    tile = await pinned(ana, board, session, "/chart by country")
    await ana.http.delete(f"/api/sessions/{session}")
    book.rows.append(GROWN)
    refreshed = (await ana.http.post(f"/api/boards/{board}/tiles/{tile['tile_id']}/refresh")).json()
    assert refreshed["shown"]["rows"][0] == ["Portugal", "1050.00"]


async def test_a_chart_of_a_brought_file_is_drawn_again_of_the_rows_that_are_kept() -> None:
    """The tool that took the file along with a message finds no file on a board."""
    kept = MemoryDatasetStore()
    library = DatasetLibrary(store=kept, owner=DatasetOwner(session_id="s"))
    table = await library.keep(dataset_from_csv(b"shop,sold\nA,5\nB,9\n", name="shops.csv", now=NOW), key="file")
    request = ChartRequest(dataset=table.name, x="shop")
    figures = await library.keep((await draw(library, request)).plan.figures, key="chart")
    call = RecordedCall(agent_id="graphing_agent", tool_name="draw_chart", args={})
    recipe = recipe_of(figures, [table, figures], {table.dataset_id: call, figures.dataset_id: call})
    viewer = TileViewer(user=ToolUser(id="ana"), language="en", timezone="UTC")
    shown = await TileRefresher(AgentRegistry([]), kept).snapshot(recipe, viewer)
    assert [list(row) for row in shown.rows] == [["B", 9], ["A", 5]]


async def test_a_follow_up_chart_of_a_numbered_dataset_is_computed_again(charting: Running, book: SalesBook) -> None:
    """The second `sales` of a conversation is `sales_2`: a tile of it still reads the right one."""
    ana = await charting.person("ana@example.com")
    board, session = await a_board(ana), await ana.session()
    await ana.ask(session, "/chart who buys most")
    tile = await pinned(ana, board, session, "/chart who buys most")
    book.rows.append(GROWN)
    refreshed = (await ana.http.post(f"/api/boards/{board}/tiles/{tile['tile_id']}/refresh")).json()
    assert (refreshed["problem"], refreshed["shown"]["rows"][0]) == (None, ["Luna", "1050.00"])


async def test_a_refresh_speaks_the_viewers_language(charting: Running) -> None:
    ana = await charting.person("ana@example.com")
    board, session = await a_board(ana), await ana.session()
    tile = await pinned(ana, board, session, "/chart one figure")
    await ana.http.patch("/api/settings", json={"language": "es"})
    refreshed = (await ana.http.post(f"/api/boards/{board}/tiles/{tile['tile_id']}/refresh")).json()
    assert refreshed["shown"]["rows"][0][0] == "mar 2026"


async def test_a_refresh_is_refused_without_the_role_and_the_figures_stay(settings: Settings) -> None:
    """The rights are those of whoever looks, at the moment of the refresh."""
    book = SalesBook()
    async with running(settings, team=chart_team(book)) as site:
        ana = await site.person("ana@example.com", password=PASSWORD)
        board, session = await a_board(ana), await ana.session()
        tile = await pinned(ana, board, session, "/chart who buys most")
    book.needed_role = "analyst"
    async with running(settings, team=chart_team(book)) as site:
        ana = site.stranger()
        await ana.log_in("ana@example.com")
        refreshed = (await ana.http.post(f"/api/boards/{board}/tiles/{tile['tile_id']}/refresh")).json()
        assert "analyst" in refreshed["problem"]
        assert refreshed["shown"] == tile["shown"]
        await ana.close()


async def test_tiles_are_renamed_moved_and_taken_away(charting: Running) -> None:
    ana = await charting.person("ana@example.com")
    board, session = await a_board(ana), await ana.session()
    tiles = [await pinned(ana, board, session, f"/chart {what}") for what in ("who", "by country", "one figure")]
    base = f"/api/boards/{board}/tiles"
    await ana.http.patch(f"{base}/{tiles[2]['tile_id']}", json={"position": 0, "title": "This month"})
    assert (await tiles_of(ana, board))[0]["title"] == "This month"
    assert [one["tile_id"] for one in await tiles_of(ana, board)] == [tiles[n]["tile_id"] for n in (2, 0, 1)]
    await ana.http.delete(f"{base}/{tiles[0]['tile_id']}")
    assert len(await tiles_of(ana, board)) == 2
    await ana.http.patch(f"/api/boards/{board}", json={"title": "Ventas"})
    listed = (await ana.http.get("/api/boards")).json()["items"]
    assert [(one["title"], one["tile_count"]) for one in listed] == [("Ventas", 2)]
    assert (await ana.http.patch(f"{base}/{tiles[1]['tile_id']}", json={})).status_code == 422
    assert (await ana.http.post("/api/boards", json={"title": "  "})).status_code == 422
    await ana.http.delete(f"/api/boards/{board}")
    assert (await ana.http.get(f"/api/boards/{board}")).status_code == 404


async def test_is01_a_board_of_somebody_else_answers_like_a_missing_one(charting: Running) -> None:
    """IS-01: over every route, with a foreign board, a foreign tile, a foreign conversation and ids that never were."""
    ana, ben = await charting.person("ana@example.com"), await charting.person("ben@example.com")
    board, session = await a_board(ana), await ana.session()
    tile = await pinned(ana, board, session, "/chart who buys most")
    told = await ana.events(session)
    dataset = next(one["dataset_id"] for one in told if one["type"] == "chart_drawn")
    own, own_session = await a_board(ben), await ben.session()
    asked: list[tuple[str, str, Any]] = [
        ("POST", f"{own}/tiles/{tile['tile_id']}/refresh", None),
        ("POST", f"{own}/pins/{session}/{dataset}", None),
        ("POST", f"{own}/pins/{own_session}/{dataset}", None),
    ]
    for one in (board, new_id()):
        asked += [
            ("GET", f"{one}", None),
            ("PATCH", f"{one}", {"title": "Stolen"}),
            ("DELETE", f"{one}", None),
            ("PATCH", f"{one}/tiles/{tile['tile_id']}", {"title": "Stolen"}),
            ("DELETE", f"{one}/tiles/{tile['tile_id']}", None),
            ("POST", f"{one}/tiles/{tile['tile_id']}/refresh", None),
            ("POST", f"{one}/pins/{session}/{dataset}", None),
        ]
    answers = [await ben.http.request(method, f"/api/boards/{path}", json=body) for method, path, body in asked]
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(404, "NOT_FOUND")}
    assert len(await tiles_of(ana, board)) == 1


async def test_erasing_a_person_takes_their_boards(charting: Running) -> None:
    ana, ben = await charting.person("ana@example.com"), await charting.person("ben@example.com")
    for person in (ana, ben):
        board, session = await a_board(person), await person.session()
        await pinned(person, board, session, "/chart who buys most")
    await charting.platform.backends.audit.erase(ana.user_id)
    with acting_as(SYSTEM):
        left = await charting.platform.backends.database.read(_count)
    assert left == (1, 1)


async def test_is04_the_database_itself_hides_boards_of_others(platform_url: str, tmp_path: Any) -> None:
    """IS-04: a query without any condition shows one's own rows only."""
    async with running(settings_for(tmp_path, database_url=platform_url), team=chart_team()) as site:
        ana, ben = await site.person("ana@example.com"), await site.person("ben@example.com")
        for person in (ana, ben):
            board, session = await a_board(person), await person.session()
            await pinned(person, board, session, "/chart who buys most")
        seen = []
        for principal in (Principal(user_id=ana.user_id, scope="user"), ANONYMOUS, SYSTEM):
            with acting_as(principal):
                seen.append(await site.platform.backends.database.read(_count))
    assert seen == [(1, 1), (0, 0), (2, 2)]


def _count(connection: sa.Connection) -> tuple[int, int]:
    rows = [len(connection.execute(sa.select(table)).all()) for table in (boards, board_tiles)]
    return rows[0], rows[1]
