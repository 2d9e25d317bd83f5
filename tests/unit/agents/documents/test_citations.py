"""Citations are checked against their sources (A-10)."""

import pytest

from batuta.agents.documents.citations import check_citations, citations_in
from batuta.kernel.errors import Rejected

TEXT = "# Travel\n\nIntro.\n\n## Hotels\n\nHotels may cost up to **130 euros**\nper night. Breakfast is included.\n"
FILES = {"travel.md": TEXT}

GOOD = 'Up to 130 euros.[^1]\n\n[^1]: travel.md, Hotels: "Hotels may cost up to 130 euros per night"'


def test_a_citation_that_holds_gets_its_place_from_the_source() -> None:
    [citation] = check_citations(GOOD, FILES.get)
    assert (citation.source, citation.title, citation.place) == ("travel.md", "Travel", "Hotels, l. 7")
    assert citation.start is not None
    assert TEXT[citation.start : citation.end] == "Hotels may cost up to **130 euros**\nper night"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("Up to 130 euros.", "cites nothing"),
        ("Up to 130 euros.[^1]", "has no line"),
        (
            'Fine.[^1]\n\n[^1]: travel.md: "Hotels may cost"\n[^2]: travel.md: "Breakfast is included"',
            r"refers to \[\^2\]",
        ),
        ("Fine.[^1]\n\n[^1]: travel.md, Hotels", "does not name a file and quote"),
        ('Fine.[^1]\n\n[^1]: other.md: "Hotels may cost"', "no document 'other.md'"),
        ('Fine.[^1]\n\n[^1]: travel.md: "Hotels may cost up to 150 euros"', "does not say"),
        ('Fine.[^1]\n\n[^1]: travel.md: "Hotels"', "does not say"),
        ('Fine.[^1]\n\nAnd more.\n\n[^1]: travel.md: "Hotels may cost"', "nothing is cited for: And more"),
        ("", "cites nothing"),
    ],
)
def test_a_citation_that_does_not_hold_is_rejected_with_a_hint(answer: str, problem: str) -> None:
    with pytest.raises(Rejected, match=problem) as rejected:
        check_citations(answer, FILES.get)
    assert rejected.value.hint


@pytest.mark.parametrize("answer", ["The documents do not say.", "Los documentos no dicen nada sobre eso."])
def test_not_knowing_needs_no_citation(answer: str) -> None:
    assert check_citations(answer, FILES.get) == ()


@pytest.mark.parametrize(
    "words", ["The documents do not say anything about dogs.", "Los documentos no dicen nada sobre perros."]
)
def test_a_part_that_is_not_known_may_stand_beside_one_that_is_cited(words: str) -> None:
    body, note = GOOD.split("\n\n")
    [citation] = check_citations(f"{body}\n\n{words}\n\n{note}", FILES.get)
    assert citation.source == "travel.md"


def test_a_statement_beside_what_is_not_known_needs_its_citation_all_the_same() -> None:
    body, note = GOOD.split("\n\n")
    answer = f"{body}\n\nThe documents do not say anything about dogs.\n\nCats are welcome.\n\n{note}"
    with pytest.raises(Rejected, match="nothing is cited for: Cats are welcome"):
        check_citations(answer, FILES.get)


def test_other_quotation_marks_are_understood() -> None:
    assert check_citations("Sí.[^a]\n\n[^a]: travel.md: «Breakfast is included».", FILES.get)


def test_reading_citations_never_fails() -> None:
    assert citations_in("no citations", FILES.get) == ()
    assert len(citations_in(GOOD, FILES.get)) == 1
