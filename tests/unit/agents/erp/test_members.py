"""How many customers, vendors or items there are of whom something is said (A-5)."""

from typing import Any

import pytest

from batuta.agents.erp.known_names import category_words
from batuta.language.interpretation import Interpreter
from tests.support.erp_questions import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how many clients bought something in May?", {"measure": "sales", "split_by": ["customer"]}),
        ("¿a cuántos clientes diferentes vendimos en julio?", {"measure": "sales", "split_by": ["customer"]}),
        ("number of suppliers we bought from last year", {"measure": "purchases", "split_by": ["vendor"]}),
        ("¿cuántos productos distintos vendimos en mayo?", {"measure": "sales", "split_by": ["item"]}),
        ("how many clients are overdue?", {"measure": "overdue_receivables", "split_by": ["customer"]}),
        ("how many Portuguese customers bought in May?", {"measure": "sales", "only": ["PT"]}),
    ],
)
def test_those_of_whom_there_is_something_are_counted(erp: Interpreter, text: str, expected: dict[str, Any]) -> None:
    meant = read(erp, text)
    assert (meant.intent.id, meant.unknown, meant.values["ranking"]) == ("measure", (), "present")
    assert {name: meant.values[name] for name in expected} == expected


@pytest.mark.parametrize(
    "text", ["how many customers bought more than 5000 in May?", "¿cuántos clientes compraron en mayo por país?"]
)
def test_those_who_are_counted_by_more_than_that_are_not_guessed(erp: Interpreter, text: str) -> None:
    meant = read(erp, text)
    assert meant.intent.id != "measure" or meant.unknown or meant.missing, meant.values


def test_how_many_customers_did_not_buy_are_those_without_sales(erp: Interpreter) -> None:
    meant = read(erp, "how many customers have not bought anything this year?")
    assert (meant.values["measure"], meant.values["ranking"], meant.unknown) == ("sales", "absent", ())


def test_a_category_is_known_by_its_word_in_the_other_language() -> None:
    assert "plants" in category_words(["PLANTAS"])
    assert "sillas" in category_words(["CHAIRS", "Chairs"])
    assert category_words(["X-17"]) == ()


@pytest.mark.parametrize("text", ["sales of tables in May", "how many tables did we buy this year?"])
def test_a_category_limits_a_figure_by_that_word(erp: Interpreter, text: str) -> None:
    meant = read(erp, text)
    assert (meant.values["only"], meant.unknown) == (["MESAS"], ())


def test_a_name_that_holds_such_a_word_is_meant_alone(erp: Interpreter) -> None:
    assert read(erp, "units sold of the Mesa Roble 90").values["only"] == ["Mesa Roble 90"]


def test_a_table_of_figures_is_no_category(erp: Interpreter) -> None:
    assert "only" not in read(erp, "sales by customer as a table").values
