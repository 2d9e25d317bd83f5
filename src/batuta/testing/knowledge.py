"""The conformance suite of passage indexes. Inherit it and say how to make an empty one.

class TestMyIndex(PassageIndexConformance):
@pytest.fixture
async def index(self) -> MyIndex: ...
"""

from collections.abc import Sequence

from batuta.knowledge.document import DocumentText, Location, Segment
from batuta.knowledge.index import IndexedDocument, PassageIndex, SearchScope
from batuta.knowledge.query import terms_of
from batuta.knowledge.retrieve import RetrievedPassage, Retriever

ADA = SearchScope(owners=("ada",))
BEN = SearchScope(owners=("ben",))


def a_document(
    document_id: str, *paragraphs: str, owner: str = "ada", title: str = "Notes", headings: Sequence[str] = ()
) -> IndexedDocument:
    """A document of some paragraphs, one a page."""
    text, segments = "", []
    for number, paragraph in enumerate(paragraphs, 1):
        place = Location(kind="page", number=number)
        segment = Segment(start=len(text), end=len(text) + len(paragraph), place=place, headings=tuple(headings))
        segments.append(segment)
        text += paragraph + "\n"
    content = DocumentText(title=title, text=text, segments=tuple(segments))
    return IndexedDocument(document_id=document_id, owner=owner, name=f"{document_id}.txt", content=content)


async def found_by(index: PassageIndex, question: str, scope: SearchScope = ADA) -> list[RetrievedPassage]:
    """What a question finds."""
    return await Retriever(index).search(question, scope)


def names(found: Sequence[RetrievedPassage]) -> list[str]:
    """The documents of what was found, in order."""
    return [each.passage.document_id for each in found]


