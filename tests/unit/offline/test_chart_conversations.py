"""Charts that conversations go on from, with the first team on the built-in model (A-21, A-42)."""

from collections.abc import Sequence
from typing import Any

import pytest
import pytest_asyncio

from batuta.conversations.conversation import Conversation
from batuta.datasets.attached import AttachedOutline, TableFile
from batuta.datasets.dataset import DATASETS_SERVICE, Dataset
from batuta.datasets.files import dataset_from_csv
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.outlines import own_tables
from batuta.datasets.store import DatasetOwner
from batuta.events.datasets import ChartDrawn
from batuta.kernel.ids import new_id
from batuta.kernel.users import ATTACHED_TABLES_SERVICE, LANGUAGE_SERVICE, OWN_TABLES_SERVICE, ToolUser
from tests.support.asked_team import NOW, AskedTeam

pytestmark = pytest.mark.asyncio(loop_scope="module")

CSV = (
    "Cliente;País;Categoría;Fecha;Importe\nAlfa;España;A;01/01/2026;100\nBeta;España;B;02/02/2026;50\n"
    "Alfa;Francia;A;03/02/2026;30\nGamma;Francia;B;04/03/2026;5\n"
)


NAME = "Lo que se ha vendido este año en el norte y en el sur de la península"


class BroughtTable:
    """A file that came with a message."""

    files: Sequence[TableFile] = (TableFile(file_id="F1", name="ventas.csv"),)

    def __str__(self) -> str:
        return str(AttachedOutline(names=("ventas.csv",)))

    async def tables(self, file: TableFile) -> Sequence[Dataset]:
        return [dataset_from_csv(CSV.encode(), name=file.name, now=NOW)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def team(tmp_path_factory: pytest.TempPathFactory) -> AskedTeam:
    """One for all: each conversation is a session of its own, and charts change nothing in the ERP."""
    asked = AskedTeam(tmp_path_factory.mktemp("charts"))
    await asked.team.prepare()
    return asked


async def charts_of(team: AskedTeam, messages: Sequence[str], *, brings_table: bool) -> list[list[ChartDrawn]]:
    """The charts of each message, with the figures that each shows as its `dataset_name`s."""
    session_id, conversation, drawn = new_id(), Conversation(), []
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id=session_id))
    services: dict[str, Any] = {DATASETS_SERVICE: library, LANGUAGE_SERVICE: "es"}
    for number, message in enumerate(messages):
        brought: dict[str, Any] = {OWN_TABLES_SERVICE: await own_tables(library)}
        if brings_table and number == 0:
            brought[ATTACHED_TABLES_SERVICE] = BroughtTable()
        turn = await team.team.orchestrator.run(
            message,
            conversation=conversation,
            session_id=session_id,
            services=services | brought,
            user=ToolUser(id="U"),
        )
        drawn.append([event for event in turn.events if isinstance(event, ChartDrawn)])
    return drawn


async def requests_of(team: AskedTeam, *messages: str, brings_table: bool = True) -> list[dict[str, Any]]:
    """What each message drew: the request of its one chart."""
    drawn = await charts_of(team, messages, brings_table=brings_table)
    assert [len(charts) for charts in drawn] == [1] * len(messages)
    return [charts[0].request for charts in drawn]


async def test_follow_ups_to_a_chart_of_an_own_table_stay_with_that_table(team: AskedTeam) -> None:
    """The ERP knows sales too: its figures must not take the place of those that the user brought."""
    follow_ups = ("lo mismo por país", "y por mes", "solo España", "por cliente", "sin el mayor")
    requests = await requests_of(team, "gráfico de ventas por cliente", *follow_ups)
    assert [request["dataset"] for request in requests] == ["ventas"] * 6
    assert [request["x"] for request in requests] == ["cliente", "pais", "fecha", "fecha", "cliente", "cliente"]
    assert requests[-1]["only"] == ["España"]
    assert requests[-1]["excluded"] == ["Alfa"]


async def test_a_chart_of_fewer_records_is_read_again_and_drawn_as_it_was(team: AskedTeam) -> None:
    """Sales by customer know nothing of countries."""
    messages = ("ventas por cliente este año en un gráfico de barras", "como tarta", "solo España", "sin el mayor")
    first, pie, narrowed, rest = await requests_of(team, *messages, brings_table=False)
    assert (first["dataset"], pie["dataset"]) == ("sales_customer", "sales_customer")
    assert (narrowed["dataset"], narrowed["kind"]) == ("sales_customer_2", "pie")
    assert rest["excluded"] == ["Terrazas Sotomar, S.C."]


