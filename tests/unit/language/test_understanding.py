"""Requests interpreted from intents that are only data: a toy team of an ERP and a charting specialist."""

import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from batuta.language import Intent, Slot, Understanding
from batuta.language.interpretation import AMENDED_BY, Interpretation, Interpreter

NOW = datetime(2026, 11, 15, 21, 30, tzinfo=ZoneInfo("Europe/Madrid"))

MEASURES = {
    "sales": ("sales", "revenue", "turnover", "ventas", "facturación", "ingresos"),
    "receivables": ("receivables", "owe us", "owed", "nos deben", "deuda", "saldo pendiente"),
    "margin": ("margin", "profit", "margen", "beneficio"),
}
SPLITS = {
    "customer": ("customer", "client", "cliente"),
    "country": ("country", "país"),
    "month": ("month", "monthly", "mes", "mensual"),
}
CUSTOMERS = ["Cronus Cardoza S.L.", "Fabrikam Ltd", "Relecloud"]
UNDERSTANDING = (
    Understanding(
        agent_id="erp_agent",
        intents=(
            Intent(
                id="measure",
                tool="measure",
                gives="dataset",
                examples={
                    "en": ("sales by customer this year", "which customers owe us most?", "how much did we sell in march",
                           "margin by country last quarter", "top 5 customers by revenue", "monthly sales of Relecloud"),
                    "es": ("ventas por cliente este año", "¿qué clientes nos deben más dinero?", "cuánto vendimos en marzo",
                           "margen por país el trimestre pasado", "los 5 mejores clientes", "ventas mensuales de Fabrikam"),
                },
                slots=(
                    Slot(name="measure", type="choice", is_required=True, values=MEASURES,
                         question={"en": "Which figure?", "es": "¿Qué cifra?"}),
                    Slot(name="split", type="choice", values=SPLITS),
                    Slot(name="customer", type="choice", values=lambda: dict.fromkeys(CUSTOMERS, ())),
                    Slot(name="period", type="period"),
                    Slot(name="comparison", type="comparison"),
                    Slot(name="limit", type="limit"),
                    Slot(name="order", type="ranking"),
                ),
            ),
            Intent(
                id="post_invoice",
                tool="post_invoice",
                effect="change",
                examples={
                    "en": ("post invoice 1004", "book the sales invoice 103045", "register invoice 12"),
                    "es": ("registra la factura 1004", "contabiliza la factura 103045", "registrar factura 12"),
                },
                slots=(Slot(name="number", type="integer", is_required=True),),
            ),
        ),
    ),
    Understanding(
        agent_id="graphing_agent",
        intents=(
            Intent(
                id="chart",
                tool="make_chart",
                takes="dataset",
                examples={
                    "en": ("make a chart", "draw it as a bar chart", "show it as a line", "plot that", "a pie chart please"),
                    "es": ("hazme un gráfico", "dibújalo en barras", "ponlo como línea", "grafícalo", "un gráfico circular"),
                },
                slots=(
                    Slot(name="kind", type="choice", is_telling=True, values={"bar": ("bar", "barras"), "line": ("line", "línea"),
                                                             "pie": ("pie", "circular", "tarta")}),
                    Slot(name="dataset", type="result"),
                ),
            ),
        ),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    return Interpreter(UNDERSTANDING)


def best(interpreter: Interpreter, text: str) -> Interpretation:
    return interpreter.interpret(text, now=NOW)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("revenue by country last quarter", {"measure": "sales", "split": "country", "period": "2026-07-01"}),
        ("que clientes nos deven mas?", {"split": "customer", "order": "most"}),
        ("¿Cuánto facturamos en octubre comparado con el año pasado?", {"period": "2026-10-01"}),
        ("ventas de cardoza por mes", {"measure": "sales", "customer": "Cronus Cardoza S.L.", "split": "month"}),
        (
            "dame los 3 clientes con menos margen",
            {"measure": "margin", "limit": 3, "order": "least", "split": "customer"},
        ),
        ("facturacion mensual en lo que va de año", {"measure": "sales", "split": "month", "period": "2026-01-01"}),
    ],
)
def test_measure_split_filter_period_and_ranking_are_found(
    interpreter: Interpreter, text: str, expected: dict[str, object]
) -> None:
    """A-5, A-41: a measure is asked for in data that its specialist brings."""
    found = best(interpreter, text)
    assert found.label == "erp_agent/measure"
    values = {**found.values, "period": (found.values.get("period") or {}).get("first")}
    assert {name: values.get(name) for name in expected} == expected


def test_a_comparison_is_a_slot_of_its_own(interpreter: Interpreter) -> None:
    found = best(interpreter, "sales in October vs last year")
    assert found.values["comparison"] == {"kind": "previous_year"}


def test_a_kind_of_chart_is_chosen(interpreter: Interpreter) -> None:
    found = best(interpreter, "ponmelo en un grafico de barras")
    assert (found.label, found.values["kind"]) == ("graphing_agent/chart", "bar")


def test_what_is_missing_is_known(interpreter: Interpreter) -> None:
    found = best(interpreter, "by customer this year")
    assert [slot.name for slot in found.missing] == ["measure"]


@pytest.mark.parametrize("text", ["what's the weather like", "cuéntame un chiste", "asdf qwer", "translate hello"])
def test_nothing_is_sure_outside_of_what_is_known(interpreter: Interpreter, text: str) -> None:
    assert not any(each.is_sure for each in interpreter.interpret(text, now=NOW))


def test_a_change_needs_more_than_an_answer(interpreter: Interpreter) -> None:
    assert best(interpreter, "contabiliza la factura 1009").is_sure
    assert not best(interpreter, "what happened with the invoice of tuesday").is_sure


def test_what_is_said_later_takes_the_place_of_what_was_said(interpreter: Interpreter) -> None:
    """A-42: the follow-up changes the period and the split, and keeps the measure."""
    found = best(interpreter, f"sales by customer this year{AMENDED_BY}and in march?{AMENDED_BY}ahora por país")
    assert found.values["measure"] == "sales"
    assert found.values["split"] == "country"
    assert found.values["period"]["first"] == "2026-03-01"


def test_a_sentence_is_interpreted_in_a_few_milliseconds(interpreter: Interpreter) -> None:
    """Five milliseconds on a free machine; ten times that on a loaded one."""
    texts = [f"ventas por cliente en el mes {number} de este año" for number in range(20)]
    started = time.process_time()
    for text in texts:
        interpreter.interpret(text, now=NOW)
    assert (time.process_time() - started) / len(texts) < 0.05


def test_an_understanding_refuses_two_intents_of_one_id_and_intents_without_examples() -> None:
    intent = Intent(id="one", examples={"en": ("do one",)})
    with pytest.raises(ValueError, match="same id"):
        Understanding(intents=(intent, intent))
    with pytest.raises(ValueError, match="needs examples"):
        Understanding(intents=(Intent(id="two", examples={}),))
