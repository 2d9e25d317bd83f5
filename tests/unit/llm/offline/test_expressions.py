"""Arithmetic in words becomes an expression (A-40)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.llm.offline.expressions import expression_in
from batuta.llm.offline.words import language_of
from batuta.tools.builtin.calculator import calculated


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What is 15% of 1,200?", "180"),
        ("¿Cuánto es el 15% de 1.200?", "180"),
        ("raíz cuadrada de 16 más 3", "7"),
        ("(3+4)*2", "14"),
        ("the sum of 3, 4 and 5", "12"),
        ("suma 3, 4 y 5", "12"),
        ("what is 12 times 7", "84"),
        ("¿cuánto es 12 por 7?", "84"),
        ("promedio de 3, 4 y 8", "5"),
        ("100 dividido entre 8", "12.5"),
        ("increase 200 by 15%", "230"),
        ("calculate 2^10", "1024"),
        ("¿cuánto es 3,5 más 2?", "5.5"),
        ("two plus three", "5"),
        ("how much is 49.90 € times 12", "598.8"),
        ("subtract 5 from 12", "7"),
        ("7 al cuadrado", "49"),
        ("100 + 21%", "121"),
        ("100 menos un 15%", "85"),
        ("100 plus 21% of 50", "110.5"),
        ("100 + 21 % 5", "101"),
        ("20% discount on 50", "40"),
        ("20% de descuento sobre 50", "40"),
        ("80 with a 25% discount", "60"),
        ("what percentage of 120 is 30", "25"),
        ("30 is what percent of 120", "25"),
        ("add 5 to 12", "17"),
        ("21% de IVA sobre 200", "42"),
    ],
)
def test_an_expression_in_words_has_the_value_it_means(text: str, value: str) -> None:
    expression = expression_in(text, language_of(text))
    assert expression is not None
    assert calculated(expression) == value


@pytest.mark.parametrize(
    "text",
    ["cita mañana 10am con Dr. Pérez", "2026-11-15", "15/11/2026", "at 10:30", "hello", "room 12", "", "a-b", "+ - *"],
)
def test_what_is_no_arithmetic_is_not_taken_for_it(text: str) -> None:
    assert expression_in(text, language_of(text)) is None


@given(st.text(alphabet="0123456789+-*/%().,^ abcporentremás€", max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for language in ("en", "es"):
        found = expression_in(text, language)
        assert found is None or found.strip()
