"""Nothing leaves that no document says: quotes, places, numbers, dates, units and names (A-10)."""

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from batuta.kernel.errors import Rejected
from batuta.knowledge.cite.answers import CheckedCitation, CitableDocument, check_answer, names_in
from batuta.knowledge.cite.quotes import located
from batuta.knowledge.extract.reading import read
from tests.support.made_files import a_pdf

SAMPLES = Path(__file__).parents[3] / "src/batuta/agents/documents/samples"
POLICY = """# Travel policy

## Hotels

Hotels may cost up to 130 euros per night, and up to 190 euros in London, Paris and Zurich. Bookings for Acme Ltd are
made by 15 March 2026 with code TR-204; the yearly budget is 1,250.50 euros for three weeks.
"""
QUOTE = (
    "Hotels may cost up to 130 euros per night, and up to 190 euros in London, Paris and Zurich. Bookings for Acme Ltd "
    "are made by 15 March 2026 with code TR-204; the yearly budget is 1,250.50 euros for three weeks."
)


def a_source(data: bytes, name: str) -> CitableDocument:
    return CitableDocument(document_id=name, name=name, content=read(data, name, max_chars=1_000_000))


def checked(body: str, note: str = f'policy.md, Hotels: "{QUOTE}"') -> tuple[CheckedCitation, ...]:
    source = a_source(POLICY.encode(), "policy.md")
    return check_answer(f"{body}\n\n[^1]: {note}", lambda name: [source] if name == "policy.md" else [])


@pytest.mark.parametrize(
    "body",
    [
        "Hotels may cost up to 130 euros per night.[^1]",
        "In Paris it is 190 €.[^1]",
        "Hasta 130 euros por noche, y 190 en Zurich.[^1]",
        "The budget is 1.250,50 EUR for 3 weeks.[^1]",
        "Acme Ltd books by 2026-03-15 with TR-204.[^1]",
        "Hay que reservar antes del 15 de marzo de 2026.[^1]",
        "- Paris: 190 euros[^1]\n- elsewhere: 130 euros[^1]",
        "The limit depends on the city. In London it is 190 euros.[^1]",
        "Two documents were read. The limit is 130 euros.[^1]",
        "# Hotels\n\nUp to 130 euros.[^1]",
        "London's limit is 190 euros.[^1]",
    ],
)
def test_a_statement_of_the_document_passes_in_other_words(body: str) -> None:
    [citation] = checked(body)
    assert citation.place == "Hotels, l. 5"
    assert citation.words.split() == QUOTE.split()


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("Hotels may cost up to 131 euros per night.[^1]", "131"),
        ("In Madrid it is 190 euros.[^1]", "Madrid"),
        ("Madrid hotels cost 190 euros.[^1]", "Madrid"),
        ("Globex pays 130 euros.[^1]", "Globex"),
        ("It is 190 dollars in Paris.[^1]", "USD"),
        ("It is 130 euros per week, for three weeks or one month.[^1] It is 130 euros per month.[^1]", "month"),
        ("Bookings are made by 16 March 2026.[^1]", "16/3/2026"),
        ("Bookings are made by 15 April 2026.[^1]", "15/4/2026"),
        ("Bookings are made by 15 March 2027.[^1]", "15/3/2027"),
        ("The code is TR-205.[^1]", "TR-205"),
        ("The budget is 125,050 euros.[^1]", "125050"),
        ("The budget holds for four weeks.[^1]", "4"),
        ("It is paid on Mondays.[^1]", "weekday"),
        ("The limit is 130 euros.[^1] In Rome it is 90 euros.", "90"),
        ("The documents do not say it, but it is 300 euros.\n\nIt is 130 euros.[^1]", "300"),
    ],
)
def test_a_fact_that_no_quote_holds_is_refused(body: str, missing: str) -> None:
    with pytest.raises(Rejected, match=re.escape(missing)):
        checked(body)


@pytest.mark.parametrize(
    ("body", "note", "why"),
    [
        ("Up to 130 euros.", "x", "nothing in the answer refers"),
        ("Up to 130 euros.[^2]", f'policy.md: "{QUOTE}"', "has no line"),
        ("Up to 130 euros.[^1]", "policy.md", "does not name a file"),
        ("Up to 130 euros.[^1]", 'other.md: "Hotels may cost"', "no document"),
        ("Up to 130 euros.[^1]", 'policy.md: "Hotels must cost up to 130"', "does not say"),
        ("Up to 30 euros.[^1]", 'policy.md: "30 euros per night"', "does not say"),
        ("Up to 250 euros.[^1]", 'policy.md: "250.50 euros"', "does not say"),
        ("Up to 130 euros.[^1]\n\nAnd breakfast is free.", f'policy.md: "{QUOTE}"', "nothing is cited"),
    ],
)
def test_a_citation_that_does_not_hold_is_refused(body: str, note: str, why: str) -> None:
    with pytest.raises(Rejected, match=why):
        checked(body, note)


