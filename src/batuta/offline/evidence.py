"""An answer from passages: the sentences that say what was asked, each with a footnote that quotes it.

Meals are paid up to 40 euros a day.[^1]

[^1]: expense-policy.md, Meals: "Meals are paid up to 40 euros a day."
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from batuta.knowledge.cite.facts import facts_in
from batuta.knowledge.disagree import lines_apart
from batuta.knowledge.versions import dates_in, meant_versions
from batuta.language.detection import detect_language
from batuta.language.findings import Language
from batuta.language.folding import fold, words_of
from batuta.language.rewording import divided_follow_up, is_elliptical
from batuta.offline.asked_kinds import FIGURE, MONEY, SOUGHT, STRICT
from batuta.offline.phrases import phrase
from batuta.offline.rows import MAX_ROWS, asks_extreme, extreme_of, is_head, is_row, names_of, without_extreme
from batuta.offline.topics import (
    PEOPLE,
    Topic,
    all_words,
    asked_topics,
    content_words,
    has_topic,
    is_light,
    named_by,
    tells_nothing,
)
from batuta.offline.unsaid import NAMES, Quote, counted_things, unsaid_in

LEAST_RELEVANCE = 0.44
"""A passage below it shares words with the question, but not what the question is about."""
MAX_SENTENCES = 3
MAX_NEAREST = 3
"""Quotes beside what is not said."""
MAX_CASES = 4
KIND_WEIGHT = 2.0
"""What the kind of thing counts that is asked for, the oil of "which oil does the engine take?", and what a name does."""
CLOSE = 0.85
"""How near to the best sentence others must come to be quoted as well."""
SECTION_WEIGHT = 0.4
GOING_ON_SHARE = 0.4
"""What a word of the question before counts, against the words of the question that goes on from it."""
COMMON_LOSS = 0.6
"""What a word loses that many of the sentences have."""
COMMON_SCALE = 3.0
LACKING_FACTOR = 0.7
"""What is left of a sentence that has nothing of the kind that is asked for."""
RARE_SHARE = 0.25
"""Of the sentences, at the most, that have a topic which the best sentence leaves out, for another to be quoted for it."""
TITLE_WORDS = 8
LABEL_WORDS = 2
"""Of a sentence that only announces the next one, such as "4. Penalty." in a contract."""
SOUGHT_BONUS = 0.5
"""For a sentence that has the kind of thing that is asked for: an amount, a time, a deadline, a person."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÁÉÍÓÚÑ¿¡0-9])")
_BLOCK_END = re.compile(r"\n\s*\n|\n(?=[-*+]\s|\d+[.)]\s|\||[^\n]+ \| )")
"""Paragraphs, items of lists, and rows of tables."""
_KIND = re.compile(r"\b(?:which|what|que) (\w{3,})")
_KINDS = re.compile(r"\b(?:which|what|que|cuales son l[oa]s|what are the|which are the) (\w{3,}s)\b")
"""Several things that are asked for."""
_MARKUP = re.compile(r"^(?:[-*+]|\d+[.)])\s+|[*_`]+")
_OPENING = re.compile(r"(?!\S*@)(?:[^\W\d][\w/-]*:? ?|\d+[^\W\d]\w*:? ?|[–—-] ?|\d+-[\d-]+ ?){2,8}(?<![:;])")
"""The title of a page, "Oven H-600: setting up": words and codes, and no figure among them."""
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\b\d+(?:[.,]\d+)*\b")
_IDENTIFIER = re.compile(
    r"\b(?:orders?|pedidos?|invoices?|facturas?|quotes?|ofertas?|tickets?|incidents?|incidencias?|contracts?|contratos?|cases?|expedientes?|"
    r"shipments?|envios?|deliver(?:y|ies)|albaran(?:es)?)\s+(?:(?:number|numero|nr|no|num)\b\.?\s*|[#º])?(\d{3,})\b(?!\s*(?:eur|€|\$|%))"
)
"""The number that one of many things of a kind goes by."""
_FOOTNOTE = re.compile(r"^\[\^\d+\]: ", re.MULTILINE)
_SAYS_ABOUT = re.compile(
    r"\b(?:sa(?:y|ys|id)|mentions?|states?|dicen?|mencionan?|pone)\b.*?\b(?:about|on|sobre|acerca de)\b(.+)$"
)
_WHOLE = (("summary_of", "main_points"), ("listed_from", "listed_items"))
"""Results about a whole document, and the phrase that announces them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    passage: Mapping[str, Any]
    text: str
    words: frozenset[str]
    """Its own, and those of a label before it."""
    heading: frozenset[str] = frozenset()
    """Words of a line above its paragraph that the document does not mark as a heading."""


def is_evidence(value: Any) -> bool:
    """Whether a result is a list of passages."""
    return isinstance(value, Mapping) and isinstance(value.get("passages"), list)


def is_cited(answer: str) -> bool:
    """Whether an answer quotes documents."""
    return _FOOTNOTE.search(answer) is not None


def cited_answer(searches: Sequence[tuple[str, Sequence[str], Mapping[str, Any]]], language: Language) -> str:
    """For each question, its plainer wordings and what was found for it: the best sentences with footnotes, or that
    nothing says it. Where two documents disagree about what is quoted, both are quoted.
    """
    answers = [
        found
        for question, wordings, value in map(_as_read, searches)
        for found in _whole_answers(question, value, language)
        or _compared(question, wordings, value, language)
        or (_answered(question, wordings, value, language),)
    ]
    unread = _unread([value for _, _, value in searches], language)
    sources = dict.fromkeys((quote.where, quote.text) for each in answers for quote in each.quotes)
    if not sources:
        return "\n\n".join(unread) or phrase("not_in_documents", language)
    numbers = {source: number for number, source in enumerate(sources, 1)}
    paragraphs = [
        _paragraph(each, numbers, language)
        or phrase("not_in_documents_about", language, question=each.question.strip(" ¿?.,;"))
        for each in answers
    ]
    notes = [f'[^{number}]: {where}: "{text}"' for (where, text), number in numbers.items()]
    return "\n\n".join([*dict.fromkeys(paragraphs), *unread, "\n".join(notes)])


def _as_read(
    search: tuple[str, Sequence[str], Mapping[str, Any]],
) -> tuple[str, Sequence[str], Mapping[str, Any]]:
    """A search with the words that the documents have for those of the question that were mistyped."""
    question, wordings, value = search
    read = value.get("read_as")
    if not isinstance(read, Mapping):
        return search
    slips = {str(typed): str(meant) for typed, meant in read.items()}

    def mended(text: str) -> str:
        return _WORD.sub(lambda word: slips.get(word.group().lower(), word.group()), text)

    return mended(question), [mended(each) for each in wordings], value


@dataclass(frozen=True, slots=True, kw_only=True)
class _FoundAnswer:
    question: str
    quotes: Sequence[Quote]
    opening: str = ""
    """What announces a list; without it the quotes are one paragraph."""
    source: str = ""
    """The document to name before that paragraph."""


def _whole_answers(question: str, value: Mapping[str, Any], language: Language) -> list[_FoundAnswer]:
    """What a whole document says or lists, and what other documents say otherwise."""
    found = next(((name, str(value[key])) for key, name in _WHOLE if value.get(key)), None)
    if found is None:
        return []
    announced, title = found
    points = [_quote(passage, str(passage.get("text", "")), 1.0) for passage in _passages(value)]
    opening = phrase(announced, language, title=title[:120])
    answers = [_FoundAnswer(question=question, quotes=points, opening=opening)]
    disagreeing = _disagreeing(value, points)
    if disagreeing:
        opening = phrase("documents_disagree", language)
        answers.append(_FoundAnswer(question=question, quotes=disagreeing, opening=opening))
    return answers


def _compared(
    question: str, wordings: Sequence[str], value: Mapping[str, Any], language: Language
) -> list[_FoundAnswer]:
    """What each of the documents says that a question compares, each after its name."""
    files = [str(file) for file in value.get("compared", ())]
    said = [
        (
            file,
            _answered(
                question,
                wordings,
                {**value, "passages": [p for p in _passages(value) if p.get("file") == file]},
                language,
            ),
        )
        for file in files
    ]
    return (
        [replace(found, source=file) for file, found in said if found.quotes] if any(f.quotes for _, f in said) else []
    )


def _answered(question: str, wordings: Sequence[str], value: Mapping[str, Any], language: Language) -> _FoundAnswer:
    asked_whole, (question, going_on) = question, divided_follow_up(question)
    about = _SAYS_ABOUT.search(fold(question))
    plainly = about.group(1) if about else wordings[-1] if wordings else going_on
    plain = asked_topics(without_extreme(plainly))
    own = [] if about else [named_by(word) for word in words_of(without_extreme(question)) if not tells_nothing(word)]
    before = asked_topics(going_on) if going_on and is_elliptical(question) else []
    named = set(_IDENTIFIER.findall(fold(question)))
    counted = counted_things(question)
    counted = frozenset() if counted & PEOPLE else counted
    files = meant_versions(asked_whole, {str(each.get("file", "")) for each in _passages(value)})
    passages = [
        each
        for each in _passages(value)
        if str(each.get("file", "")) in files
        and (_is_about(each, plain) or (own and _is_about(each, own)))
        and (not before or _is_about(each, before))
        and _has_numbers(each, named)
        and (not counted or has_topic(counted, all_words(each)))
    ]
    most = _extreme(question, passages, own)
    said = " ".join([question, *(_without_words(each, going_on) for each in wordings)])
    best = most or _best(_quotes(passages, said, going_on), language)
    is_unranked = not most and asks_extreme(question) and any(_goes_on(quote.passage) for quote in best)
    if is_unranked or (not most and not going_on and _is_of_the_title(best, own, plain)):
        return _FoundAnswer(question=question, quotes=())
    disagreeing = [quote for quote in _disagreeing(value, best) if str(quote.passage.get("file", "")) in files]
    disagreeing = disagreeing if len({quote.passage.get("file") for quote in disagreeing}) > 1 else []
    best = disagreeing or _every_case(question, best)
    unsaid = unsaid_in(without_extreme(asked_whole) if most else asked_whole, best, _passages(value), _lacking(value))
    if unsaid:
        near = [quote for quote in best if any(has_topic(topic, content_words(quote.text)) for topic in own or plain)]
        opening = phrase("not_said_nearest", language, words=", ".join(unsaid)) if near else ""
        return _FoundAnswer(question=question, quotes=near[:MAX_NEAREST], opening=opening)
    if disagreeing:
        return _FoundAnswer(question=question, quotes=disagreeing, opening=phrase("documents_disagree", language))
    quoted = {str(quote.passage.get("file", "")) for quote in best}
    is_version = len(quoted) == 1 and len(files) < len({str(each.get("file", "")) for each in _passages(value)})
    source = quoted.pop() if is_version and dates_in(best[0].where).meets(dates_in(asked_whole)) else ""
    return _FoundAnswer(question=question, quotes=best, source=source or _named_source(question, best))


def _is_of_the_title(quotes: Sequence[Quote], asked: Sequence[Topic], plainly: Sequence[Topic]) -> bool:
    """Whether quotes have nothing of a question but what the title says of the whole document, and lack something."""
    near = [content_words(f"{quote.passage.get('section', '')} {quote.text}") for quote in quotes]
    whole = frozenset().union(*(all_words(quote.passage) for quote in quotes))
    is_named = any(has_topic(topic, words) for topic in (*asked, *plainly) for words in near)
    return bool(quotes) and not is_named and not all(has_topic(topic, whole) for topic in asked)


def _without_words(wording: str, going_on: str) -> str:
    """A wording without what a question goes on from: that counts for less."""
    before = set(words_of(going_on))
    return " ".join(word for word in wording.split() if word not in before)


def _goes_on(passage: Mapping[str, Any]) -> bool:
    """Whether a passage has only some rows of its table: which of all has the most stands in no quote."""
    return bool(passage.get("has_other_rows"))


def _extreme(question: str, passages: Sequence[Mapping[str, Any]], own: Sequence[Topic]) -> list[Quote]:
    """The rows that have the most or the least of what is asked for, of the whole table that has most of its words; of
    those that are of the kind it names.
    """

    def named(passage: Mapping[str, Any]) -> int:
        return sum(has_topic(topic, all_words(passage)) for topic in own)

    for passage in sorted(passages, key=named, reverse=True):
        rows = [] if _goes_on(passage) else [each.text for each in _sentences(passage) if is_row(each.text)]
        for topic in own:
            rows = [row for row in rows if has_topic(topic, content_words(names_of(row)))] or rows
        found = extreme_of(question, rows)
        if found:
            return [_quote(passage, row, 1.0) for row in found[:MAX_ROWS]]
    return []


def _every_case(question: str, best: list[Quote]) -> list[Quote]:
    """What is quoted; and where a question names a quantity that it does not have, every sentence around it that counts in
    the same unit: "if I cancel ten days before" is answered by the rule for 21 days and the rule for seven.
    """
    asked = facts_in(question).quantities
    if not asked or not best:
        return best
    units, numbers = {unit for _, unit in asked}, frozenset().union(*(readings for readings, _ in asked))
    cases = [
        sentence.text
        for sentence in _sentences(best[0].passage)
        if units & {unit for _, unit in facts_in(sentence.text).quantities}
    ]
    said = {reading for case in cases for readings, _ in facts_in(case).quantities for reading in readings}
    if len(cases) < 2 or said & numbers or not any(_spoken(case) == best[0].text for case in cases):
        return best
    return [_quote(best[0].passage, case, best[0].score) for case in cases[:MAX_CASES]]


def _lacking(value: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """For each document of a search, the words of the question that stand nowhere in it."""
    said = value.get("lacking")
    return {str(file): list(map(fold, words)) for file, words in said.items()} if isinstance(said, Mapping) else {}


def _named_source(question: str, quotes: Sequence[Quote]) -> str:
    """The document, where the question names what only its name says: whose rent it is, by the title alone."""
    titles = {(str(quote.passage.get("file", "")), str(quote.passage.get("title", ""))) for quote in quotes}
    if len(titles) != 1:
        return ""
    [(file, title)] = titles
    named = content_words(f"{re.sub(r'[_.-]+', ' ', file)} {title}")
    said = frozenset().union(*(content_words(quote.text) for quote in quotes))
    asked = [named_by(word) for word in words_of(question) if not is_light(word)]
    return (title or file) if any(topic & named and not has_topic(topic, said) for topic in asked) else ""


def _is_about(passage: Mapping[str, Any], subject: Sequence[Topic]) -> bool:
    """Whether a passage has more than half of what a question is about: no dogs in the rules of the office."""
    words = all_words(passage)
    return sum(has_topic(topic, words) for topic in subject) * 2 > len(subject) or not subject


def _has_numbers(passage: Mapping[str, Any], numbers: set[str]) -> bool:
    """Whether a passage names each order, invoice or article that a question asks about by its number."""
    parts = (str(passage.get(key, "")) for key in ("file", "title", "section", "text"))
    return numbers <= set(re.findall(r"\d+", " ".join(parts))) if numbers else True


def _paragraph(found: _FoundAnswer, numbers: Mapping[tuple[str, str], int], language: Language) -> str:
    marked = [f"{quote.text}[^{numbers[quote.where, quote.text]}]" for quote in found.quotes]
    if not found.opening:
        lead = phrase("from_document", language, title=found.source[:120]) if found.source and marked else ""
        return lead + " ".join(marked)
    return "\n".join([found.opening, "", *(f"- {each}" for each in marked)])


def _disagreeing(value: Mapping[str, Any], best: Sequence[Quote]) -> list[Quote]:
    """Both sides of every pair of statements of which one would be found."""
    pairs = [pair for pair in value.get("disagreements", ()) if isinstance(pair, list) and len(pair) == 2]
    chosen = {quote.text for quote in best}
    sides = [side for pair in pairs if {_spoken(str(each.get("text"))) for each in pair} & chosen for side in pair]
    quotes = [_quote(_passage_of(side, value), str(side["text"]), 1.0) for side in sides]
    return list({(quote.where, quote.text): quote for quote in quotes}.values())


def _passage_of(side: Mapping[str, Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The passage that a statement stands in, if it was found."""
    text = str(side.get("text"))
    named = (each for each in _passages(value) if each.get("file") == side.get("file"))
    return next((each for each in named if text in " ".join(str(each.get("text")).split())), side)


