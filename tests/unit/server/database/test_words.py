"""Words without case and accents, and where they stand in a text."""

import pytest

from batuta.server.database.words import MOST_WORDS, excerpt, fold, places, words_of


@pytest.mark.parametrize(
    ("text", "folded"),
    [("¿Cuándo?", "¿cuando?"), ("Ñandú", "nandu"), ("ﬁn", "fin"), ("ÄÖÜß", "aouß"), ("Привет", "привет"), ("", "")],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_a_query_is_only_words() -> None:
    assert words_of("¿Cuándo: 'x' & y_z*?") == ["cuando", "x", "y", "z"]
    assert len(words_of("a " * 100)) == MOST_WORDS
    assert words_of("¡…!") == []


def test_places_are_those_of_the_original_text() -> None:
    """Also where folding makes a text longer or shorter."""
    text = "ﬁﬁ Él e\u0301l tutelar"
    assert [text[begin:end] for begin, end in places(text, ["el"])] == ["Él", "e\u0301l"]


def test_an_excerpt_shows_the_first_match_with_what_is_around_it() -> None:
    text = "x" * 200 + " Médico " + "y" * 200
    part, spans = excerpt(text, ["medic"])
    assert [part[begin:end] for begin, end in spans] == ["Médic"]
    assert (part[0], part[-1], len(part) < 200) == ("…", "…", True)


def test_an_excerpt_without_a_match_is_the_beginning() -> None:
    assert excerpt("short", ["other"]) == ("short", ())