def test_an_answer_without_citations_says_that_nothing_is_known() -> None:
    assert check_answer("The documents do not say anything about “5G in 2030”.", lambda name: []) == ()
    with pytest.raises(Rejected, match="cites nothing"):
        check_answer("It is sunny.", lambda name: [])


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The infor-\nmation is free.", "The information is free"),
        ("The inf\u00ador\u00admation is free.", "The information is free"),
        ("A ﬁne of ﬁve euros", "A fine of five euros"),
        ("He said “no” – twice", 'He said "no" - twice'),
        ("up to\u00a0**130**\n  euros", "up to 130 euros"),
        ("a well-known supplier", "a well-known supplier"),
        ("a well-\nknown supplier", "a well-known supplier"),
    ],
)
def test_a_quote_is_found_whatever_the_layout(text: str, quote: str) -> None:
    [(start, end)] = located(f"Before. {text} after.", quote)
    assert f"Before. {text} after."[start:end] == text.rstrip(".")


@pytest.mark.parametrize("quote", ["", "a", "130 dollars", "Up to 130", "x" * 3_000])
def test_other_words_are_not_found(quote: str) -> None:
    assert located("up to 130 euros", quote) == []


def test_a_page_that_is_named_is_the_page_of_the_words() -> None:
    source = a_source(a_pdf(["Price on request."], ["The price is 40 euros."], ["The price is 40 euros."]), "a.pdf")
    body = 'It is 40 euros.[^1]\n\n[^1]: a.pdf, p. {page}: "The price is 40 euros"'
    [citation] = check_answer(body.format(page=3), lambda name: [source] if name == "a.pdf" else [])
    assert citation.place == "p. 3"
    with pytest.raises(Rejected, match="not on page 1"):
        check_answer(body.format(page=1), lambda name: [source] if name == "a.pdf" else [])


def test_a_name_with_commas_is_read_as_long_as_it_is_known() -> None:
    text = 'Yes.[^1]\n\n[^1]: Costs, 2026, final.pdf, p. 2: "yes it is"'
    assert names_in(text) == ["Costs, 2026, final.pdf, p. 2", "Costs, 2026, final.pdf", "Costs, 2026", "Costs"]


def sentences() -> list[tuple[CitableDocument, str]]:
    """Every sentence of the samples that says a fact."""
    found = []
    for path in sorted(SAMPLES.iterdir()):
        source = a_source(path.read_bytes(), path.name)
        for segment in source.content.segments:
            text = source.content.text[segment.start : segment.end]
            parts = re.split(r"(?<=[.!?])\s+(?=[A-ZÁÉÍÓÚ¿¡])", text)
            found += [(source, " ".join(part.split())) for part in parts if len(part) > 20 and segment.kind == "text"]
    return found


def an_answer(chosen: Sequence[tuple[CitableDocument, str]]) -> str:
    body = " ".join(f"{text}[^{number}]" for number, (_, text) in enumerate(chosen, 1))
    notes = "\n".join(f'[^{number}]: {source.name}: "{text}"' for number, (source, text) in enumerate(chosen, 1))
    return f"{body}\n\n{notes}"


def test_every_citation_of_a_thousand_answers_matches_its_source() -> None:
    chance = random.Random(11)
    known = sentences()
    sources = {source.name: source for source, _ in known}
    for _ in range(1_000):
        chosen = chance.sample(known, chance.randint(1, 3))
        found = check_answer(an_answer(chosen), lambda name: [sources[name]] if name in sources else [])
        for citation, (source, text) in zip(found, chosen, strict=True):
            stored = source.content.text[citation.start : citation.end]
            assert (citation.document.name, stored.split()) == (source.name, text.split())


def falsified(text: str, chance: random.Random) -> str | None:
    """The same sentence with another number, name, unit or day, as a careless writer would have it."""
    number = str(chance.randint(1_001, 9_999))
    changes = [
        re.sub(pattern, new, text, count=1)
        for pattern, new in (
            (r"\d+", number),
            (r"\beuros\b", "dollars"),
            (r"\b(days|días)\b", "years"),
            (r"(?<=[a-z] )[A-Z][a-z]{3,}", "Atlantis"),
            (r"^\w+", "Globex"),
        )
    ]
    different = [changed for changed in changes if changed != text]
    return chance.choice(different) if different else None


def test_two_hundred_falsified_answers_are_all_refused() -> None:
    chance = random.Random(5)
    known = sentences()
    sources = {source.name: source for source, _ in known}
    refused = 0
    while refused < 200:
        chosen = chance.sample(known, chance.randint(1, 3))
        answer = an_answer(chosen)
        number = chance.randrange(len(chosen))
        false = falsified(chosen[number][1], chance)
        if false is None:
            continue
        with pytest.raises(Rejected):
            check_answer(
                answer.replace(f"{chosen[number][1]}[^{number + 1}]", f"{false}[^{number + 1}]"),
                lambda name: [sources[name]] if name in sources else [],
            )
        refused += 1