@pytest.mark.parametrize(
    ("first", "then", "table"),
    [
        ("¿Qué clientes nos deben más dinero? Hazme un gráfico", "solo lo vencido", "overdue_receivables_customer"),
        ("Draw this year's sales by item", "only the gross margin", "gross_margin_item"),
    ],
)
async def test_a_chart_of_another_figure_alone_is_read_and_drawn_as_it_was(
    team: AskedTeam, first: str, then: str, table: str
) -> None:
    before, after = await requests_of(team, first, then, brings_table=False)
    assert (before["dataset"] != table, after["dataset"]) == (True, table)


async def test_a_changed_chart_names_the_one_it_was_made_of(team: AskedTeam) -> None:
    drawn = await charts_of(team, ("gráfico de ventas por cliente", "como tarta", "por país"), brings_table=True)
    ids = [charts[0].chart_id for charts in drawn]
    assert [charts[0].changes_chart_id for charts in drawn] == [None, *ids[:-1]]
    assert len(set(ids)) == 3


async def test_two_figures_of_the_erp_are_set_against_each_other(team: AskedTeam) -> None:
    asked = ("scatter of stock against price", "dispersión de existencias frente a precio")
    requests = await requests_of(team, *asked, brings_table=False)
    assert [(one["kind"], one["y"]) for one in requests] == [("scatter", ["inventory", "unit_price"])] * 2


async def test_figures_of_a_brought_table_are_drawn_without_a_word_for_charts(team: AskedTeam) -> None:
    """The ERP knows sales by customer too; a message that brings a table speaks of that table."""
    requests = await requests_of(team, "media del importe por categoría", "y por cliente")
    assert [(one["dataset"], one["x"]) for one in requests] == [("ventas", "categoria"), ("ventas", "cliente")]
    assert requests[0]["aggregate"] == "average"


@pytest.mark.parametrize(
    "asked",
    ["pie chart of the weather by planet", "hazme un gráfico del tiempo por planeta", "gráfico de ventas por planeta"],
)
async def test_what_has_nothing_to_do_with_the_last_table_is_not_drawn_of_it(team: AskedTeam, asked: str) -> None:
    """A picture of sales is no answer to a question about planets."""
    assert await charts_of(team, ("ventas por cliente", asked), brings_table=False) == [[], []]


async def test_a_chart_whose_figures_could_not_be_read_is_not_drawn_of_an_older_table(team: AskedTeam) -> None:
    """Expenses know no departments: the step before the chart says so, and nothing else is drawn instead."""
    asked = ("ventas por cliente", "gasto por mes y departamento apilado")
    assert await charts_of(team, asked, brings_table=False) == [[], []]


@pytest.mark.parametrize("asked", ["sales by country and month stacked", "ventas por país y mes apiladas"])
async def test_a_second_column_to_compare_by_is_drawn_as_the_parts_of_a_stack(team: AskedTeam, asked: str) -> None:
    (request,) = await requests_of(team, asked, brings_table=False)
    assert (request["kind"], request["x"], request["series"]) == ("stacked", "month", "country")


async def test_two_figures_by_month_are_two_lines_of_one_chart(team: AskedTeam) -> None:
    ((chart,),) = await charts_of(team, ("ventas y compras por mes en líneas",), brings_table=False)
    assert chart.request["y"] == ["ventas", "compras"]
    assert (chart.kind, chart.spec["encoding"]["color"]["field"]) == ("line", "measure")


async def test_a_figure_of_two_companies_is_a_line_with_the_name_of_each(team: AskedTeam) -> None:
    """The two companies are all there are, and no limit of the chart."""
    ((chart,),) = await charts_of(team, ("ventas de las dos empresas por mes en un gráfico",), brings_table=False)
    assert (chart.kind, chart.request.get("top")) == ("line", None)
    assert "Ventas (Sierra Clara" in chart.title
    assert "Ventas (Vento Norte" in chart.title


async def test_figures_that_measure_different_things_are_not_drawn_together_silently(team: AskedTeam) -> None:
    ((chart,),) = await charts_of(team, ("ventas y unidades vendidas por mes en líneas",), brings_table=False)
    assert any("otra unidad" in note for note in chart.notes)


async def test_an_own_table_is_asked_about_in_later_messages(team: AskedTeam) -> None:
    """Its columns and values take every word; the ERP knows sales as well, and is not meant."""
    asked = ("hola", "tarta de importe por categoría", "¿cuál es el total del importe?", "solo Francia")
    requests = await requests_of(team, *asked)
    assert [request["dataset"] for request in requests] == ["ventas"] * 4
    assert [request["kind"] for request in requests] == ["table", "pie", "kpi", "kpi"]
    assert requests[-1]["only"] == ["Francia"]


