"""A reply to "which one do you mean?" chooses by name, by a word of it, by place, or all (A-42)."""

import pytest

from batuta.offline.names_meant import names_chosen

CANDIDATES = ("Bodegas Alcor, S.L.", "Tiendas Alcor, S.A.", "Hotel Alcor Sur, S.A.")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Tiendas Alcor", [1]),
        ("las tiendas", [1]),
        ("the hotel one", [2]),
        ("el primero", [0]),
        ("the third one", [2]),
        ("la segunda", [1]),
        ("todos", [0, 1, 2]),
        ("all of them", [0, 1, 2]),
        ("Alcor", []),
        ("el cuarto", []),
        ("¿y las ventas por mes?", []),
        ("gracias", []),
    ],
)
def test_a_reply_chooses_names_or_none(text: str, places: list[int]) -> None:
    assert list(names_chosen(text, CANDIDATES)) == [CANDIDATES[place] for place in places]
