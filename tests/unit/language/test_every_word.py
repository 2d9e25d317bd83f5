"""Intents that read every word: a figure that leaves out a word of the question answers another one (A-41)."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from batuta.language.annotation import annotated
from batuta.language.interpretation import FULLY_EXPLAINED, Interpreter
from batuta.language.periods import find_comparisons, find_periods
from batuta.language.slots import fill_slot, slot_spans
from batuta.language.understanding import Intent, Settled, Slot, Understanding

NOW = datetime(2026, 9, 30, 12, tzinfo=UTC)
FIGURE = Intent(
    id="figure",
    examples={"en": ("sales by month", "sales this year"), "es": ("ventas por mes", "ventas de este año")},
    slots=(
        Slot(name="measure", type="choice", is_required=True, values={"sales": ("sales", "ventas")}),
        Slot(name="split", type="choice", values={"month": ("by month", "por mes")}),
        Slot(name="period", type="period"),
        Slot(name="top", type="limit"),
        Slot(name="bound", type="bound"),
    ),
    reads_every_word=True,
)
OTHER = Intent(id="other", examples={"en": ("what time is it?",), "es": ("¿qué hora es?",)})
TEAM = Interpreter([Understanding(agent_id="erp", intents=(FIGURE, OTHER))])


def best(text: str) -> tuple[str, float, tuple[str, ...]]:
    found = TEAM.interpret(text, now=NOW)[0]
    return found.intent.id, found.confidence, found.unknown


@pytest.mark.parametrize(
    "text", ["sales by month this year", "¿cuáles fueron las ventas de este año?", "top five sales"]
)
def test_a_request_whose_every_word_is_accounted_for_is_surely_meant(text: str) -> None:
    intent, confidence, unknown = best(text)

    assert (intent, unknown) == ("figure", ())
    assert confidence >= FULLY_EXPLAINED


@pytest.mark.parametrize(
    ("text", "word"),
    [("sales of bicycles this year", "bicycles"), ("ventas sin abonos", "sin"), ("sales in dollars", "dollars")],
)
def test_a_word_without_a_place_is_said_and_not_left_out(text: str, word: str) -> None:
    found = next(each for each in TEAM.interpret(text, now=NOW) if each.intent.id == "figure")

    assert word in found.unknown
    assert found.confidence < FULLY_EXPLAINED


def test_what_settling_does_not_understand_is_unknown_too() -> None:
    def settle(values: object, texts: object) -> Settled:
        return Settled(values={"measure": "sales"}, unknown=("60 days",))

    intent = Intent(id="figure", examples=FIGURE.examples, slots=FIGURE.slots, reads_every_word=True, settle=settle)
    found = Interpreter([Understanding(agent_id="erp", intents=(intent, OTHER))]).interpret("sales", now=NOW)

    assert found[0].unknown == ("60 days",)


@pytest.mark.parametrize(
    ("text", "side", "amount", "is_days", "is_inclusive"),
    [
        ("invoices over 5,000 euros", "above", "5000", False, False),
        ("facturas de más de 10.000 €", "above", "10000", False, False),
        ("overdue by more than 60 days", "above", "60", True, False),
        ("menos de 5 unidades", "below", "5", False, False),
        ("at least 3 units", "above", "3", False, True),
        ("clientes que deben más de 2 mil", "above", "2000", False, False),
    ],
)
def test_bounds_are_read_with_their_unit(text: str, side: str, amount: str, is_days: bool, is_inclusive: bool) -> None:
    found = fill_slot(Slot(name="bound", type="bound"), annotated(text, now=NOW), now=NOW)

    assert (found["side"], Decimal(found["amount"])) == (side, Decimal(amount))
    assert (found["is_days"], found["is_inclusive"]) == (is_days, is_inclusive)


@pytest.mark.parametrize(
    ("text", "code"),
    [("show me invoice 103001", "103001"), ("factura INV-2207", "INV-2207"), ("ventas de 2025", None), ("top 5", None)],
)
def test_a_number_that_names_a_document_is_told_from_a_year(text: str, code: str | None) -> None:
    assert fill_slot(Slot(name="code", type="code"), annotated(text, now=NOW), now=NOW) == code


@pytest.mark.parametrize(
    ("text", "kind", "period"),
    [
        ("compare sales of this year with last year", "previous_year", "2026-01-01"),
        ("compara las ventas de este trimestre con el trimestre pasado", "previous_period", "2026-07-01"),
        ("compara las ventas de 2025 con las de 2024", "period", "2025-01-01"),
    ],
)
def test_what_is_compared_may_stand_between(text: str, kind: str, period: str) -> None:
    assert [each.value.kind for each in find_comparisons(text, now=NOW)] == [kind]
    assert [each.value.first.isoformat() for each in find_periods(text, now=NOW)] == [period]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("ventas por semana de septiembre", "2026-09-01", "2026-09-30"),
        ("ventas del mes", "2026-09-01", "2026-09-30"),
        ("sales of the quarter", "2026-07-01", "2026-09-30"),
    ],
)
def test_a_unit_of_time_is_this_one_and_a_split_is_no_period(text: str, first: str, last: str) -> None:
    found = [(each.value.first.isoformat(), each.value.last.isoformat()) for each in find_periods(text, now=NOW)]

    assert found == [(first, last)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sales of the company Vento", "Vento Norte, Lda."),
        ("sales in Vento Norte this year", "Vento Norte, Lda."),
        ("ventas de Vento Norte, Lda.", "Vento Norte, Lda."),
        ("sales in Vento this year", None),
    ],
)
def test_a_name_needs_the_words_before_it_only_where_it_is_not_whole(text: str, expected: str | None) -> None:
    """A part may be said of something else; what is not taken stays a word that was not understood."""
    names = {"Vento Norte, Lda.": ("Vento Norte, Lda.", "Vento Norte")}
    company = Slot(name="company", type="choice", values=lambda: names, after=("company", "empresa"))

    assert fill_slot(company, annotated(text, now=NOW), now=NOW) == expected
    assert bool(slot_spans(company, annotated(text, now=NOW))) == (expected is not None)
