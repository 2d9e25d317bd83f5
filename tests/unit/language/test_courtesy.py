"""A request is the same with and without its courtesies, hesitations and slips of the tongue."""

from datetime import UTC, datetime

import pytest

from batuta.language.colloquial import without_courtesy
from batuta.language.dialogue import corrected, corrected_within, is_no, with_other_name, with_other_number

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Could you please tell me how much 12 + 3 is?", "how much 12 + 3 is?"),
        ("¿Serías tan amable de decirme cuándo es mi cita?", "cuándo es mi cita?"),
        ("I would be grateful if you could arrange a call with Eva", "arrange a call with Eva"),
        ("When you have a moment, please book an hour with Eva", "book an hour with Eva"),
        ("Me gustaría saber qué clientes compran más", "qué clientes compran más"),
        ("Tenga la bondad de concertar una reunión con Eva", "concertar una reunión con Eva"),
        ("Be so kind as to book a call with Eva", "book a call with Eva"),
        ("taxi at 11 pm, ok?", "taxi at 11 pm?"),
        ("uh cancel the dentist would you", "cancel the dentist"),
        ("Good morning! Would you be so kind as to book a call with Eva? Thanks a lot", "book a call with Eva"),
        ("Buenos días, ¿serías tan amable de ponerme una cita? Mil gracias", "ponerme una cita"),
        ("gracias, y ahora anula el dentista", "anula el dentista"),
        ("que no se te olvide anular la cita", "anular la cita"),
        ("hiya, any chance you could squeeze Eva in?", "squeeze Eva in?"),
    ],
)
def test_courtesies_are_left_out(text: str, plain: str) -> None:
    assert without_courtesy(text) == plain


@pytest.mark.parametrize("text", ["please", "por favor", "could you cancel it?", "I would like to arrange a meeting"])
def test_what_says_something_is_kept(text: str) -> None:
    assert without_courtesy(text) == text


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("not Friday, Monday", "Monday"),
        ("a las 9 no, a las 10", "a las 10"),
        ("no el martes", "el martes"),
        ("no, no la borres", None),
        ("no, espera, no lo muevas", None),
    ],
)
def test_a_correction_says_what_is_meant_instead(text: str, instead: str | None) -> None:
    assert corrected(text) == instead


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("meeting with Jorge tomorrow no wait Wednesday at ten", "meeting with Jorge Wednesday at ten"),
        ("reunión con Jorge mañana, no, espera, el miércoles a las diez", "reunión con Jorge el miércoles a las diez"),
        ("call Bob at 5, sorry, at 6", "call Bob at 6"),
        ("dentista el lunes a las 9... no perdona, el jueves", "dentista a las 9 el jueves"),
        ("demo on Monday at 9, actually Friday", "demo at 9 Friday"),
        ("I mean the meeting tomorrow", "I mean the meeting tomorrow"),
    ],
)
def test_what_a_sentence_takes_back_is_left_out(text: str, meant: str) -> None:
    assert corrected_within(text, NOW) == meant


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("and of 2,000?", "15% of 2,000"),
        ("¿y el 20%?", "20% of 1,200"),
        ("and minus 20%?", None),
        ("and tomorrow?", None),
    ],
)
def test_another_number_takes_the_place_of_the_last_one(text: str, whole: str | None) -> None:
    assert with_other_number("15% of 1,200", text) == whole


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("not Hugo, Nora", "lunch with Nora on Friday"),
        ("Hugo no, Nora", "lunch with Nora on Friday"),
        ("not Pedro, Nora", None),
        ("not Hugo", None),
    ],
)
def test_another_name_takes_the_place_of_the_one_that_is_denied(text: str, whole: str | None) -> None:
    assert with_other_name("lunch with Hugo on Friday", text) == whole


@pytest.mark.parametrize("text", ["no, leave it", "no, déjalo", "espera, olvídalo", "no no"])
def test_no_may_be_said_twice(text: str) -> None:
    assert is_no(text)
