"""What stands in a person's own documents is looked up there, unless it names something of another agent's (A-10, A-40)."""

import pytest

from batuta.offline.context import DialogueContext
from batuta.offline.planning import Planner
from batuta.offline.requests import Task
from tests.unit.language.test_understanding import UNDERSTANDING as BUSINESS
from tests.unit.offline.asking import NOW, TEAM

EVERYBODY = (*TEAM, *BUSINESS)
DOCS, ERP = "documents_agent", "erp_agent"


def agents(text: str, own_words: str) -> list[str]:
    task = Task(text=text, own_words=frozenset(own_words.split()), default_language="es")
    decision = Planner(EVERYBODY, NOW, language="es").decision(task, DialogueContext())
    return [step["agent_id"] for step in decision.get("steps", [])]


@pytest.mark.parametrize(
    "text",
    [
        "lista los acuerdos de la junta de vecinos",
        "precio de la barra rustica",
        "descuento por pronto pago",
    ],
)
def test_what_a_document_holds_is_looked_up_however_it_is_put(text: str) -> None:
    assert agents(text, text) == [DOCS]


@pytest.mark.parametrize("text", ["a que temperatura tiene que estar el congelador", "cada cuanto se cambia la junta"])
def test_a_question_may_open_with_a_preposition(text: str) -> None:
    assert agents(text, "") == [DOCS]


@pytest.mark.parametrize(
    "text",
    [
        "¿Quién faltó a la reunión del 3 de febrero?",
        "¿Dónde se celebró la asamblea del 9 de mayo de 2025?",
        "¿Cuánto ha subido la cuota del amarre de 2024 a 2025?",
        "How much has the mooring fee risen from 2024 to 2025?",
    ],
)
def test_a_day_or_a_year_in_a_question_is_nothing_to_reckon_with(text: str) -> None:
    assert agents(text, "") == [DOCS]


@pytest.mark.parametrize("text", ["ventas por país este año", "¿Qué clientes nos deben más dinero?"])
def test_a_measure_that_is_named_is_read_from_the_business(text: str) -> None:
    assert agents(text, text) == [ERP]


def test_one_word_that_stands_somewhere_is_no_question() -> None:
    assert agents("gracias", "gracias") == []
    assert agents("hola", "hola") == []
