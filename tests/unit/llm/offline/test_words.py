"""A text as features: language, concepts, signals (A-40)."""

import pytest

from batuta.llm.offline.words import Vocabulary, features, is_question, language_of, questions_in, stem, tells_language
from batuta.llm.offline.zones import zones_in


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What time is it?", "en"),
        ("¿Qué hora es?", "es"),
        ("cita mañana 10am con Dr. Pérez", "es"),
        ("move my meeting with Ana to Friday 3pm", "en"),
        ("100 dividido entre 8", "es"),
        ("hola", "es"),
        ("12345", "en"),
    ],
)
def test_the_language_is_told_from_small_words(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "is_told"), [("agenda", False), ("/agenda", False), ("mi agenda", True), ("my agenda", True)]
)
def test_a_word_of_both_languages_tells_none(text: str, is_told: bool) -> None:
    assert tells_language(text) is is_told


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What is 10 plus 5, and 3 times 4?", ["What is 10 plus 5", "What is 3 times 4?"]),
        ("¿Cuánto es 1.200 más 5 y 1.500 x 2?", ["¿Cuánto es 1.200 más 5", "¿Cuánto es 1.500 x 2?"]),
        ("15% of 1,200 and 10% of 300", ["15% of 1,200", "10% of 300"]),
    ],
)
def test_sums_that_an_and_divides_are_asked_one_by_one(text: str, parts: list[str]) -> None:
    assert questions_in(text, 4) == parts


@pytest.mark.parametrize(
    "text",
    [
        "What is the sum of 2 + 3 and 4 * 5?",
        "What is the average of 2, 3 and 4?",
        "calculate 2 and 3 plus 4",
        "¿Cuánto es 5 menos 3 y media?",
        "1 + 1 and 2 + 2 and 3 + 3 and 4 + 4 and 5 + 5",
    ],
)
def test_an_and_inside_of_a_sum_divides_nothing(text: str) -> None:
    assert questions_in(text, 4) == [text]


def test_both_languages_name_the_same_concepts() -> None:
    assert "@appointment" in features("my meetings") & features("mis citas")
    assert "@move" in features("reschedule it") & features("reprograma eso")


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("15% of 80", "#expression"),
        ("see you tomorrow", "#day"),
        ("el 15 de marzo", "#day"),
        ("a las 10", "#time"),
        ("3pm", "#time"),
        ("in two hours", "#time"),
        ("dentro de 20 minutos", "#time"),
        ("in Tokyo", "#zone"),
        ("¿por qué no?", "#question"),
    ],
)
def test_signals_say_what_a_text_holds(text: str, signal: str) -> None:
    assert signal in features(text)


def test_questions_are_known_by_mark_or_first_word() -> None:
    assert is_question("how much is it")
    assert is_question("really?")
    assert not is_question("book a table")


def test_forms_of_a_word_share_a_stem() -> None:
    assert stem("reimbursement") == stem("reimbursed")
    assert stem("days") == stem("day")


def test_places_are_found_under_the_names_people_use() -> None:
    assert zones_in("tokio y nueva york") == ["Asia/Tokyo", "America/New_York"]
    assert zones_in("europe/madrid") == ["Europe/Madrid"]
    assert zones_in("a nomenclature of general terms") == []


def test_a_candidate_is_scored_by_the_share_of_the_request_it_knows() -> None:
    vocabulary = Vocabulary({"sums": ["15% of 80", "calculate"], "diary": ["meeting tomorrow"]})
    scores = vocabulary.scores("calculate 3 + 4")
    assert scores["sums"] > 0.9
    assert scores["diary"] == 0