def _unread(values: Sequence[Mapping[str, Any]], language: Language) -> list[str]:
    """What cannot be cited because it was not read, once each."""
    listed = [each for value in values for each in value.get("unread", ()) if isinstance(each, Mapping)]
    return list(
        dict.fromkeys(
            phrase("document_unread", language, file=str(each.get("file")), why=str(each["why"].get(language)))
            for each in listed
            if isinstance(each.get("why"), Mapping)
        )
    )


def _quote(passage: Mapping[str, Any], sentence: str, score: float) -> Quote:
    where = ", ".join(str(passage[key]) for key in ("file", "section") if passage.get(key))
    return Quote(text=_spoken(sentence), where=where, score=score, passage=passage)


def _passages(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [passage for passage in value["passages"] if isinstance(passage, Mapping)]


def _quotes(passages: Sequence[Mapping[str, Any]], question: str, going_on: str = "") -> list[Quote]:
    """The sentences with how well they answer a question; what it goes on from counts for less than its own words."""
    plain = fold(question)
    sought = [found for asks, found in SOUGHT if asks.search(plain)]
    sought = [found for found in sought if found is not FIGURE or MONEY not in sought]
    sentences = [
        sentence
        for passage in passages
        if _relevance(passage) >= LEAST_RELEVANCE
        for sentence in _sentences(passage)
        if not _only_names(sentence.text, passage)
    ]
    asked = [topic for topic in asked_topics(question) if MONEY not in sought or _PAYING not in topic]
    weights = _weights([*asked, *_references(plain)], [sentence.words for sentence in sentences])
    kinds = frozenset().union(*(content_words(kind) for kind in _KIND.findall(plain) if not is_light(kind)))
    kinds |= frozenset().union(*(content_words(name) for name in NAMES.findall(question)))
    weights = {topic: weight * (KIND_WEIGHT if topic & kinds else 1.0) for topic, weight in weights.items()}
    share, named = GOING_ON_SHARE if weights else 1.0, list(weights)
    before = _weights(asked_topics(going_on), [sentence.words for sentence in sentences])
    weights = {topic: share * weight for topic, weight in before.items() if topic not in weights} | weights
    whole = [] if sought else _whole_sections(sentences, list(weights)) or _named_sections(sentences, plain)
    if whole:
        return [_quote(sentence.passage, sentence.text, 1.0) for sentence in whole]
    scored = [(_score(sentence, weights, sought), sentence) for sentence in sentences]
    _, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if best is None:
        return []
    scored = _with_strictly_asked(scored, best, plain, list(weights))
    _, best = max(scored, key=lambda pair: pair[0])
    scored = _without_lesser_rows(scored, best, named or list(weights))
    left_out = _left_out(best, named or list(weights), sentences)
    next_one = _next_giving(best, sentences, sought)
    return [
        replace(
            _quote(each.passage, each.text, score),
            added=(each is next_one) + sum(bool(topic & each.words) for topic in left_out),
        )
        if each.passage is best.passage
        else _quote(each.passage, each.text, score)
        for score, each in scored
    ]


def _is_tabular(text: str) -> bool:
    return is_row(text) or text.startswith("|")


def _with_strictly_asked(
    scored: list[tuple[float, _Sentence]], best: _Sentence, plain: str, asked: Sequence[Topic]
) -> list[tuple[float, _Sentence]]:
    """Where the best sentence has nothing of what must be said, such as a price, those that have it and are about as much."""
    strict = [says for asks, says in STRICT if asks.search(plain)]
    if all(_gives(best, each) for each in strict):
        return scored
    named = sum(bool(topic & best.words) for topic in asked)
    giving = [
        (score, sentence)
        for score, sentence in scored
        if score
        and all(_gives(sentence, each) for each in strict)
        and sum(bool(topic & sentence.words) for topic in asked) >= named
    ]
    return giving or scored


def _without_lesser_rows(
    scored: list[tuple[float, _Sentence]], best: _Sentence, asked: Sequence[Topic]
) -> list[tuple[float, _Sentence]]:
    """Without the rows that have less of what a question names than the best row: "the large one" is no other."""
    if not _is_tabular(best.text):
        return scored
    named = {topic for topic in asked if topic & best.words}
    return [
        (score, each)
        for score, each in scored
        if not (_is_tabular(each.text) and {topic for topic in asked if topic & each.words} < named)
    ]


def _next_giving(
    best: _Sentence, sentences: Sequence[_Sentence], sought: Sequence[re.Pattern[str]]
) -> _Sentence | None:
    """The sentence after the best one, where that has nothing of what is asked for and this has it: "The shop opens in
    May. Ana Ruiz will run it."
    """
    after = next((other for one, other in pairwise(sentences) if one is best), None)
    if after is None or after.passage is not best.passage or any(_gives(best, each) for each in sought):
        return None
    return after if any(_gives(after, each) for each in sought) else None


def _only_names(text: str, passage: Mapping[str, Any]) -> bool:
    """Whether a line repeats the title or the heading, maybe behind a label such as "Subject:": it states nothing."""
    names = [name for name in (passage.get("title"), passage.get("section")) if name]
    return not text.endswith(".") and (text in names or text.partition(": ")[2] in names)


def _left_out(best: _Sentence, asked: Sequence[Topic], sentences: Sequence[_Sentence]) -> list[Topic]:
    """Topics that few sentences have, and not the best one: the Fridays of "at what time do you close on Fridays?"."""
    known = best.words | content_words(f"{best.passage.get('section', '')} {best.passage.get('title', '')}")
    most = max(1.0, RARE_SHARE * len(sentences))
    return [topic for topic in asked if not topic & known and sum(bool(topic & s.words) for s in sentences) <= most]


def _whole_sections(sentences: Sequence[_Sentence], asked: Sequence[Topic]) -> list[_Sentence]:
    """The sentences of the sections whose headings alone name several things that are asked, and all that are known."""
    known = [t for t in asked if any(t & (content_words(str(s.passage.get("section"))) | s.words) for s in sentences)]
    if len(known) < 2:
        return []
    return [s for s in sentences if all(topic & content_words(str(s.passage.get("section"))) for topic in known)]


def _named_sections(sentences: Sequence[_Sentence], plain: str) -> list[_Sentence]:
    """The sentences of the section that is called as the things are that a question asks for: "which actions …?"."""
    wanted = [content_words(kind) for kind in _KINDS.findall(plain) if not is_light(kind)]
    headed = [(each, content_words(str(each.passage.get("section", "")))) for each in sentences]
    called = [each for each, heading in headed if heading and any(has_topic(kind, heading) for kind in wanted)]
    alone = [each for each in called if len(words_of(str(each.passage["section"]))) <= LABEL_WORDS]
    documents = {each.passage.get("file") for each in alone}
    return alone if len(documents) == 1 and len(alone) > 1 else []


def _weights(asked: Sequence[Topic], sentences: Sequence[frozenset[str]]) -> dict[Topic, float]:
    """What each topic of a question counts: the fewer sentences have it, the more; a rare one about 1."""
    total = len(sentences) or 1
    shares = {topic: sum(bool(topic & each) for each in sentences) / total for topic in asked}
    return {topic: 1 - COMMON_LOSS * min(share * COMMON_SCALE, 1.0) for topic, share in shares.items()}


def _score(sentence: _Sentence, weights: Mapping[Topic, float], sought: Sequence[re.Pattern[str]]) -> float:
    passage = sentence.passage
    heading = sentence.heading | content_words(f"{passage.get('section', '')} {passage.get('title', '')}")
    own = sum(weight for topic, weight in weights.items() if topic & sentence.words)
    around = sum(weight for topic, weight in weights.items() if topic & heading)
    if not own and not around:
        return 0.0
    has_it = SOUGHT_BONUS * sum(_gives(sentence, each) for each in sought)
    lacks = LACKING_FACTOR if sought and not has_it else 1.0
    return (own + SECTION_WEIGHT * around + has_it) * lacks * _relevance(passage)


def _gives(sentence: _Sentence, sought: re.Pattern[str]) -> bool:
    return (sought.search(fold(sentence.text)) or sought.search(sentence.text)) is not None


def _relevance(passage: Mapping[str, Any]) -> float:
    given = passage.get("relevance", 1)
    return float(given) if isinstance(given, int | float) else 0.0


def _best(quotes: list[Quote], language: Language) -> list[Quote]:
    """The sentences that say it best, and one for a topic they leave out; of those that say the same in two languages,
    the reader's.
    """
    highest = max((quote.score for quote in quotes), default=0.0)
    if not highest:
        return []
    near = [quote for quote in quotes if quote.score >= highest * CLOSE]
    own = [quote for quote in near if detect_language(quote.text) == language]
    rows = [quote for quote in near if is_row(quote.text)]
    most = MAX_ROWS if len(rows) == len(near) else MAX_SENTENCES
    best = sorted(own or near, key=lambda quote: -quote.score)[:most]
    adding = [quote for quote in quotes if quote.added and quote not in best] if len(best) == 1 else []
    return [*best, *sorted(adding, key=lambda quote: (-quote.added, -quote.score))[:1]]


def _sentences(passage: Mapping[str, Any]) -> list[_Sentence]:
    """Sentences of paragraphs, items of lists, rows of tables; headings are no statements, labels belong to the next."""
    blocks = _BLOCK_END.split(lines_apart(str(passage.get("text", ""))))
    flat = [" ".join(block.split()) for block in blocks if block.strip() and not block.lstrip().startswith("#")]
    found: list[_Sentence] = []
    heading: frozenset[str] = frozenset()
    for number, block in enumerate(flat):
        around = flat[max(0, number - 1) : number] + flat[number + 1 : number + 2]
        opens = number == 0 and len(flat) > 1 and flat[1].endswith(".") and _OPENING.fullmatch(block) is not None
        if opens or (_is_title(block) and number + 1 < len(flat) and not any(map(_is_title, around))):
            heading = content_words(block)
            continue
        label: frozenset[str] = frozenset()
        sentences = [
            sentence
            for sentence in ([] if is_head(block, flat[number + 1 : number + 2]) else _SENTENCE_END.split(block))
            if content_words(sentence) or _NUMBER.search(sentence)
        ]
        for at, text in enumerate(sentences):
            words = content_words(names_of(text)) | frozenset(_NUMBER.findall(fold(text))) | label
            if at + 1 < len(sentences) and ": " not in text and len(words_of(_spoken(text))) <= LABEL_WORDS:
                label = words
                continue
            label = frozenset()
            found.append(_Sentence(passage=passage, text=text, words=words, heading=heading))
    return found


def _is_title(block: str) -> bool:
    """Whether a line names what the next ones say: few words, and no statement."""
    return len(block.split()) <= TITLE_WORDS and not re.search(r"[.!?:;|]\s*$|: | \| |\w\s\d", block)


def _spoken(sentence: str) -> str:
    return _MARKUP.sub("", sentence).strip()


def _references(plain: str) -> list[Topic]:
    """Numbers that a question names, of an article, a rule or a size: a sentence that has them is about it."""
    return [frozenset((number,)) for number in dict.fromkeys(_NUMBER.findall(plain))]


_PAYING = "=payment"
"""What a question how much is paid names by its verb: the amount tells it, not the word."""