class PassageIndexConformance:
    """What every passage index promises (P-21, P-35, IS-06)."""

    async def test_a_passage_is_found_by_other_forms_of_its_words(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "Hotels may cost up to 130 euros.", "Meals are paid."))
        await index.put(a_document("b", "Los hoteles cuestan hasta 130 euros."))
        assert names(await found_by(index, "the cost of one hotel")) == ["a", "b"]
        assert names(await found_by(index, "¿cuánto cuesta un hotel?"))[0] == "b"

    async def test_a_word_that_stands_nowhere_is_found_by_its_kin(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "Driver: Joe Whitby.", "Lunch is at noon."))
        await index.put(a_document("b", "La limpieza de cristales es trimestral."))
        await index.put(a_document("c", "Each cleaner has a key.", owner="ben"))
        assert names(await found_by(index, "who drives?")) == ["a"]
        assert names(await found_by(index, "¿quién limpia?")) == ["b"]
        assert names(await found_by(index, "who cleans?")) == []

    async def test_a_passage_knows_its_place_and_text(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "First page.", "Parking is free.", headings=("Office",)))
        [found] = await found_by(index, "parking")
        assert (found.passage.place.label, found.passage.text) == ("p. 2", "Parking is free.")
        assert (found.passage.headings, found.passage.name) == (("Office",), "a.txt")
        content = await index.content("a", ADA)
        assert content is not None
        assert content.text[found.passage.start : found.passage.end] == "Parking is free."

    async def test_words_of_the_question_are_highlighted(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "Parking places are free for visitors."))
        [found] = await found_by(index, "Is a parking place free?")
        assert [found.passage.text[start:end] for start, end in found.highlights] == ["Parking", "places", "free"]

    async def test_a_title_counts_more_than_a_mention(self, index: PassageIndex) -> None:
        await index.put(a_document("mention", "Returns are described elsewhere; this text is on invoices and so on."))
        await index.put(a_document("subject", "Goods come back within a month.", title="Returns"))
        assert names(await found_by(index, "returns"))[0] == "subject"

    async def test_the_title_of_a_document_counts_beside_its_headings(self, index: PassageIndex) -> None:
        many = ("Orders and their delivery", "Invoices and payments", "Prices and discounts")
        await index.put(a_document("heading", "Every return is noted.", title="Manual", headings=("Returns of goods",)))
        await index.put(a_document("title", "They come back in a box.", title="Returns of goods", headings=many))
        assert names(await found_by(index, "returns of goods"))[0] == "title"

    async def test_nothing_of_another_owner_is_found_read_or_counted(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "The falcon project begins in May."))
        before = await index.find(terms_of("falcon project"), ADA)
        await index.put(a_document("b", "The falcon project ends. Falcon, falcon.", owner="ben"))
        after = await index.find(terms_of("falcon project"), ADA)
        assert before.statistics == after.statistics
        assert names(await found_by(index, "falcon")) == ["a"]
        assert await index.content("b", ADA) is None
        foreign = await index.find(terms_of("falcon"), BEN)
        assert await index.passages([each.passage_id for each in foreign.passages], ADA) == []
        assert [entry.document_id for entry in await index.entries(ADA)] == ["a"]

    async def test_an_owner_of_one_percent_finds_all_that_it_has(self, index: PassageIndex) -> None:
        for number in range(99):
            await index.put(a_document(f"x{number}", f"Report {number} about turnover.", owner="ben"))
        await index.put(a_document("mine", "Report about turnover."))
        assert names(await found_by(index, "turnover report")) == ["mine"]

    async def test_a_search_names_an_owner(self, index: PassageIndex) -> None:
        for owners in ((), ("",)):
            try:
                SearchScope(owners=owners)
            except ValueError:
                continue
            raise AssertionError("a scope without an owner was accepted")

    async def test_two_owners_are_searched_together(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "Hotels for Ada."))
        await index.put(a_document("b", "Hotels for everybody.", owner="shared"))
        both = SearchScope(owners=("ada", "shared"))
        assert set(names(await found_by(index, "hotels", both))) == {"a", "b"}

    async def test_chosen_documents_are_searched_alone(self, index: PassageIndex) -> None:
        for name in "abc":
            await index.put(a_document(name, f"Hotels {name * 3}."))
        chosen = SearchScope(owners=("ada",), documents=frozenset({"b"}))
        assert names(await found_by(index, "hotels", chosen)) == ["b"]
        assert await index.content("a", chosen) is None
        none = SearchScope(owners=("ada",), documents=frozenset())
        assert await found_by(index, "hotels", none) == []

    async def test_a_new_version_replaces_the_old_one(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "Hotels cost 130."))
        await index.put(a_document("a", "Hotels cost 150."))
        assert [each.passage.text for each in await found_by(index, "hotels")] == ["Hotels cost 150."]
        assert (await index.find(terms_of("hotels"), ADA)).statistics.counts == (1,)

    async def test_an_id_of_another_owner_is_not_taken(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "Hotels."))
        try:
            await index.put(a_document("a", "Stolen.", owner="ben"))
        except ValueError:
            assert names(await found_by(index, "hotels")) == ["a"]
        else:
            raise AssertionError("another owner's document was replaced")

    async def test_what_is_removed_is_found_nowhere(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "Hotels cost 130."))
        await index.put(a_document("b", "Hotels and meals.", owner="ben"))
        assert await index.remove(SearchScope(owners=("ben",), documents=frozenset({"a"}))) == 0
        assert await index.remove(ADA) == 1
        assert await found_by(index, "hotels") == []
        assert (await index.find(terms_of("hotels"), ADA)).statistics.passages == 0
        assert names(await found_by(index, "hotels", BEN)) == ["b"]

    async def test_a_search_for_no_words_says_how_many_passages_there_are(self, index: PassageIndex) -> None:
        assert (await index.find((), ADA)).statistics.passages == 0
        await index.put(a_document("a", "Hotels cost 130."))
        found = await index.find((), ADA)
        assert (found.statistics.passages, found.passages) == (1, ())
        assert (await index.find((), BEN)).statistics.passages == 0

    async def test_any_question_can_be_searched(self, index: PassageIndex) -> None:
        await index.put(a_document("a", "Hotels cost 130."))
        for question in (
            "",
            "???",
            "the of and",
            'x" OR NEAR(',
            "a* OR b)",
            "'; DROP TABLE",
            "\x00\ud800",
            "ñ" * 9_000,
        ):
            await found_by(index, question)
        assert names(await found_by(index, 'hotel\'s "price" AND (130)')) == ["a"]

    async def test_the_same_clause_in_two_documents_is_told_once(self, index: PassageIndex) -> None:
        clause = "The supplier pays a penalty of two percent for each week of delay in delivery of the goods."
        await index.put(a_document("a", clause))
        await index.put(a_document("b", clause))
        assert len(await found_by(index, "penalty for delay")) == 1