async def test_what_an_own_table_does_not_know_is_read_from_the_erp(team: AskedTeam) -> None:
    requests = await requests_of(team, "importe por categoría", "ventas por vendedor en barras")
    assert [request["dataset"] for request in requests] == ["ventas", "sales_salesperson"]


async def test_the_table_that_is_meant_is_asked_for_after_figures_of_the_erp(team: AskedTeam) -> None:
    """Both know sales by customer, and the ERP's were shown last."""
    asked = ("importe por categoría", "compras por proveedor", "gráfico de ventas por cliente", "mi tabla")
    drawn = await charts_of(team, asked, brings_table=True)
    assert [len(charts) for charts in drawn] == [1, 0, 0, 1]
    assert drawn[-1][0].request["dataset"] == "ventas"
    again = await charts_of(team, (*asked[:-1], "ERP"), brings_table=True)
    assert again[-1][0].request["dataset"] == "sales_customer"


async def test_a_figure_is_asked_of_the_table_that_comes_with_the_question(team: AskedTeam) -> None:
    (request,) = await requests_of(team, "¿cuál es el importe medio?")
    assert (request["dataset"], request["kind"], request["aggregate"]) == ("ventas", "kpi", "average")


async def test_a_time_a_title_and_a_colour_are_said_of_the_last_chart(team: AskedTeam) -> None:
    """None of them is a farewell, a document or a figure of the ERP."""
    follow_ups = (
        "solo 2026",
        "desde febrero",
        "de enero a marzo",
        "hazlo azul",
        f"ponle el título {NAME}",
        "top 2",
        "todo",
    )
    requests = await requests_of(team, "gráfico de ventas por cliente", *follow_ups)
    assert [request["dataset"] for request in requests] == ["ventas"] * 8
    starts = [[one.get("at_least") for one in request.get("filters", [])] for request in requests]
    assert starts == [[], ["2026-01-01"], ["2026-02-01"], *[["2026-01-01"]] * 4, []]
    assert (requests[6]["colour"], requests[6]["title"], requests[6]["top"]) == ("blue", NAME, 2)


async def test_figures_of_the_erp_are_read_again_for_another_time(team: AskedTeam) -> None:
    messages = ("ventas por cliente este año en un gráfico de barras", "solo marzo", "desde junio", "en rojo")
    drawn = await charts_of(team, messages, brings_table=False)
    titles = [charts[-1].title.partition(" · ")[2] for charts in drawn]
    assert titles == [
        "2026", "mar 2026", "1 jun 2026 – 16 nov 2026", "1 jun 2026 – 16 nov 2026",
    ]  # fmt: skip
    assert drawn[-1][-1].request["colour"] == "red"


async def test_what_was_drawn_without_naming_it_is_gone_on_from(team: AskedTeam) -> None:
    """ "Draw it" says what is made of the figures before, and not what they are."""
    messages = ("receivables by customer", "draw it", "as a pie chart", "only Spain", "the same by country")
    drawn = await charts_of(team, messages, brings_table=False)
    assert [len(charts) for charts in drawn] == [0, 1, 1, 1, 1]
    assert [charts[0].kind for charts in drawn[1:]] == ["bar", "pie", "pie", "kpi"]
    assert drawn[3][0].title.endswith("· ES")


async def test_a_word_after_by_is_not_mended_to_a_name(team: AskedTeam) -> None:
    """Nothing is sold by planet: the category of plants is one letter away, and not what was asked for."""
    drawn = await charts_of(team, ("gráfico de ventas por planetas",), brings_table=False)
    assert drawn == [[]]


async def test_a_follow_up_without_a_language_is_answered_in_that_of_its_chart(team: AskedTeam) -> None:
    session_id, conversation, answers = new_id(), Conversation(), []
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id=session_id))
    for message, language in (("sales by customer this year as a bar chart", "en"), ("top 3", "es")):
        services = {DATASETS_SERVICE: library, LANGUAGE_SERVICE: language}
        turn = await team.team.orchestrator.run(
            message, conversation=conversation, session_id=session_id, services=services, user=ToolUser(id="U")
        )
        answers.append(str(turn.answer))
    assert answers[1].startswith("Here is the chart of `sales_customer`: Sales (EUR) by customer")


