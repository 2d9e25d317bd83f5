"""Business questions that go on from another (A-42): what is kept of it, and what is not."""

from dataclasses import replace

import pytest

from batuta.agents.calculator.understanding import UNDERSTANDING as CALCULATOR
from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.understanding import erp_understanding
from batuta.language.interpretation import AMENDED_BY, Interpreter
from batuta.offline.amendments import amendment
from batuta.offline.context import DialogueContext
from batuta.offline.planning import Planner
from batuta.offline.requests import Task
from tests.support.erp_questions import NOW, read


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("factura 103114 ▸ ¿está pagada?", ["status"]),
        ("factura 103114 ▸ ¿quién es el cliente?", ["customerName"]),
        ("invoice 103114 ▸ is it paid? ▸ and when is it due?", ["dueDate"]),
    ],
)
def test_what_is_asked_later_is_asked_of_the_same_record(erp: Interpreter, text: str, fields: list[str]) -> None:
    found = read(erp, text)

    assert (found.intent.id, found.values["entity"], found.values["which"]) == (
        "find_record", "salesInvoices", "103114"
    )  # fmt: skip
    assert set(fields) <= set(found.values["asked"])


def test_a_question_of_its_own_is_not_joined_to_one_that_was_not_understood(access: ErpAccess) -> None:
    """What only completes the request still does."""
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    context = DialogueContext(
        request="ventas a clientes alemanes este año", answer="¿Puedes decirlo de otra manera?", language="es"
    )
    assert amendment("clientes con saldo superior a 5000", context, erp, NOW) is None
    assert amendment("del mes pasado", context, erp, NOW) == "ventas a clientes alemanes este año ▸ del mes pasado"


def test_half_of_a_question_is_not_answered_for_the_whole(erp: Interpreter) -> None:
    """A customer has a balance and no due date: those of its invoices are meant."""
    found = read(erp, "what does Casa Lola owe us and when is it due?")
    assert found.intent.id != "find_record"
    assert "dueDate" in found.values["fields"]


@pytest.mark.parametrize(
    ("before", "text", "whole"),
    [
        ("¿cuánto nos debe Casa Lola?", "¿cuál es su teléfono?", "¿cuál es su teléfono (Casa Lola, S.L.)"),
        (
            "¿cuánto nos debe Casa Lola?",
            "¿cuándo pagó por última vez?",
            "¿cuándo pagó por última vez (Casa Lola, S.L.)",
        ),
        (
            "how much does Casa Lola owe us?",
            "what is their phone number?",
            "what is their phone number (Casa Lola, S.L.)",
        ),
        ("pedido 101055", "¿qué cliente?", "pedido 101055 ▸ ¿qué cliente?"),
        ("sales by country", "without Portugal", "sales by country ▸ without Portugal"),
        ("best customers this year", "and the worst?", "best customers this year ▸ and the worst?"),
        ("el mejor cliente del año", "¿y el peor?", "el mejor cliente del año ▸ ¿y el peor?"),
        (
            "¿qué clientes nos deben más dinero?",
            "¿y el segundo?",
            "¿qué clientes nos deben más dinero? ▸ ¿y el segundo?",
        ),
    ],
)
def test_a_follow_up_goes_on_from_what_was_named(access: ErpAccess, before: str, text: str, whole: str) -> None:
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    context = DialogueContext(request=before, answer="…", language="es")
    assert amendment(text, context, erp, NOW) == whole
    assert not read(erp, whole).unknown


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("¿qué clientes nos deben más?", "ahora las ventas por mes de este año"),
        ("which customers owe us the most?", "now sales by month this year"),
        ("los 5 clientes que más compran", "y el margen por producto"),
        ("customers that owe more than 1000 euros", "now purchases by vendor"),
        ("los 5 productos más vendidos este año", "¿y por mes?"),
    ],
)
def test_a_question_with_its_own_figure_and_split_is_in_no_order_of_the_one_before(
    erp: Interpreter, before: str, text: str
) -> None:
    found = read(erp, f"{before}{AMENDED_BY}{text}")

    assert not {"ranking", "top", "bound"} & set(found.values), found.values
    assert not found.unknown


@pytest.mark.parametrize(
    ("before", "text", "ranking"),
    [
        ("¿qué clientes nos deben más?", "¿y qué proveedores compramos menos?", "least"),
        ("ventas por cliente", "ahora los meses con más ventas", "most"),
        ("which customers owe us the most?", "and in which country?", "most"),
    ],
)
def test_a_ranking_stays_where_it_is_asked_for_again_or_the_figure_is_the_same(
    erp: Interpreter, before: str, text: str, ranking: str
) -> None:
    assert read(erp, f"{before}{AMENDED_BY}{text}").values["ranking"] == ranking


@pytest.mark.parametrize(
    ("before", "text", "whole"),
    [
        (
            "¿cuánto nos debe Casa Lola?",
            "cambia su teléfono a 600111222",
            "cambia el teléfono de Casa Lola, S.L. a 600111222",
        ),
        ("sales of Casa Lola", "change its credit limit to 900", "change the credit limit of Casa Lola, S.L. to 900"),
    ],
)
def test_a_change_of_what_is_its_is_one_of_whom_was_named(
    access: ErpAccess, before: str, text: str, whole: str
) -> None:
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    assert amendment(text, DialogueContext(request=before, answer="…"), erp, NOW) == whole


