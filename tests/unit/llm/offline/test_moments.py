"""How far from now a text says something is."""

import pytest

from batuta.llm.offline.moments import minutes_from_now
from batuta.llm.offline.words import folded


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("What time is it in two hours?", 120),
        ("¿Qué hora será dentro de dos horas?", 120),
        ("in 90 minutes", 90),
        ("en 1,5 horas", 90),
        ("in an hour", 60),
        ("in half an hour", 30),
        ("dentro de media hora", 30),
        ("in an hour and a half", 90),
        ("dentro de una hora y media", 90),
        ("dentro de hora y media", 90),
        ("in 2 hours and 15 minutes", 135),
        ("dentro de dos horas y diez minutos", 130),
        ("three days from now", 3 * 24 * 60),
        ("una semana más tarde", 7 * 24 * 60),
        ("three hours ago", -180),
        ("hace media hora", -30),
    ],
)
def test_it_is_understood_in_both_languages(text: str, minutes: int) -> None:
    assert minutes_from_now(folded(text)) == minutes


@pytest.mark.parametrize(
    "text",
    [
        "What time is it in Tokyo?",
        "a meeting of two hours",
        "in the morning",
        "hace frío",
        "",
        "in " + "9" * 400 + " hours",
    ],
)
def test_what_says_nothing_of_the_kind_is_now(text: str) -> None:
    assert minutes_from_now(folded(text)) is None
