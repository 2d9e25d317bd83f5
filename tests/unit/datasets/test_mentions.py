"""What a message names in a table that it brings, and what is asked of it: a row, or what rows come to (A-6, A-10)."""

from datetime import UTC, datetime

import pytest

from batuta.agents.graphing.understanding import UNDERSTANDING as GRAPHING
from batuta.datasets.attached import AttachedOutline, outline_in
from batuta.datasets.dataset import Dataset
from batuta.datasets.files import dataset_from_csv
from batuta.datasets.mentions import TableMention, mentioned
from batuta.language.understanding import Understanding
from batuta.offline.context import DialogueContext
from batuta.offline.planning import Planner
from batuta.offline.requests import Task
from tests.unit.language.test_understanding import UNDERSTANDING as BUSINESS
from tests.unit.offline.asking import NOW, TEAM

CHARTS = Understanding(agent_id="graphing_agent", name="Charts", intents=GRAPHING.intents)
DOCS, GRAPHS = "documents_agent", "graphing_agent"
PRICES = """Model;Category;Price (EUR);Stock
Duero City;City;649;12
Duero City Plus;City;799;7
Duero eBike Plus;Electric;2790;3
Tormes Road;Road;1350;5
"""
EMPLOYEES = """Nombre;Departamento;Puesto;Salario;Extensión
Lucía Ferrer;Ventas;Comercial;28400;112
Mario Iglesias;Ventas;Jefe de ventas;41200;101
Nuria Campos;Taller;Mecánica;26100;130
Lucía Prieto;Administración;Contable;30500;120
"""
INVOICES = """Invoice;Customer;Date;Amount;Status
F-1001;Acme SL;2026-01-12;1200.5;paid
F-1002;Globex;2026-01-20;340;paid
F-1003;Acme SL;2026-02-03;780;open
F-1004;Initech;2026-02-15;95.25;open
"""
HOURS = """Tienda;Días;Apertura;Cierre;Teléfono
Salamanca;Lunes a viernes;09:30;20:00;923 111 222
Salamanca;Sábado;10:00;14:00;923 111 222
Zamora;Lunes a viernes;10:00;19:30;980 333 444
"""


def table(text: str) -> Dataset:
    return dataset_from_csv(text.encode(), name="table.csv", now=datetime(2026, 11, 16, tzinfo=UTC))


def agents(text: str, content: str) -> list[str]:
    task = Task(text=text, has_tables=True, mention=mentioned(text, [table(content)]))
    decision = Planner((*TEAM, CHARTS, *BUSINESS), NOW).decision(task, DialogueContext())
    return [step["agent_id"] for step in decision.get("steps", [])]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("¿Cuánto cuesta la Duero eBike Plus?", PRICES),
        ("How much is the Duero eBike Plus?", PRICES),
        ("How many Tormes Road do we have in stock?", PRICES),
        ("¿Cuántas Tormes Road quedan?", PRICES),
        ("What category is the Tormes Road?", PRICES),
        ("How much are the Duero City and the Tormes Road?", PRICES),
        ("¿Cuánto gana Nuria Campos?", EMPLOYEES),
        ("What is Mario Iglesias's salary?", EMPLOYEES),
        ("¿Qué extensión tiene Lucía?", EMPLOYEES),
        ("¿Quién es el jefe de ventas?", EMPLOYEES),
        ("who works in Taller?", EMPLOYEES),
        ("What is the amount of invoice F-1004?", INVOICES),
        ("¿De cuánto es la factura F-1002?", INVOICES),
        ("Is invoice F-1003 paid?", INVOICES),
        ("¿Cuál es el teléfono de Salamanca?", HOURS),
        ("What time does the Zamora shop close?", HOURS),
    ],
)
def test_what_stands_in_a_row_is_quoted_from_it(text: str, content: str) -> None:
    assert agents(text, content) == [DOCS]


@pytest.mark.parametrize("text", ["How much is the Ebro Trekking?", "¿Cuánto cuesta la Ebro Trekking?"])
def test_what_the_table_does_not_have_is_looked_up_and_not_found(text: str) -> None:
    """A chart of everything else is no answer."""
    assert agents(text, PRICES) == [DOCS]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("¿Cuánto hemos vendido a Acme?", INVOICES),
        ("How much have we invoiced to Acme?", INVOICES),
        ("total amount for Globex", INVOICES),
        ("amount by month", INVOICES),
        ("how many invoices are open?", INVOICES),
        ("What is the total stock?", PRICES),
        ("stock by category", PRICES),
        ("total price of the Duero City and the Tormes Road", PRICES),
        ("Which is the cheapest model?", PRICES),
        ("¿Cuánto pagamos en salarios en Ventas?", EMPLOYEES),
        ("salario medio por departamento", EMPLOYEES),
        ("¿Cuántos empleados hay en Taller?", EMPLOYEES),
        ("suma de salarios", EMPLOYEES),
    ],
)
def test_what_several_rows_come_to_is_reckoned(text: str, content: str) -> None:
    assert agents(text, content) == [GRAPHS]


def test_a_change_is_no_question_about_a_row() -> None:
    assert DOCS not in agents("book a meeting with Nuria Campos tomorrow at ten", EMPLOYEES)


def test_rows_are_named_by_values_and_by_words_of_them() -> None:
    assert mentioned("Duero City Plus", [table(PRICES)]).rows == 1
    named = mentioned("la extensión de Lucía", [table(PRICES), table(EMPLOYEES)])
    assert (named.rows, named.is_by_key, named.names_column) == (2, True, True)
    assert mentioned("Acme", [table(INVOICES)]).rows == 2
    assert not mentioned("Acme", [table(INVOICES)]).is_by_key
    assert not mentioned("how are you", [table(INVOICES)]).is_about_table


def test_an_outline_is_read_back_from_a_request() -> None:
    outline = AttachedOutline(names=("a, b.csv",), mention=TableMention(rows=2, unread=("x",)))
    assert outline_in(str(outline)) == outline
    assert outline_in("") == AttachedOutline()