async def test_what_stands_in_a_title_asks_for_nothing_else(team: AskedTeam) -> None:
    first, named = await requests_of(team, "gráfico de ventas por cliente", "llámalo Top 5 mensual en barras")
    assert named == {**first, "title": "Top 5 mensual en barras"}


@pytest.mark.parametrize(
    "asked", ["ventas por mes de este año en un gráfico", "ventas por mes este año en un gráfico de barras"]
)
async def test_months_of_the_erp_are_read_again_for_one_country(team: AskedTeam, asked: str) -> None:
    drawn = await charts_of(team, (asked, "solo España"), brings_table=False)
    assert [[chart.request["x"] for chart in charts] for charts in drawn] == [["month"], ["month"]]
    assert drawn[1][0].title.endswith(" · ES")


@pytest.mark.parametrize("follow_up", ["compara con el año pasado", "compáralo con 2025"])
async def test_a_chart_of_the_erp_is_set_beside_the_year_before(team: AskedTeam, follow_up: str) -> None:
    drawn = await charts_of(team, ("ventas por mes de este año como barras", follow_up), brings_table=False)
    assert [[chart.kind for chart in charts] for charts in drawn] == [["bar"], ["bar"]]
    assert drawn[1][0].title.startswith("Ventas / Antes (EUR) por mes")


@pytest.mark.parametrize("follow_up", ["el cliente en vez del país", "por cliente en lugar de por país"])
async def test_what_is_wanted_instead_changes_the_last_chart(team: AskedTeam, follow_up: str) -> None:
    first, second = await requests_of(team, "gráfico circular de ventas por país, sin Gamma", follow_up)
    assert (first["kind"], second["kind"]) == ("pie", "pie")
    assert second["excluded"] == ["Gamma"]


@pytest.mark.parametrize("follow_up", ["por categoría", "por categoría y cliente", "por el país del cliente"])
async def test_a_chart_by_something_else_keeps_what_was_left_out(team: AskedTeam, follow_up: str) -> None:
    _, _, regrouped = await requests_of(team, "gráfico de importe por cliente", "sin Gamma", follow_up)
    assert regrouped["excluded"] == ["Gamma"]
    assert regrouped["y"] == ["importe"]


async def test_a_word_that_may_be_what_is_measured_is_not_left_out_of_a_chart(team: AskedTeam) -> None:
    assert await charts_of(team, ("gráfico circular de la rotación por país",), brings_table=True) == [[]]


async def test_what_is_added_to_a_chart_of_an_own_table_is_not_asked_of_the_erp(team: AskedTeam) -> None:
    """Customers in France and a number of anything are known there too."""
    follow_ups = (
        "solo España",
        "compáralo con Francia",
        "top 1",
        "y el resto",
        "la mediana en su lugar",
        "vuelve a todos",
    )
    requests = await requests_of(team, "gráfico de importe por cliente", *follow_ups)
    assert [request["dataset"] for request in requests] == ["ventas"] * 7
    assert (requests[2]["only"], requests[2]["series"]) == (["España", "Francia"], "pais")
    assert (requests[4]["top"], requests[4]["has_rest"]) == (1, True)
    assert (requests[5]["aggregate"], requests[6].get("only")) == ("median", None)


async def test_short_words_go_on_from_a_chart_of_an_own_table(team: AskedTeam) -> None:
    follow_ups = ("añade Francia", "y en febrero", "y la mediana", "y en 2026")
    requests = await requests_of(team, "gráfico de importe por cliente, solo España", *follow_ups)
    assert requests[1]["only"] == ["España", "Francia"]
    assert [one["filters"][0]["at_least"] for one in requests[2:]] == ["2026-02-01", "2026-02-01", "2026-01-01"]
    assert requests[3]["aggregate"] == "median"


async def test_a_condition_on_another_column_joins_the_one_before(team: AskedTeam) -> None:
    *_, last = await requests_of(team, "gráfico de importe por cliente", "solo España", "solo categoría A")
    assert last["only"] == ["España", "A"]


async def test_a_line_along_time_is_no_line_along_names(team: AskedTeam) -> None:
    drawn = await charts_of(team, ("sales by month as a line", "by country"), brings_table=False)
    assert [charts[0].kind for charts in drawn] == ["line", "bar"]
    assert drawn[1][0].notes == ()


async def test_a_table_becomes_a_chart_again(team: AskedTeam) -> None:
    requests = await requests_of(team, "gráfico de importe por cliente", "como tabla", "ahora como gráfico")
    assert [request.get("kind", "auto") for request in requests] == ["auto", "table", "auto"]