def test_a_change_of_what_is_its_is_never_one_of_several(access: ErpAccess) -> None:
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    context = DialogueContext(request="sales of Casa Lola and Hoteles Mar", answer="…")
    assert "Casa Lola, S.L." not in str(amendment("change its phone to 600111222", context, erp, NOW))


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("sales of Casa Lola this year ▸ only Portugal", {"PT", "Casa Lola, S.L."}),
        ("ventas de Casa Lola este año ▸ por mes ▸ solo Mesa Roble 90", {"Mesa Roble 90", "Casa Lola, S.L."}),
        ("ventas de Casa Lola ▸ solo Hoteles Mar", {"Hoteles Mar, S.A."}),
        ("sales of Casa Lola ▸ and of Hoteles Mar?", {"Hoteles Mar, S.A."}),
    ],
)
def test_only_narrows_what_was_limited_by_a_name_of_another_kind(erp: Interpreter, text: str, only: set[str]) -> None:
    """And takes the place of a name of its own kind."""
    assert set(read(erp, text).values["only"]) == only


_DEBTORS = (
    "Receivables by customer (as of 30 Sep 2026): Casa Lola, S.L. 96.50 €; Hoteles Mar, S.A. 7.00 €. Total: **1**."
)


_INVOICES = "Invoiced by document (2026): 103125 32,775.76 €; 103113 3.00 €. Total: **32,778.76 €**."


_CARD = "**Hoteles Mar, S.A.** · Customers · 20000"


@pytest.mark.parametrize(
    ("before", "answer", "text", "whole"),
    [
        ("which customer owes us the most?", _DEBTORS, "and their credit limit?", "Casa Lola, S.L."),
        ("cliente que más nos debe", _DEBTORS, "¿y su límite?", "Casa Lola, S.L."),
        ("largest invoice this year", _INVOICES, "is it paid?", "invoice 103125"),
        ("la factura más alta del año", _INVOICES, "¿de quién es?", "factura 103125"),
        ("blocked customers", _CARD, "how much do they owe us?", "Hoteles Mar, S.A."),
    ],
)
def test_a_short_question_is_about_the_one_that_was_shown(
    access: ErpAccess, before: str, answer: str, text: str, whole: str
) -> None:
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    found = amendment(text, DialogueContext(request=before, answer=answer), erp, NOW)
    assert found is not None
    assert found.endswith(f"({whole})")


def test_a_question_with_names_of_its_own_is_about_no_other(access: ErpAccess) -> None:
    """The article of "compara las ventas" is no pronoun for what was asked about before (A-42)."""
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    context = DialogueContext(request="¿cuánto nos debe Casa Lola?", answer="…", language="es")
    asked = "compara las ventas de Portugal y Sevilla este año"
    assert "Casa Lola" not in str(amendment(asked, context, erp, NOW))


def test_a_short_question_after_several_is_about_none_of_them(access: ErpAccess) -> None:
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    context = DialogueContext(request="which customers owe us the most?", answer=_DEBTORS)
    assert "Casa Lola" not in str(amendment("and their credit limit?", context, erp, NOW))


@pytest.mark.parametrize("text", ["¿y en 2025?", "¿desde cuándo?"])
def test_a_follow_up_that_asks_nothing_of_a_record_shows_none(access: ErpAccess, text: str) -> None:
    """Purchases of 2026 and then "and in 2025?" are purchases, and no card of the vendor."""
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    context = DialogueContext(request="compras a Maderas Sur en 2026", answer="…", language="es")
    assert not str(amendment(text, context, erp, NOW)).endswith("(Maderas Sur, S.A.)")


def test_a_question_and_its_name_are_one_sentence(access: ErpAccess) -> None:
    """After a question mark the name would be a request of its own, and the question one about everybody."""
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    context = DialogueContext(request="blocked customers", answer=_CARD)
    assert amendment("how much do they owe us?", context, erp, NOW) == "how much do owe us (Hoteles Mar, S.A.)"


def test_a_document_that_was_shown_is_meant_by_its_number(access: ErpAccess) -> None:
    erp = Interpreter([replace(erp_understanding(access), agent_id="erp_agent")])
    context = DialogueContext(
        request="what is the largest invoice?", answer="**Casa Lola, S.L.** · Sales invoices · 103125\n- Status: Open"
    )
    assert amendment("is it paid?", context, erp, NOW) == "is it paid (invoice 103125)"


def test_the_currency_of_a_figure_asks_for_no_exchange_rate(access: ErpAccess) -> None:
    team = [replace(erp_understanding(access), agent_id="erp_agent"), replace(CALCULATOR, agent_id="calculator_agent")]
    task = Task(text="how much stock do we have of each category, in euros?")

    planned = Planner(team, NOW).decision(task, DialogueContext())

    assert [step["agent_id"] for step in planned["steps"]] == ["erp_agent"]


@pytest.mark.parametrize("text", ["what do we owe them?", "top 3 vendors this year ▸ what do we owe them?"])
def test_whom_a_pronoun_stands_for_must_be_known(erp: Interpreter, text: str) -> None:
    """The three that are bought from most are not the three that are owed most."""
    assert read(erp, text).unknown
