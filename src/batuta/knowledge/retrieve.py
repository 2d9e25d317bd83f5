"""Find the passages that answer a question: search, rank, leave out what says the same twice, mark the words (P-35).

question -> terms  -> candidates of the index -> one ranking ┐
         -> vector -> nearest passages (if there are any)     ┴ rank fusion -> near-duplicates out -> highlights
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from batuta.knowledge.index import CANDIDATES, Candidate, PassageIndex, SearchScope, StoredPassage
from batuta.knowledge.query import Roots, Synonyms, Term, roots_of, terms_of, with_kin, without_unknown_verbs
from batuta.knowledge.scoring import OTHER_WORD, Score, Statistics, score, weights, with_title
from batuta.knowledge.spelling import LEAST_ALIKE, may_be_mistyped, meant_by
from batuta.knowledge.vectors.search import MeaningSearch
from batuta.knowledge.words import Language, folded, language_of, stems, tokens

LIMIT = 10
SAME_WORDS = 0.9
"""Two passages that share so much of their words are one: a copy of a file, or the same clause in two."""
FUSION_RANK = 60
TITLED = 40
"""Passages for which the title of the document is counted."""
LEAST_COVERAGE = 0.46
LEAST_STRENGTH = 0.58
"""Measured on questions whose topic the documents do not have: below them a passage shares words, not a subject."""

LEAST_STANDING = 4.0
"""In standard deviations above the other passages: from there on, one that shares no word is about the question. The
nearest of thousands of unrelated passages stands about 3.5 above them."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedPassage:
    """A passage with how well it fits."""

    passage: StoredPassage
    score: float
    relevance: float
    """0 to 1: from ½ on, it is about what was asked; less for one that fits much less than the best."""
    similarity: float | None = None
    """How near it is in meaning, as a cosine; nothing where that was not compared, or it is not among the nearest."""
    highlights: tuple[tuple[int, int], ...] = ()
    """Spans of the passage's text that hold words of the question."""


class Retriever:
    """Searches one index."""

    def __init__(
        self, index: PassageIndex, *, synonyms: Synonyms | None = None, meaning: MeaningSearch | None = None
    ) -> None:
        self._index = index
        self._synonyms = synonyms
        self._meaning = meaning

    async def search(self, question: str, scope: SearchScope, *, limit: int = LIMIT) -> list[RetrievedPassage]:
        """The passages that fit a question best, the best first."""
        return await self.search_all([question], scope, limit=limit)

    async def search_all(
        self, questions: Sequence[str], scope: SearchScope, *, limit: int = LIMIT
    ) -> list[RetrievedPassage]:
        """Search with several wordings of one question, such as its translation, and fuse what they find."""
        rankings = [each for question in dict.fromkeys(questions) for each in await self._rankings(question, scope)]
        found = _fused([ranking for ranking in rankings if ranking])
        chosen = _different(found, limit)
        best = max((each.score.value for each in chosen), default=0.0) or 1.0
        known = {each.candidate.passage_id: each.passage for each in found if each.passage is not None}
        missing = [each.candidate.passage_id for each in chosen if each.candidate.passage_id not in known]
        fetched = await self._index.passages(missing, scope) if missing else []
        stored = known | {passage.passage_id: passage for passage in fetched}
        return [
            RetrievedPassage(
                passage=passage,
                score=round(each.score.value, 4),
                relevance=each.relevance(best),
                similarity=each.similarity,
                highlights=highlights(passage.text, each.terms),
            )
            for each in chosen
            if (passage := stored.get(each.candidate.passage_id)) is not None
        ]

    async def spelt(self, question: str, scope: SearchScope) -> dict[str, str]:
        """The words of a question that no passage has, and are mistyped as far as can be told: each with what it stands
        for, a word of the passages or a small word of the language.
        """
        words = [word for word in dict.fromkeys(tokens(question)) if may_be_mistyped(word)]
        terms = [term for word in words for term in terms_of(word, self._synonyms)]
        if not terms or len(terms) != len(words):
            return {}
        counts = (await self._index.find(terms, scope, limit=1)).statistics.counts
        found: dict[str, str] = {}
        for word in (word for word, count in zip(words, counts, strict=True) if not count):
            known = await self._index.kin(Roots((folded(word)[:LEAST_ALIKE],)), scope)
            meant = meant_by(word, known)
            if meant:
                found[word] = meant
        return found

    async def _rankings(self, question: str, scope: SearchScope) -> "list[list[_Scored]]":
        """By words, and by meaning where there are vectors."""
        terms = terms_of(question, self._synonyms)
        if not terms:
            return []
        found = await self._index.find(terms, scope, limit=CANDIDATES)
        roots = roots_of(terms, found.statistics.counts)
        known = await self._index.kin(roots, scope) if roots.stems else ()
        if known:
            terms = with_kin(terms, roots, known)
            found = await self._index.find(terms, scope, limit=CANDIDATES)
        kept = without_unknown_verbs(terms, found.statistics.counts)
        if len(kept) < len(terms):
            terms, found = kept, await self._index.find(kept, scope, limit=CANDIDATES)
        near = [] if self._meaning is None else await self._meaning.near(question, scope)
        worth = weights(terms, found.statistics)
        ranked = _ranked(terms, worth, found.statistics, found.passages)
        titled = await self._titled(ranked[:TITLED], worth, found.statistics, scope, language_of(question))
        by_words = [*titled, *ranked[TITLED:]]
        by_meaning = [
            _Scored(
                each.candidate,
                score(terms, worth, found.statistics, each.candidate.stems),
                terms,
                each.similarity,
                each.standing,
            )
            for each in near
        ]
        return [by_words, by_meaning]

    async def _titled(
        self,
        ranked: "Sequence[_Scored]",
        worth: Sequence[float],
        statistics: Statistics,
        scope: SearchScope,
        language: Language,
    ) -> "list[_Scored]":
        """The first ones in their order when the titles of their documents count as well, and the words of passages in
        another language than the question as its own.
        """
        stored = {p.passage_id: p for p in await self._index.passages([e.candidate.passage_id for e in ranked], scope)}
        found: list[_Scored] = []
        for each in ranked:
            passage = stored.get(each.candidate.passage_id)
            if passage is None:
                continue
            other = OTHER_WORD if passage.language == language else 1.0
            own = score(each.terms, worth, statistics, each.candidate.stems, other_word=other)
            title = stems(tokens(passage.title), passage.language)
            titled = with_title(own, each.terms, worth, title, other_word=other)
            found.append(replace(each, score=titled, passage=passage))
        return sorted(found, key=_order)


