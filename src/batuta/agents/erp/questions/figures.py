"""What the words of a question about a figure mean together: which measure, split and limits.

Slots find words one by one; here they change one another. `stock` and `in euros` make the value of stock, `invoices`
and `largest` a split by document, what customers `buy` are sales. What cannot be settled is said, not left out.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from batuta.agents.erp.access import NAME_SOURCES, ErpAccess
from batuta.agents.erp.known_names import OF_ACCOUNT
from batuta.agents.erp.measures.model import COMPANY_DIMENSION
from batuta.agents.erp.measuring import NOT_PREFIX
from batuta.agents.erp.questions.accounting import unaccounted
from batuta.agents.erp.questions.balances import forget_period
from batuta.agents.erp.questions.exclusions import settle_exclusions
from batuta.agents.erp.questions.follow_ups import settle_order
from batuta.agents.erp.questions.ledger import settle_ledger
from batuta.agents.erp.questions.limits import (
    require_ranked,
    settle_account_words,
    settle_accounts,
    settle_both_ends,
    settle_bound,
    settle_change,
    settle_place,
)
from batuta.agents.erp.questions.lists import PRICE_QUESTION, SUM_WORDS
from batuta.agents.erp.questions.measures import measure_findings, settle_measures
from batuta.agents.erp.questions.members import settle_absence, settle_newness, settle_presence
from batuta.agents.erp.questions.parties import (
    described_names,
    settle_united_states,
    typed_numbers,
)
from batuta.agents.erp.questions.periods import (
    settle_all_time,
    settle_compared_unit,
    settle_due_period,
    settle_earlier,
    settle_month_rows,
    settle_periods,
)
from batuta.agents.erp.questions.question import (
    PARTY,
    FigureQuestion,
    noun_of,
    unnamed_owner,
)
from batuta.agents.erp.questions.rates import (
    settle_average,
    settle_goods,
    without_means_of_sales,
)
from batuta.agents.erp.questions.splits import (
    settle_described,
    settle_longer_splits,
    settle_owners,
    settle_parties,
    settle_sums,
    settle_time_splits,
    settle_versus,
)
from batuta.language.choices import index_of
from batuta.language.folding import fold
from batuta.language.understanding import Settled, Synonyms

DOCUMENT = "document"
_ALL_COMPANIES = re.compile(
    r"\b(?:all|both|every|each|the\s+two)\s+(?:of\s+)?(?:our\s+|the\s+|my\s+)?(?:compan(?:y|ies))\b"
    r"|\b(?:todas|ambas|cada|las\s+dos)(?:\s+(?:las|nuestras|mis|una\s+de\s+(?:las|nuestras)))?(?:\s+dos)?\s+(?:empresas?|sociedad(?:es)?|companias?)\b"
)
_UNKEPT_SPLIT = re.compile(r"\b(?:by|per|each|por|cada)\s+(?:warehouses?|almacen(?:es)?)\b")
"""A split that no measure has, in words that also name the stock itself."""
_OF_A_KIND = re.compile(r"\b(?:of|how\s+many|sell|sold|buy|bought)\s+((our|the)\s+)?(?:tables|bars|lines|areas|pies)\b")
"""Goods that are called as a kind of chart is: "the stock of tables" asks for no table."""
_CREDIT_LEFT = re.compile(
    r"\b(?:available|unused|remaining)\s+credit\b|\bcredit\b.*\b(?:left|available|remaining)\b"
    r"|\bcredito\b.*\b(?:queda|disponible|sobra|resta)\b"
)
"""What may still be lent to a customer: a field of its record less another, and no credit memo."""
_HOW_LONG = re.compile(
    r"\b(?:how\s+long|since\s+when|desde\s+(?:cuando|hace\s+cuanto)|cuanto\s+tiempo)\b(?=.*\b(?:owed?|owes|owing|deb\w+|adeud\w+)\b)"
)
"""Asks for a time and not for what is owed."""
_INVOICES_PAID = re.compile(
    r"\b(?:paid\s+(?:\w+\s+)?invoices?|invoices?\s+(?:(?!not\b)\w+\s+){0,2}paid|facturas?\s+(?:(?!no\b)\w+\s+){0,2}pagad[oa]s?)\b"
)
"""Invoices that were paid, which are no payments; when one was paid is not kept with it."""
_NESTED = re.compile(
    rf"\b(?:of|for|from)\s+(?:our\s+|the\s+)?(?:biggest|largest|best|top|main|worst)(?:[\s-]selling)?\s+{PARTY}\b"
    rf"|\bdel?\s+(?:nuestro\s+|el\s+|la\s+)?(?:mayor|mejor|principal|peor)\s+{PARTY}\b"
    rf"|\bdel\s+{PARTY}\s+(?:que\s+)?mas\b"
)
"""A question within the question: the figure of something that another figure would have to find first."""
_BY_TIME = re.compile(
    r"\b(?:last|latest|newest|oldest|most\s+recent|ultim[oa]s)\s+(?:\d+|two|three|four|five|ten|dos|tres|cuatro|cinco|diez)\b"
    r"(?!\s+(?:days?|dias?|weeks?|semanas?|months?|mes(?:es)?|quarters?|trimestres?|years?|anos?|half|semestres?)\b)"
    r"|\b(?:\d+|two|three|four|five|ten|dos|tres|cuatro|cinco|diez)\s+(?:\w+\s+)?(?:latest|newest|oldest|most\s+recent|mas\s+recientes|ultim[oa]s)\b"
)
"""The first rows of an order in time, which no ranking by a figure is."""
_STEP_BY_STEP = re.compile(r"\b(month|week|quarter|day)[\s-](?:over|on)[\s-]\1\b|\b(?:mom|qoq|wow)\b")
"""Each period beside the one before it: a comparison with the year before is another figure."""
_EARNS = re.compile(r"\bcobra[n]?\b(?!\s+(?:a|de|por)\b)")
"""What a person earns, in a word that also says what is collected: wages are kept in no name."""
_ASKS_WHEN = re.compile(r"\b(?:when|cuando)\b")
"""Asks for a date, which no measure is."""
_FUTURE = re.compile(
    r"\b(?:will|won['’]?t|going\s+to|vamos\s+a|van\s+a|va\s+a"
    r"|(?!(?:super|gener|esper|oper|recuper|consider|liber|compar|prepar|separ|declar|retir|gir)an\b)\w{3,}(?:remos|aran|eran|iran))\b"
)
"""A time to come; "superan" has the ending of one in its stem."""
_OF_SEVERAL = re.compile(r"\b(?:their|sus?)\b")
_TO_THEM = re.compile(r"\b(?:owe|owes|owed|pay|paid|pays|bill|billed|sell|sold|invoiced?)\s+(?:them|him|her)\b")
"""Whom a figure is about, by a pronoun."""
_WITHOUT_SUBJECT = re.compile(
    r"\bcuanto(?:\s+dinero)?\s+(?P<verb>nos\s+(?:debe|adeuda|debia|compra|compro|paga|pago))\b"
)
"""What one does of whom nothing is said."""
_NARROWS = re.compile(r"(?:(?:and|but|y|pero|ahora|now)\W+)?(?:only|just|solo|solamente|unicamente)\b")


def settle_measure(access: ErpAccess, measures: Synonyms) -> Callable[[Mapping[str, Any], Sequence[str]], Settled]:
    """How the slots of a question about a figure are settled."""

    def settle(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
        texts, is_summed = _without_sum(texts)
        text = " ".join(texts)
        question = FigureQuestion(access.measures, dict(values), text, fold(text), access.today())
        question.values.pop("sum", None)
        settle_order(question, texts, index_of(measures))
        question.unknown += [
            each.group()
            for pattern in (
                _UNKEPT_SPLIT,
                _OF_A_KIND,
                _INVOICES_PAID,
                _EARNS,
                _ASKS_WHEN,
                _BY_TIME,
                _STEP_BY_STEP,
                _CREDIT_LEFT,
                _HOW_LONG,
                PRICE_QUESTION,
            )
            for each in pattern.finditer(fold(texts[-1]))
            if pattern is not _OF_A_KIND or "described" not in question.values
        ]
        if is_summed:
            _settle_sum(question)
        if described := described_names(question, access):
            question.values["only"] = list(dict.fromkeys((*question.values.get("only", ()), *described)))
        if balances := question.values.pop("balance_of", None):
            named = (name.removeprefix(OF_ACCOUNT) for name in balances)
            question.values["ledger"] = list(dict.fromkeys((*question.values.get("ledger", ()), *named)))
        settle_united_states(question, access)
        settle_account_words(question, access)
        settle_exclusions(question, access)
        _keep_limits(question, texts, access)
        settle_time_splits(question)
        settle_owners(question)
        settle_longer_splits(question)
        settle_described(question, access)
        forget_period(question, texts, index_of(measures))
        settle_periods(question, texts)
        settle_all_time(question, texts)
        settle_earlier(question, texts)
        settle_month_rows(question, texts)
        settle_parties(question)
        found = without_means_of_sales(question, measure_findings(question, index_of(measures), texts, access))
        names = settle_measures(question, found, texts, access)
        settle_compared_unit(question, texts, names)
        _require_past(question, texts[-1], names)
        if any(access.measures.measures[name].looks_ahead for name in names):
            settle_due_period(question, texts)
        _settle_names(question, names, access)
        _require_spending(question, names, access)
        settle_accounts(question, names)
        names = settle_ledger(question, names, found, access)
        names = settle_absence(question, names, index_of(measures).find(text))
        names = settle_newness(question, names)
        settle_presence(question)
        _settle_nested(question, texts[-1], names)
        settle_goods(question, names, access)
        settle_average(question, found, names)
        settle_change(question)
        settle_versus(question, names, access)
        settle_sums(question)
        _require_owner(question, texts)
        _settle_companies(question, names, access)
        if not is_summed:
            _settle_documents(question, names)
        settle_bound(question)
        settle_place(question)
        settle_both_ends(question, texts[-1])
        require_ranked(question, names, texts[-1])
        _require_one_list(question)
        question.values.pop("qualifiers", None)
        question.unknown += unaccounted(question, texts[-1], found)
        if left_out := question.values.pop("without", None):
            question.values["only"] = [*question.values.get("only", ()), *(f"{NOT_PREFIX} {name}" for name in left_out)]
        return Settled(values=question.values, unknown=tuple(question.unknown))

    return settle


def _without_sum(texts: Sequence[str]) -> tuple[Sequence[str], bool]:
    """The texts without "how much is that in total?" as the last, and whether it was said."""
    said = index_of(SUM_WORDS).find(texts[-1]) if len(texts) > 1 else []
    rest = texts[-1]
    for each in reversed(said):
        rest = f"{rest[: each.span.start]}{rest[each.span.end :]}"
    return ([*texts[:-1], rest], True) if said else (texts, False)


def _settle_sum(question: FigureQuestion) -> None:
    """The figure without its split. What the first rows of a ranking add up to is not known."""
    if {"top", "bound"} & set(question.values):
        question.unknown.append("total")
    for name in ("split_by", "ranking"):
        question.values.pop(name, None)


def _settle_nested(question: FigureQuestion, text: str, names: Sequence[str]) -> None:
    """Read "what share of sales is of our largest customer": its row. Another figure of it is not found this way."""
    said = _NESTED.search(fold(text))
    is_share = question.values.get("compare") == {"kind": "whole"} and question.values.get("split_by")
    if said is not None and is_share and list(names) in (["sales"], ["purchases"]):
        question.values |= {"top": 1, "ranking": question.values.get("ranking", "most")}
    elif said is not None:
        question.unknown.append(said.group())


def _keep_limits(question: FigureQuestion, texts: Sequence[str], access: ErpAccess) -> None:
    """Where "only …" narrows an answer, keep what that was limited to by a name of another kind.

    Of each kind the name counts that was said last: "only Portugal" takes the place of Spain, and not of a customer.
    """
    only: list[str] = question.values.get("only") or []
    if not only or not _NARROWS.match(fold(texts[-1])):
        return
    known, left_out = index_of(access.all_names(), is_names=True), question.values.get("without") or ()
    kept, kinds = list(only), {kind for name in only for kind in _kinds_of(name, access)}
    for text in reversed(texts[:-1]):
        said = {each.value: _kinds_of(each.value, access) for each in known.find(text, takes_parts=True)}
        said = {name: own for name, own in said.items() if own and name not in left_out and not own & kinds}
        kept += said
        kinds.update(*said.values())
    question.values["only"] = kept


def _kinds_of(name: str, access: ErpAccess) -> set[str]:
    return {kind for kind in NAME_SOURCES if access.values_named(kind, name)}


def _settle_names(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> None:
    """Of several records with the number that was typed, the one that the measure can be limited to.

    A record that was called by its name is meant, also where another has the same number: a vendor has no sales.
    """
    if not names or not question.values.get("only"):
        return
    splits = question.book.splits(question.book.measures[names[0]])
    for place, name in enumerate(question.values["only"]):
        kinds = [kind for kind in NAME_SOURCES if access.values_named(kind, name)]
        if kinds and not any(kind in splits for kind in kinds):
            numbers = {number for kind in kinds for number in typed_numbers(question, access, kind, name)}
            other = next(
                (
                    value
                    for kind in NAME_SOURCES
                    if kind in splits
                    for value, words in access.names(kind).items()
                    if numbers & {fold(word) for word in words}
                ),
                None,
            )
            question.values["only"][place] = other or name  # of a name that stays, the tool says what it is


def _require_spending(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> None:
    """What an item costs is a field of its record, and nothing that was spent."""
    only: Sequence[str] = question.values.get("only") or ()
    if list(names) == ["expenses"] and any(access.values_named("item", name) for name in only):
        question.unknown.append("cost")


def _require_past(question: FigureQuestion, text: str, names: Sequence[str]) -> None:
    """What is still to come is known of due dates alone: "what will we sell in May?" asks for no sales of last May."""
    said = _FUTURE.search(fold(text))
    if said is not None and not all(question.book.measures[name].looks_ahead for name in names):
        question.unknown.append(said.group())


def _require_owner(question: FigureQuestion, texts: Sequence[str]) -> None:
    """The owner of a figure called "its" must be known; otherwise the total of all would be taken for it. So must be
    who "nos debe", a verb without its subject.

    "Sales by customer", and then "their margin", is of each of them.
    """
    if question.values.get("only"):
        return
    whose, to_whom = unnamed_owner(texts[-1]), _TO_THEM.search(fold(texts[-1]))
    if not ({"split_by", "who"} & set(question.values)) and (alone := _WITHOUT_SUBJECT.search(fold(texts[-1]))):
        question.unknown.append(alone.group("verb"))
    are_all = question.values.get("split_by") and not {"top", "bound", "place"} & set(question.values)
    are_each = are_all and _OF_SEVERAL.search(fold(whose)) and not unnamed_owner(question.text)
    question.unknown += [whose] if whose and not are_each else []
    question.unknown += [to_whom.group()] if to_whom and not are_all else []


def _settle_companies(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> None:
    """Every company that is named is asked for, each by itself: the books of each are its own."""
    named = index_of(access.names("company")).find(question.text, takes_parts=False)
    found = list(dict.fromkeys(each.value for each in named))
    if _ALL_COMPANIES.search(question.plain):
        found = list(access.names("company"))
    if len(found) < 2:
        return
    if len(names) > 1:
        question.unknown += found[1:]  # several figures of several companies: one of them at a time
        return
    question.values["company"] = found
    splits = [name for name in question.values.pop("split_by", ()) if name != COMPANY_DIMENSION]
    question.values |= {"split_by": splits} if splits else {}


def _settle_documents(question: FigureQuestion, names: Sequence[str]) -> None:
    """Invoices and orders that are named without another split are what is to be shown."""
    values, book = question.values, question.book
    if values.get("split_by") or not names or not noun_of(question.plain):
        return
    measure = book.measures[names[0]]
    if measure.unit == "money" and measure.kind != "ratio" and DOCUMENT in book.splits(measure):
        is_sum = re.search(r"\b(?:how much|total|sum|cuanto|suma|importe)\b", question.plain) is not None
        if question.is_ranked or "bound" in values or not is_sum:
            values["split_by"] = [DOCUMENT]


def _require_one_list(question: FigureQuestion) -> None:
    """Several figures, companies or periods are asked for one by one: of one kind only, else it is left open which."""
    lists = [
        name for name in ("measure", "company", "period", "ranking") if isinstance(question.values.get(name), list)
    ]
    if len(lists) > 1:
        question.unknown += [str(each) for each in question.values[lists[1]][1:]]
