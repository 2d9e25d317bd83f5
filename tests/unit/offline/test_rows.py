"""Rows of a table as sentences: what they name, and which one has the most of something (A-6, A-10)."""

import pytest

from batuta.offline.evidence import cited_answer
from batuta.offline.rows import extreme_of, is_head, names_of

ALLERGENS = (
    "Producto | Gluten | Huevo\nProducto: Hogaza | Gluten: sí | Huevo: no\n"
    "Producto: Palmera | Gluten: sí | Huevo: sí\nProducto: Magdalena | Gluten: sí | Huevo: sí"
)
BERTHS = (
    "Berth | Boat | Yearly fee\nBerth: A01 | Boat: Tern | Yearly fee: 1180\n"
    "Berth: B03 | Boat: Wanderlust | Yearly fee: 2240\nBerth: B02 | Boat: Old Salt | Yearly fee: 990"
)


def answered(question: str, text: str, file: str = "berths.csv") -> str:
    passage = {"file": file, "title": file, "section": "", "relevance": 1.0, "text": text}
    return cited_answer([(question, (), {"passages": [passage]})], "es" if "que " in question else "en")


def test_a_row_does_not_name_the_column_in_which_it_says_no() -> None:
    said = answered("que productos llevan huevo", ALLERGENS, "alergenos.csv")
    assert "Palmera" in said
    assert "Magdalena" in said
    assert "Hogaza" not in said
    assert names_of("Producto: Hogaza | Huevo: no | Leche: sí") == "Producto: Hogaza | Leche: sí"


def test_the_names_of_the_columns_are_no_answer() -> None:
    assert "Berth | Boat" not in answered("Which boat is in berth A01?", BERTHS)
    assert is_head("Berth | Boat", ["Berth: A01 | Boat: Tern"])
    assert not is_head("K21 | Too hot", ["K22 | Too cold"])


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What is the most expensive berth?", "B03"),
        ("which is the cheapest berth?", "B02"),
        ("¿Cuál es el amarre más caro?", "B03"),
    ],
)
def test_what_has_the_most_is_the_row_with_the_highest_figure(question: str, row: str) -> None:
    rows = BERTHS.split("\n")[1:]
    assert [found.split(" | ")[0] for found in extreme_of(question, rows)] == [f"Berth: {row}"]


def test_without_such_a_column_no_row_has_the_most() -> None:
    assert extreme_of("What is the heaviest boat?", BERTHS.split("\n")) == []


@pytest.mark.parametrize(
    "question", ["What is the most expensive berth?", "Cuál es el amarre más caro", "What is the cheapest boat?"]
)
def test_of_a_part_of_a_table_no_row_is_called_the_first(question: str) -> None:
    """The rows that were not found may have more."""
    passage = {"file": "b.csv", "title": "b.csv", "section": "", "relevance": 1.0, "text": BERTHS}
    whole = cited_answer([(question, (), {"passages": [passage]})], "en")
    part = cited_answer([(question, (), {"passages": [{**passage, "has_other_rows": True}]})], "en")
    assert "[^1]" in whole or "amarre" in question
    assert "[^1]" not in part


def test_the_first_is_of_the_kind_that_is_named() -> None:
    sizes = "Name: Tern | Kind: sail | Weight: 900\nName: Gull | Kind: motor | Weight: 1900\nName: Auk | Kind: sail | Weight: 700"
    said = answered("Which sail boat is the heaviest?", f"Name | Kind | Weight\n{sizes}")
    assert "Tern" in said
    assert "Gull" not in said


def test_rows_without_the_figure_that_is_asked_for_are_no_answer() -> None:
    assert "do not say anything about “4999”" in answered("Which boats cost 4999?", BERTHS)
    assert "Wanderlust" in answered("Which boat costs 2240?", BERTHS)


def test_the_name_of_a_column_is_said_by_its_row() -> None:
    invoices = "Invoice: F-4 | Amount: 95.25\nInvoice: F-5 | Amount: 12"
    said = answered("What is the amount of invoice F-4?", f"Invoice | Amount\n{invoices}")
    assert "do not say" not in said
    assert "95.25" in said


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much is the door seal?", "Replace the door seal once a year."),
        ("¿Cuánto vale la junta que lleva la puerta?", "La junta que lleva la puerta se cambia una vez al mes."),
        ("What is the budget for the Paris fair?", "First fair: Maison et Objet in Paris, January 2027"),
        ("¿Cuánto cuesta el seguro que tiene la nave?", "La renta que se paga por la nave es de 3.450 euros."),
    ],
)
def test_another_figure_is_no_amount(question: str, text: str) -> None:
    """How often, when, or for what else: nothing says what was asked."""
    said = answered(question, text, "notes.txt")
    assert "do not say" in said or "no dicen" in said


def test_an_amount_is_said_by_its_figure() -> None:
    assert "41 euros" in answered("How much is the door seal?", "The door seal costs 41 euros.", "offer.eml")
    assert "84.000" in answered("What is the budget?", "Budget: 84.000 euros", "plan.txt")
