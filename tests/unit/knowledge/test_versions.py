"""Which of several documents with dates in their names a question means (A-10, A-13)."""

import pytest

from batuta.knowledge.versions import dates_in, meant_versions, month_names, tells_version

LISTS = ("Fees 2024.xlsx", "fees_2025.csv", "Opening hours.md")
MINUTES = ("minutes 2026-03-03.docx", "minutes 2026-03-17.docx", "minutes 2026-04-07.docx")


@pytest.mark.parametrize(
    ("question", "names", "meant"),
    [
        ("What was the fee in 2024?", LISTS, ("Fees 2024.xlsx", "Opening hours.md")),
        ("What is the fee?", LISTS, LISTS),
        ("What was the fee in 1999?", LISTS, LISTS),
        ("How did fees change from 2024 to 2025?", LISTS, LISTS),
        ("¿Qué se decidió en el acta de abril?", MINUTES, MINUTES[2:]),
        ("What was decided in the minutes of 17 March?", MINUTES, MINUTES[1:2]),
        ("Is it 2024 euros?", ("Fees 2024.xlsx",), ("Fees 2024.xlsx",)),
    ],
)
def test_a_date_in_a_question_chooses_among_versions(
    question: str, names: tuple[str, ...], meant: tuple[str, ...]
) -> None:
    assert tuple(meant_versions(question, names)) == meant


@pytest.mark.parametrize(
    ("name", "months"),
    [
        ("report 2026-05-09.pdf", "mayo may"),
        ("informe 09.10.2025.pdf", "october octubre"),
        ("plan 2026.md", ""),
        ("order 20261.csv", ""),
    ],
)
def test_the_month_of_a_name_has_words(name: str, months: str) -> None:
    assert month_names(name) == months


def test_an_amount_is_no_year() -> None:
    assert dates_in("it costs 2.025 euros, or 2026 €").years == frozenset()


def test_an_answer_tells_its_version_by_the_date() -> None:
    assert tells_version("From the fees of 2024: 12 euros.", "Fees 2024.xlsx", "fees_2025.csv")
    assert not tells_version("The fee is 12 euros.", "Fees 2024.xlsx", "fees_2025.csv")
    assert not tells_version("From the fees of 2024: 12 euros.", "Fees 2024.xlsx", "Rules 2025.md")