@dataclass(frozen=True, slots=True)
class _Scored:
    candidate: Candidate
    score: Score
    terms: Sequence[Term]
    similarity: float | None = None
    standing: float = 0.0
    passage: StoredPassage | None = None

    def relevance(self, best: float) -> float:
        """By words, against the best score among the passages; or by meaning, if that tells more."""
        by_words = relevance(self.score) * math.sqrt(self.score.value / best)
        return round(max(by_words, min(1.0, self.standing / LEAST_STANDING / 2)), 3)


def relevance(score: Score) -> float:
    """One figure for "is this about the question": ½ where both signals reach what was measured."""
    covered = score.coverage / LEAST_COVERAGE
    strong = score.strength / LEAST_STRENGTH
    return round(min(1.0, math.sqrt(covered * strong) / 2), 3)


def highlights(text: str, terms: Sequence[Term]) -> tuple[tuple[int, int], ...]:
    """Where a text has the words of a question, in any of their forms."""
    wanted = frozenset(stem for term in terms for stem in term.all_stems)
    found = [(match.start(), match.end(), match.group().lower()) for match in _WORD.finditer(text)]
    beginnings = {begun for stem in wanted for begun in (stem[:2], stem[:2].replace("i", "y"))}  # lying: lie
    forms = [word for word in {word for _, _, word in found} if folded(word[:2]) in beginnings]
    plain = [form if form.isascii() else "".join(tokens(form)) for form in forms]
    english, spanish = stems(plain, "en"), stems(plain, "es")
    matching = {form for form, en, es in zip(forms, english, spanish, strict=True) if en in wanted or es in wanted}
    return tuple((start, end) for start, end, word in found if word in matching)


def _ranked(
    terms: Sequence[Term], worth: Sequence[float], statistics: Statistics, found: Sequence[Candidate]
) -> list[_Scored]:
    return sorted((_Scored(each, score(terms, worth, statistics, each.stems), terms) for each in found), key=_order)


def _order(each: _Scored) -> tuple[float, str, int]:
    return -each.score.value, each.candidate.document_id, each.candidate.number


def _fused(rankings: Sequence[list[_Scored]]) -> list[_Scored]:
    """Reciprocal rank fusion; one ranking stays as it is."""
    if len(rankings) <= 1:
        return rankings[0] if rankings else []
    best: dict[int, _Scored] = {}
    points: dict[int, float] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking):
            key = each.candidate.passage_id
            points[key] = points.get(key, 0.0) + 1 / (FUSION_RANK + rank)
            known = best.get(key)
            if known is None or known.score.coverage < each.score.coverage:
                best[key] = each if known is None or each.similarity is not None else _with_meaning(each, known)
            elif known.similarity is None:
                best[key] = _with_meaning(known, each)
    return sorted(best.values(), key=lambda each: (-points[each.candidate.passage_id], each.candidate.document_id))


def _with_meaning(one: _Scored, other: _Scored) -> _Scored:
    return replace(one, similarity=other.similarity, standing=other.standing)


def _different(found: Sequence[_Scored], limit: int) -> list[_Scored]:
    """The first ones, without those that nearly repeat a better one."""
    kept: list[tuple[_Scored, frozenset[str]]] = []
    for each in found:
        if len(kept) == limit:
            break
        words = frozenset(each.candidate.stems.body.split())
        if not any(_overlap(words, other) >= SAME_WORDS for _, other in kept):
            kept.append((each, words))
    return [each for each, _ in kept]


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 1.0
