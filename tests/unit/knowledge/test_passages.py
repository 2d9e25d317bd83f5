"""Words, passages and their scores: the pure half of search (P-35, A-12)."""

import pytest

from batuta.knowledge.chunk import TARGET_CHARS, chunks_of
from batuta.knowledge.extract.reading import read
from batuta.knowledge.index import choosing_terms
from batuta.knowledge.query import terms_of
from batuta.knowledge.scoring import Statistics, Stems, joined, score, weights
from batuta.knowledge.synonyms import others_for
from batuta.knowledge.words import folded, language_of, stems, tokens


@pytest.mark.parametrize(
    ("text", "language"),
    [("The price of the hotel", "en"), ("El precio del hotel", "es"), ("años", "es"), ("hotel 130", "en")],
)
def test_a_language_is_told_by_its_small_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_forms_of_a_word_share_a_stem() -> None:
    assert len(set(stems(tokens("vacación vacaciones"), "es"))) == 1
    assert len(set(stems(tokens("policy policies"), "en"))) == 1


def test_a_number_is_one_word_whatever_divides_it() -> None:
    assert tokens("1.250,50 or 1,250.50 € in 2026") == ["125050", "or", "125050", "in", "2026"]


def test_words_without_accents_find_those_with_them() -> None:
    [term] = terms_of("politica")
    assert set(stems(["política"], "es")) <= term.stems


def test_repeated_words_of_a_question_are_counted_and_small_ones_left_out() -> None:
    counts = {min(term.stems): term.count for term in terms_of("What is the hotel limit for a hotel in Paris?")}
    assert counts["hotel"] == 2
    assert len(counts) == 3


@pytest.mark.parametrize(
    ("word", "other"),
    [("mensuales", "monthly"), ("garantias", "warranty"), ("batteries", "baterías"), ("abrirá", "opens")],
)
def test_any_form_of_a_word_is_known_by_its_others(word: str, other: str) -> None:
    assert other in others_for(folded(word))


def test_other_words_reach_the_roots_of_accented_ones() -> None:
    [term] = terms_of("warranty", others_for)
    assert set(stems(["garantía"], "es")) <= term.others


def test_words_of_another_language_count_as_those_of_the_question() -> None:
    terms = terms_of("warranty", others_for)
    statistics = Statistics(passages=100, mean_body=2, mean_heading=1, counts=(10,))
    garantia = Stems(body=joined(stems(["garantía"], "es")), heading="")
    own = score(terms, [1.0], statistics, garantia, other_word=1.0)
    assert own.coverage == 1.0
    assert score(terms, [1.0], statistics, garantia).coverage < 1.0


def test_a_question_of_small_words_is_searched_by_them() -> None:
    assert terms_of("who is who") != ()


def test_a_passage_stays_in_its_section_and_below_its_length() -> None:
    text = "# A\n\n" + "Sentence about one thing. " * 120 + "\n\n## B\n\nShort.\n"
    document = read(text.encode(), "a.md", max_chars=100_000)
    chunks = chunks_of(document)
    assert [chunk.headings for chunk in chunks][-1] == ("B",)
    assert all(chunk.end - chunk.start <= TARGET_CHARS for chunk in chunks)
    assert all(document.text[chunk.start : chunk.end].rstrip().endswith(".") for chunk in chunks)
    joined_up = "".join(document.text[chunk.start : chunk.end] for chunk in chunks[:-1])
    assert joined_up.split() == ("Sentence about one thing. " * 120).split()


def test_text_without_any_space_is_cut_all_the_same() -> None:
    document = read(b"x" * 10_000, "a.txt", max_chars=100_000)
    assert sum(chunk.end - chunk.start for chunk in chunks_of(document)) == 10_000


def test_what_stands_nowhere_weighs_most() -> None:
    terms = terms_of("hotel zeppelin")
    statistics = Statistics(passages=100, mean_body=10, mean_heading=2, counts=(40, 0))
    hotel, zeppelin = weights(terms, statistics)
    assert zeppelin > hotel > 0


def test_coverage_is_the_share_of_the_question_that_is_known() -> None:
    terms = terms_of("hotel zeppelin")
    statistics = Statistics(passages=100, mean_body=2, mean_heading=1, counts=(10, 10))
    found = score(terms, [1.0, 1.0], statistics, Stems(body=joined(["hotel", "hotel"]), heading=""))
    assert found.coverage == 0.5
    nothing = score(terms, [1.0, 1.0], statistics, Stems(body=joined(["meal"]), heading=""))
    assert (nothing.value, nothing.coverage) == (0.0, 0.0)


def test_the_rarest_terms_choose() -> None:
    terms = terms_of("alpha beta gamma delta")
    statistics = Statistics(passages=9_000, mean_body=1, mean_heading=1, counts=(8_000, 10, 0, 1_500))
    assert choosing_terms(terms, statistics) == [terms[1], terms[3]]
    alone = Statistics(passages=9_000, mean_body=1, mean_heading=1, counts=(8_000, 0, 0, 0))
    assert choosing_terms(terms, alone) == [terms[0]]
