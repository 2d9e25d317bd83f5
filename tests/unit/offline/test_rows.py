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
